"""log: every event in words, with its number, time, cause and rules."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial

import msgspec

from nomoledger import events as e
from nomoledger.codec import encode_json
from nomoledger.projecting import Table, View, described, retold
from nomoledger.words import tell
from nomoledger.world import World


class Line(msgspec.Struct, frozen=True):
    """One event: what it says in words, and all of it as it is recorded."""

    number: int
    period: int
    at: datetime
    told: str
    cause: int | None
    rules: tuple[str, ...]
    event: msgspec.Raw

    def __str__(self) -> str:
        cause = "" if self.cause is None else f" <- #{self.cause}"
        rules = f" ({', '.join(self.rules)})" if self.rules else ""
        return f"#{self.number} {self.at:%Y-%m-%d %H:%M:%S} {self.told}{rules}{cause}"


class Log(msgspec.Struct, frozen=True):
    """What the reader may see of a game's events, in order."""

    game: str
    period: int
    events: tuple[Line, ...]

    def show(self) -> Iterator[Table | str]:
        """A line an event."""
        yield from map(str, self.events)


def log(view: View) -> Log:
    """The log of *view*: each event told with the names that held when it happened."""
    lines = (_line(entry, _told(world, entry.body)) for entry, world in retold(view))
    return Log(view.game, view.period, tuple(lines))


def _told(world: World, body: e.Event) -> str:
    return tell(body, partial(described, world), world.commodities())


def _line(entry: e.Entry, told: str) -> Line:
    body = entry.body
    return Line(
        number=entry.number,
        period=body.period,
        at=body.received_at,
        told=told,
        cause=body.cause,
        rules=body.rules,
        event=msgspec.Raw(encode_json(body)),
    )
