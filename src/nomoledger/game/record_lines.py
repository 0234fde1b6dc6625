"""The header and the lines of a hand-kept record."""

import re
from datetime import UTC, datetime
from typing import Any

import msgspec

from nomoledger.errors import RecordError

#: The names that the period of a line may have.
PERIOD_NAMES = ("week", "day", "period")
#: The verdicts that a line with a proposal can have.
VERDICTS = ("accepted", "rejected")
#: The field with the time of a line, and what a text there has to look like to be one.
AT = "at"
_TIME = re.compile(r"\d{4}-\d|\d{1,2}:\d")


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

    @property
    def is_timed(self) -> bool:
        """Whether the line has a time."""
        written = self.fields.get(AT)
        return isinstance(written, str) and _TIME.match(written) is not None

    def time(self, begin: datetime) -> datetime | None:
        """Return the time of the line; None if it has none. Its period begins at *begin*.

        A time without a day, such as 14:30, is one of the first day of the period.

        Raises:
            RecordError: the line has a time that is none.
        """
        if not self.is_timed:
            return None
        written = self.fields[AT]
        day = "" if "-" in written else f"{begin:%Y-%m-%d}T{'0' if written[1] == ':' else ''}"
        try:
            time = datetime.fromisoformat(f"{day}{written}")
            return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
        except (OverflowError, ValueError):
            raise RecordError(
                f"{written!r:.60} is no time: write it as in 2001-03-05T14:30 or 14:30"
            ) from None
