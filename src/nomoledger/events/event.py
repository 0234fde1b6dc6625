"""What every event carries, and its place in the ledger."""

from datetime import datetime

import msgspec
from msgspec import field


class Event(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag_field="event"
):
    """What every event carries. Its number is its place in the ledger, kept by `Entry`.

    Attributes:
        period: the week or day it belongs to.
        received_at: when the input behind it reached the admin (UTC, whole seconds).
        recorded_at: when that input was written into the ledger (UTC, whole seconds).
        cause: number of the event that led to it; None for an input from outside.
        rules: the rules (`VIII.5@3`: number and version) or `ruling:4` or `engine` behind it.
        audience: who may see it: None is everybody, a tuple names players; the admin sees all.
    """

    period: int = field(name="period")
    received_at: datetime = field(name="received_at")
    recorded_at: datetime = field(name="recorded_at")
    cause: int | None = field(default=None, name="cause")
    rules: tuple[str, ...] = field(default=(), name="rules")
    audience: tuple[str, ...] | None = field(default=None, name="audience")


class Entry(msgspec.Struct, frozen=True, gc=False):
    """An event in its place: *number* counts from 0 without gaps within *game*."""

    game: str
    number: int
    body: Event
