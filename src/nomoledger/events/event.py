"""The fields common to all events, and the place of an event in the ledger."""

from datetime import datetime

import msgspec
from msgspec import field


class Event(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag_field="event"
):
    """The fields common to all events. `Entry` holds the number of an event.

    Attributes:
        period: the period that it belongs to.
        received_at: when the input behind it reached the admin (UTC, whole seconds).
        recorded_at: when that input was written into the ledger (UTC, whole seconds).
        cause: number of the event that led to it; None for an input from outside.
        rules: what it is based on: rules by number and version (`VIII.5@3`), `ruling:4` or
            `engine`.
        audience: who may see it: None is everybody, a tuple names players. The admin sees all.
    """

    period: int = field(name="period")
    received_at: datetime = field(name="received_at")
    recorded_at: datetime = field(name="recorded_at")
    cause: int | None = field(default=None, name="cause")
    rules: tuple[str, ...] = field(default=(), name="rules")
    audience: tuple[str, ...] | None = field(default=None, name="audience")


def may_see(reader: str | None, audience: tuple[str, ...] | None) -> bool:
    """Return whether *reader* may see what has this *audience* (see `Event`).

    A reader is a player, "admin", or None for the public.
    """
    return reader == "admin" or audience is None or reader in audience


class Entry(msgspec.Struct, frozen=True, gc=False):
    """An event in its place in the ledger.

    Attributes:
        game: name of the game.
        number: number of the event, counted from 0 without gaps within the game.
        body: the event.
    """

    game: str
    number: int
    body: Event
