"""log: every event in words, with its number, time, cause and rules."""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from nomoledger import events as e
from nomoledger.events.codec import encode_json
from nomoledger.game.event_filter import EventChoice, EventFilter, NamesOfEvents
from nomoledger.game.read_models import Table, View, events_with_worlds
from nomoledger.proof.public_numbering import SEALED
from nomoledger.proof.public_stream import PublicStream
from nomoledger.prose.descriptions import UNTOLD
from nomoledger.prose.teller import Teller


class LogLine(msgspec.Struct, frozen=True):
    """One event: *told* describes it in words, and *event* is the recorded event.

    *public* is its public number, for the admin only: SEALED if the event is not public.
    """

    number: int
    period: int
    at: datetime
    told: str
    cause: int | None
    rules: tuple[str, ...]
    event: msgspec.Raw
    public: int | None = None

    def __str__(self) -> str:
        cause = "" if self.cause is None else f" <- #{self.cause}"
        rules = f" ({', '.join(self.rules)})" if self.rules else ""
        if self.public not in (None, self.number):
            public = "not public" if self.public == SEALED else f"public #{self.public}"
            cause = f"{cause} ({public})"
        return f"#{self.number} {self.at:%Y-%m-%d %H:%M:%S} {self.told}{rules}{cause}"


class Log(msgspec.Struct, frozen=True):
    """The events of a game that the reader may see, in order."""

    game: str
    period: int
    events: tuple[LogLine, ...]

    def show(self) -> Iterator[Table | str]:
        """Yield a line per event."""
        yield from map(str, self.events)


def log(view: View, choice: EventChoice | None = None) -> Log:
    """Return the log of *view*. Each event is described with the names at its time.

    With a *choice*, the log has only the events that are wanted.

    Raises:
        UnknownError: *choice* names something that the game never had.
    """
    wanted = event_filter(view, choice)
    stream = PublicStream() if view.reader == "admin" else None
    lines, teller = [], None
    for entry, world in events_with_worlds(view):
        teller = teller or Teller(world)
        is_wanted = wanted is None or wanted.wants(entry.body, world)
        if is_wanted and not isinstance(entry.body, UNTOLD):
            lines.append(_line(entry, teller.tell(entry.body)))
        else:
            teller.follow(entry.body)
        if stream is not None:
            stream.take(entry.number, entry.body)
    if stream is not None:
        public_number = stream.terms.events.of
        lines = [msgspec.structs.replace(line, public=public_number(line.number)) for line in lines]
    return Log(view.game, view.period, tuple(lines))


def event_filter(view: View, choice: EventChoice | None) -> EventFilter | None:
    """Return the filter of the events of *view* by *choice*; None for all events."""
    if choice is None or choice == EventChoice():
        return None
    return EventFilter(choice, NamesOfEvents(view.game, view.world, view.entries()))


def _line(entry: e.Entry, description: str) -> LogLine:
    body = entry.body
    return LogLine(
        number=entry.number,
        period=body.period,
        at=body.received_at,
        told=description,
        cause=body.cause,
        rules=body.rules,
        event=msgspec.Raw(encode_json(body)),
    )
