"""One search for the event after which a statement became true, in a worker without a database.

It holds one stretch of events at a time: from a close to the next. A close that is far from the one
before is looked at in its snapshot, and only the stretch that leads to it is folded in which the
statement came to hold.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from datetime import datetime
from typing import TypeVar

import msgspec

from nomoledger import events as e
from nomoledger.engine.statements import Statement
from nomoledger.errors import CorruptError
from nomoledger.events.codec import decode
from nomoledger.events.rules import Rule
from nomoledger.state.bitemporal import copy_for
from nomoledger.state.reducer import apply
from nomoledger.state.snapshot_codec import SnapshotReader
from nomoledger.state.world import World

#: After these nothing is half done: the last events of an attempt, and the call for a close.
_ENDS = e.AttemptDone | e.AttemptRefused | e.QuestionRaised | e.CloseAsked | e.PeriodClosed
_CHANGES_RULES = e.RuleEnacted | e.RuleAmended | e.RuleRepealed | e.RuleRenumbered
Value = TypeVar("Value")
#: What asks for something, and comes to a value once it has been given it.
Asking = Generator[bytes, bytes, Value]
#: From an event, the close of a period (the last one) if its snapshot is worth being read.
Worthwhile = Callable[[int, int | None], int | None]


class Wanted(msgspec.Struct, frozen=True, array_like=True):
    """What a search asks for.

    Attributes:
        what: the "snapshot" after event *number*, "event" *number*, or the "stretch" of events
            after number *after*, up to the next close.
    """

    what: str
    number: int = -1
    after: int = -1


class TurningPoint(msgspec.Struct, frozen=True):
    """Where *statement* became true.

    Attributes:
        event, period, at: the event after which it holds; None where it never came to hold.
        told, rules: that event in words, and the rules behind it.
        because, because_told: the input that led to it.
        from_start: whether it held as soon as the game was open. holds_now: whether it still does.
        looks, events: how often it was held against a world, and how many events there are.
    """

    game: str
    statement: str
    event: int | None
    period: int | None = None
    at: datetime | None = None
    told: str = ""
    rules: tuple[str, ...] = ()
    because: int | None = None
    because_told: str = ""
    from_start: bool = False
    holds_now: bool = False
    looks: int = 0
    events: int = 0


def names_in(rule: Rule) -> Iterator[str]:
    """What *rule* declares: commodities, attributes and values."""
    from nomoledger.language.code import parse_code

    yield from rule.commodities
    for attributes in rule.declares.values():
        yield from attributes
    yield from (hook.operation for hook in parse_code(rule).hooks if hook.kind == "value")


class Search:
    """One *statement*, and a world that goes to and fro over a stretch of events.

    *found* is what is to be told where nothing is found; *worthwhile* says which closes are looked
    at in their snapshots.
    """

    def __init__(self, found: TurningPoint, statement: Statement, worthwhile: Worthwhile) -> None:
        self.found = found
        self.statement = statement
        self.world = World()
        self.looks = 0
        self._worthwhile = worthwhile
        self._thawing = SnapshotReader()
        self._first = 0
        self._bodies: list[e.Event] = []
        self._asks: tuple[tuple[Rule, ...], bool] = ((), False)

    def run(self, last: int, every: bool) -> Asking[bytes]:
        """Look, up to event *last*; gives what was found, as bytes."""
        yield from self._look_for_it(last, every)
        holds_now = False
        if self.found.event is not None:
            yield from self._go_to_the_end(last)
            holds_now = self._holds(self.world)
        found = msgspec.structs.replace(self.found, holds_now=holds_now, looks=self.looks)
        return msgspec.msgpack.encode(found)

    def _look_for_it(self, last: int, every: bool) -> Asking[None]:
        """Look at the start, and then at each close (or after *every* attempt) until it holds."""
        ends = yield from self._ends_ahead(last)
        stop = self._first_stop(ends[:1], every)
        if stop is not None:
            self.world = World()
            yield from self._tell(stop, from_start=True)
            return
        yield from self._look_among(ends[1:], every)
        while self.found.event is None and self.world.head < last:
            at_close = None if every else (yield from self._close_ahead())
            if at_close is None:
                yield from self._look_among((yield from self._ends_ahead(last)), every)
            elif self._holds(at_close):
                yield from self._find((yield from self._ends_ahead(last)))
            else:
                self.world = at_close

    def _look_among(self, ends: list[int], every: bool) -> Asking[None]:
        opening = self.world
        self.world = copy_for(opening, self._bodies)
        stop = self._first_stop(ends, every)
        if stop is not None:
            self.world = opening
            yield from self._find(ends[: ends.index(stop) + 1])

    def _find(self, ends: list[int]) -> Asking[None]:
        """Take down the event in the attempts ending at *ends*; it holds after the last of them."""
        self.world = copy_for(self.world, self._bodies)
        yield from self._tell(self._within(self._narrowed(ends)))

    def _first_stop(self, ends: list[int], every: bool) -> int | None:
        """The first of *ends* at which it holds; only the last is looked at, unless *every* is."""
        for stop in ends if every else ends[-1:]:
            self._go_to(stop)
            if self._holds(self.world):
                return stop
        return None

    def _go_to(self, stop: int) -> None:
        for at in range(self.world.head + 1, stop + 1):
            apply(self.world, self._body(at))

    def _holds(self, world: World, rules: tuple[Rule, ...] | None = None) -> bool:
        """Whether it holds in *world*, under *rules* (those in force there)."""
        from nomoledger.language.program import link

        self.looks += 1
        rules = world.rules if rules is None else rules
        if self._asks[0] is not rules:
            self._asks = rules, self.statement.asks(rules)
        return self.statement.holds(world, link(rules) if self._asks[1] else None)

    def _narrowed(self, ends: list[int]) -> int:
        """The first of the attempts ending at *ends* after which it holds: its end."""
        low, high = -1, len(ends) - 1
        while high - low > 1:
            middle, mark = (low + high) // 2, self.world.mark()
            self._go_to(ends[middle])
            if self._holds(self.world):
                high = middle
                self.world.rollback(mark)
            else:
                low = middle
                self.world.release(mark)
        return ends[high]

    def _within(self, end: int) -> int:
        """The event of the attempt up to *end* from which on it holds.

        A change of rules is in force from the end of the attempt that makes it: where nothing else
        in the attempt made the statement true, that did.
        """
        mark, rules = self.world.mark(), self.world.rules
        first, changed = None, end
        for at in range(self.world.head + 1, end + 1):
            apply(self.world, self._body(at))
            if isinstance(self._body(at), _CHANGES_RULES) and not self._speaks_of_it(changed):
                changed = at
            if not self._holds(self.world, rules):
                first = None
            elif first is None:
                first = at
        self.world.rollback(mark)
        return changed if first is None else first

    def _speaks_of_it(self, at: int) -> bool:
        """Whether event *at* brings in a rule that has to do with what is asked for."""
        rule = getattr(self._body(at), "rule", None)
        return isinstance(rule, Rule) and not self.statement.names().isdisjoint(names_in(rule))

    def _tell(self, at: int, from_start: bool = False) -> Asking[None]:
        """Take down that it holds since event *at*."""
        from nomoledger.game.explanation.rendering import Names

        body, root, cause = self._body(at), at, self._body(at)
        while cause.cause is not None:
            root = cause.cause
            cause = yield from self._event(root)
        self._go_to(at - 1)
        names = Names(self.world)
        apply(self.world, body)
        names.learn([body])
        self.found = msgspec.structs.replace(
            self.found,
            event=at,
            period=body.period,
            at=body.received_at,
            told=names.said(body),
            rules=body.rules,
            because=None if root == at else root,
            because_told="" if root == at else names.said(cause),
            from_start=from_start,
        )

    # --- what it asks for

    def _ends_ahead(self, last: int) -> Asking[list[int]]:
        """Where attempts end from here to the next close (or to event *last*), the events there."""
        self._first = self.world.head + 1
        self._bodies = yield from self._events(Wanted("stretch", after=self.world.head))
        numbers = range(self._first, self._first + len(self._bodies))
        return [at for at in numbers if isinstance(self._body(at), _ENDS) or at == last]

    def _close_ahead(self) -> Asking[World | None]:
        """The world at the next close, if that is worth looking at in its snapshot."""
        number = self._worthwhile(self.world.head, self.world.period)
        return None if number is None else (yield from self._snapshot(number))

    def _go_to_the_end(self, last: int) -> Asking[None]:
        """Go on to event *last*, from the last close if that is worth it."""
        number = self._worthwhile(self.world.head, None)
        world = None if number is None else (yield from self._snapshot(number))
        self.world = self.world if world is None else world
        while self.world.head < last:
            ends = yield from self._ends_ahead(last)
            self.world = copy_for(self.world, self._bodies)
            self._go_to(ends[-1])

    def _snapshot(self, number: int) -> Asking[World | None]:
        """The world after event *number*; None where its snapshot cannot be read."""
        data = yield msgspec.msgpack.encode(Wanted("snapshot", number))
        with suppress(CorruptError):
            given = msgspec.msgpack.decode(data, type=tuple[bytes, dict[bytes, bytes]] | None)
            world = None if given is None else self._thawing.world(*given)
            if world is not None and world.head == number:
                return world
        return None

    def _events(self, wanted: Wanted) -> Asking[list[e.Event]]:
        given = yield msgspec.msgpack.encode(wanted)
        records = msgspec.msgpack.decode(given, type=list[tuple[str, bytes]])
        return [decode(*each) for each in records]

    def _event(self, number: int) -> Asking[e.Event]:
        if number >= self._first:
            return self._body(number)
        (body,) = yield from self._events(Wanted("event", number))
        return body

    def _body(self, at: int) -> e.Event:
        """Event *at*, of the stretch that is held."""
        return self._bodies[at - self._first]
