"""The header and the lines of a hand-kept record."""

from typing import Any

import msgspec

#: The names that the period of a line may have.
PERIOD_NAMES = ("week", "day", "period")


class RecordHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of a record.

    Attributes:
        rulebook: a shipped rulebook by name, or a file beside the record; without a rulebook, the
            record continues an existing game.
        game: name of the game.
        source: where the record comes from, for people.
        parameters: parameters of the rules that the game sets at its start.
        opening: the initial state, as in `StateGiven`; players may be a list of names.
        period: the first period of the record.
        start: the first day of that period (YYYY-MM-DD).
        days: number of days in a period.
        open: whether the last period of the record stays open.
        record: version of the record format.
    """

    rulebook: str = ""
    game: str = ""
    source: str = ""
    parameters: dict[str, Any] = {}
    opening: dict[str, Any] = {}
    period: int = 1
    start: str = ""
    days: int = 7
    open: bool = False
    record: int = 1


class RecordLine(msgspec.Struct, frozen=True):
    """One line after the header.

    Attributes:
        place: file and line number.
        period: the period that the line belongs to.
        fields: the line as decoded from JSON.
    """

    place: str
    period: int
    fields: dict[str, Any]
