"""All events that a reader may see, in words, each with its cause and what came of it."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from functools import cached_property

import msgspec

from nomoledger import events as e
from nomoledger.game.desk.seen_game import SeenView
from nomoledger.game.game import Game
from nomoledger.proof.public_stream import apply_public
from nomoledger.prose.descriptions import UNTOLD
from nomoledger.prose.teller import Teller
from nomoledger.state.world import World
from nomoledger.views.site.event_log import QUIET

#: The kinds of events that programs can choose from.
KINDS = {
    "request": "what came from outside: requests, rulings, dice that were entered",
    "consequence": "what came of that by the rules",
    "bookkeeping": "what the engine notes for itself; the pages leave it out",
}
#: How many new events are shown at once, and with how many bytes.
NEW_MAX, NEW_BYTES_MAX = 100, 200_000


class PastEvent(msgspec.Struct, frozen=True):
    """An event, by the number under which the reader knows it.

    Attributes:
        at: when it was received, in seconds since 1970.
        told: the event in words.
        cause: the event that led to it; None if nothing did, or if the reader may not know what.
        rules: the rules behind it, each as number@version.
        is_request: whether it came from outside: a request, a ruling, a draw entered by hand.
        is_quiet: whether it is bookkeeping of the engine, or the rules do not mention it.
        timer: if it sets a timer, that the timer ran out, in words: what is said of it as a cause.
        written: what a ruling can put in its place, as people write it; "" if nothing.
    """

    number: int
    period: int
    at: int
    told: str
    cause: int | None
    rules: tuple[str, ...]
    is_request: bool
    is_quiet: bool
    timer: str = ""
    written: str = ""


class PastIndex(msgspec.Struct, frozen=True, dict=True):
    """The *events* that a reader may see: event number n is at place n."""

    events: tuple[PastEvent, ...]

    @cached_property
    def shown(self) -> list[int]:
        """The numbers of the events that are no bookkeeping, in order."""
        return [event.number for event in self.events if not event.is_quiet]

    @cached_property
    def periods(self) -> dict[int, list[int]]:
        """The numbers of the events of each period that are no bookkeeping, in order."""
        found: dict[int, list[int]] = {}
        for number in self.shown:
            found.setdefault(self.events[number].period, []).append(number)
        return found

    def place(self, number: int) -> int:
        """Return how many events of its period come before event *number*, bookkeeping apart."""
        period = self.periods.get(self.events[number].period, [])
        return max(bisect_right(period, number) - 1, 0)

    @cached_property
    def _by_cause(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for event in self.events:
            if event.cause is not None:
                found.setdefault(event.cause, []).append(event.number)
        return found

    def event(self, number: int) -> PastEvent | None:
        """Return event *number*, or None if the reader knows no such event."""
        return self.events[number] if 0 <= number < len(self.events) else None

    def causes(self, number: int) -> Iterator[PastEvent]:
        """Yield the events that led to event *number*, the nearest first."""
        cause = self.events[number].cause
        while cause is not None and 0 <= cause < number:
            yield self.events[cause]
            number, cause = cause, self.events[cause].cause

    def consequences(self, number: int) -> Iterator[PastEvent]:
        """Yield what came of event *number*; in place of bookkeeping, what came of that."""
        for following in self._by_cause.get(number, ()):
            event = self.events[following]
            if event.is_quiet and following > number:
                yield from self.consequences(following)
            else:
                yield event

    def before(self, number: int) -> int | None:
        """Return the last event before *number* that is no bookkeeping, or None."""
        place = bisect_left(self.shown, number)
        return self.shown[place - 1] if place else None

    def after(self, number: int) -> int | None:
        """Return the first event after *number* that is no bookkeeping, or None."""
        place = bisect_right(self.shown, number)
        return self.shown[place] if place < len(self.shown) else None


def past_index(game: Game, reader: str | None) -> PastIndex:
    """Return all events of *game* that *reader* (a player, "admin", or None for all) may see."""
    fold = SeenView(game, reader).seen.fold("past", _IndexFold)
    return PastIndex(tuple(fold.events))


class NewEvents(msgspec.Struct, frozen=True):
    """Events that follow one that is known.

    Attributes:
        events: the events, in order.
        upto: the number up to which they were looked for. last: that of the last event of all.
    """

    events: tuple[PastEvent, ...]
    upto: int
    last: int


def new_events(
    game: Game, reader: str | None, after: int, kinds: Collection[str], upto: int | None = None
) -> NewEvents:
    """Return the events of some *kinds* after number *after* that *reader* may see.

    They go up to number *upto*. Without it, there are at most `NEW_MAX`, which have at most
    `NEW_BYTES_MAX` bytes in JSON unless the first has more.
    """
    events = SeenView(game, reader).seen.fold("past", _IndexFold).events
    last, size, found = len(events) - 1, 0, list[PastEvent]()
    end = last if upto is None else min(upto, last)
    for number in range(after + 1, end + 1):
        event = events[number]
        if kind_of(event) in kinds:
            size += len(msgspec.json.encode(event))
            if upto is None and found and (len(found) == NEW_MAX or size > NEW_BYTES_MAX):
                return NewEvents(tuple(found), number - 1, last)
            found.append(event)
    return NewEvents(tuple(found), end, last)


def kind_of(event: PastEvent) -> str:
    """Return the kind of *event*, one of `KINDS`."""
    if event.is_quiet:
        return "bookkeeping"
    return "request" if event.is_request else "consequence"


class _IndexFold:
    """The events in words, as far as the game went on."""

    def __init__(self) -> None:
        self.events: list[PastEvent] = []
        self._world = World()
        self._teller: Teller | None = None

    def take(self, entry: e.Entry) -> None:
        """Tell the next event: the end of a thing before it is applied, all else after."""
        ends = isinstance(entry.body, e.EntityDestroyed)
        if not ends:
            apply_public(self._world, entry.body)
        self._teller = self._teller or Teller(self._world)
        self.events.append(_told(entry, self._teller))
        if ends:
            apply_public(self._world, entry.body)


def _told(entry: e.Entry, teller: Teller) -> PastEvent:
    body = entry.body
    if isinstance(body, UNTOLD):
        teller.follow(body)
        told, is_quiet = type(body).__name__, True
    else:
        is_quiet = isinstance(body, QUIET) or not teller.mentions(body)
        told = teller.tell(body)
    return PastEvent(
        number=entry.number,
        period=body.period,
        at=int(body.received_at.timestamp()),
        told=told,
        timer=_timer(body, teller),
        cause=body.cause,
        rules=body.rules,
        is_request=isinstance(body, e.Input),
        is_quiet=is_quiet,
        written=_written(body),
    )


def _timer(body: e.Event, teller: Teller) -> str:
    """Return the end of the timer that *body* sets in words; "" if it sets none."""
    if not isinstance(body, e.Scheduled) or body.due is None:
        return ""
    return f"the timer “{teller.scheduled(body.attempt)}” ran out, which was set here"


def _written(body: e.Event) -> str:
    """Return what `nomoledger ruling --replace` would take for *body*; "" if it takes nothing."""
    if isinstance(body, e.DrawEntered | e.DrawRecorded):
        return ",".join(map(str, body.values))
    if isinstance(body, e.ChoiceAnswered):
        return str(body.value)
    if isinstance(body, e.ProposalJudged):
        return body.verdict
    if isinstance(body, e.FactRecorded):
        return ",".join(f"{name}:{_plainly(value)}" for name, value in body.fields.items())
    if isinstance(body, e.SubmissionReceived):
        return ",".join(f"{name}:{_plainly(value)}" for name, value in body.arguments.items())
    return ""


def _plainly(value: object) -> str:
    return f"[{','.join(map(str, value))}]" if isinstance(value, list | tuple) else str(value)
