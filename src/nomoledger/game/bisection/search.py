"""The search of a bisection, which runs in a sandbox and asks its parent for data.

It holds the events of one period at a time, from one close to the next. A close that is far from
the one before is checked in its snapshot. Only the period in which the statement became true is
then folded.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

import msgspec

from nomoledger import events as e
from nomoledger.engine.batches import decode_batch
from nomoledger.engine.statements import Statement
from nomoledger.engine.undone import kept_places
from nomoledger.errors import CorruptError
from nomoledger.events.rules import Rule
from nomoledger.game.explanation.rendering import TrailTeller
from nomoledger.language.code import parse_code
from nomoledger.language.program import link
from nomoledger.ledger.snapshots import worthwhile
from nomoledger.sandbox import inside
from nomoledger.state.bitemporal import copy_for
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.reducer import apply
from nomoledger.state.snapshot_codec import SnapshotReader
from nomoledger.state.world import World

#: The last events of attempts, and the request for a close. After these, no attempt is under way.
_ENDS = e.AttemptDone | e.AttemptRefused | e.QuestionRaised | e.CloseAsked | e.PeriodClosed


class DataRequest(msgspec.Struct, frozen=True, array_like=True):
    """A request of the search for data.

    Attributes:
        what: "snapshot" (the one after event *number*), "event" (event *number*) or "period" (the
            events after event *after*, up to the next close).
        number: number of an event.
        after: number of an event.
    """

    what: str
    number: int = -1
    after: int = -1


class TurningPoint(msgspec.Struct, frozen=True):
    """Where a statement became true.

    Attributes:
        game: name of the game.
        statement: the statement.
        event: the event after which it is true; None if it never became true.
        period: the period of that event.
        at: when that event was received.
        told: that event in words.
        rules: the rules behind it.
        because: number of the input that led to it.
        because_told: that input in words.
        from_start: whether it was true as soon as the game was open.
        holds_now: whether it is still true.
        looks: how often it was checked.
        events: number of events in the game.
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
    """Yield the names that *rule* declares: commodities, attributes and values."""
    yield from rule.commodities
    for attributes in rule.declares.values():
        yield from attributes
    yield from (hook.operation for hook in parse_code(rule).hooks if hook.kind == "value")


class Search:
    """One search, on a world that moves within the events of one period.

    Attributes:
        found: the result so far.
        statement: the statement to check.
        world: the current state.
        looks: how often the statement was checked.
    """

    def __init__(self, found: TurningPoint, snapshots: dict[int, int]) -> None:
        """Prepare a search; *snapshots* are the closing events that have one, by period."""
        self.found = found
        self.statement = Statement(found.statement)
        self.world = World()
        self.looks = 0
        self._snapshots = snapshots
        self._reader = SnapshotReader()
        self._first = 0
        self._bodies: list[e.Event] = []
        self._needs_rules: tuple[tuple[Rule, ...], bool] = ((), False)

    def run(self, last: int, every: bool) -> bytes:
        """Search up to event *last*, and return the encoded `TurningPoint`."""
        self._search(last, every)
        holds_now = False
        if self.found.event is not None:
            self._go_to_the_end(last)
            holds_now = self._holds(self.world)
        result = msgspec.structs.replace(self.found, holds_now=holds_now, looks=self.looks)
        return msgspec.msgpack.encode(result)

    def _search(self, last: int, every: bool) -> None:
        """Check the start, then each close (or after *every* attempt), until a check succeeds."""
        ends = self._load_period(last)
        stop = self._first_stop(ends[:1], every)
        if stop is not None:
            self.world = World()
            self._record(stop, from_start=True)
            return
        self._check_period(ends[1:], every)
        while self.found.event is None and self.world.head < last:
            at_close = None if every else self._world_at_close()
            if at_close is None:
                self._check_period(self._load_period(last), every)
            elif self._holds(at_close):
                self._find(self._load_period(last))
            else:
                self.world = at_close

    def _check_period(self, ends: list[int], every: bool) -> None:
        """Check the loaded period, and find the event if the statement becomes true in it."""
        start = self.world
        self.world = copy_for(start, self._bodies)
        stop = self._first_stop(ends, every)
        if stop is not None:
            self.world = start
            self._find(ends[: ends.index(stop) + 1])

    def _find(self, ends: list[int]) -> None:
        """Find the event among the attempts ending at *ends*, and record it.

        The statement is true after the last of these attempts.
        """
        self.world = copy_for(self.world, self._bodies)
        self._record(self._event_within(self._bisect(ends)))

    def _first_stop(self, ends: list[int], every: bool) -> int | None:
        """Return the first of *ends* after which the statement is true.

        Without *every*, only the last of *ends* is checked.
        """
        for stop in ends if every else ends[-1:]:
            self._go_to(stop)
            if self._holds(self.world):
                return stop
        return None

    def _go_to(self, stop: int) -> None:
        for at in range(self.world.head + 1, stop + 1):
            apply(self.world, self._body(at))

    def _holds(self, world: World, ruleset: Ruleset | None = None) -> bool:
        """Return whether the statement is true in *world*, under *ruleset* (by default its own)."""
        self.looks += 1
        ruleset = world.ruleset if ruleset is None else ruleset
        if self._needs_rules[0] is not ruleset.rules:
            self._needs_rules = ruleset.rules, self.statement.asks(ruleset.rules)
        return self.statement.holds(world, link(ruleset) if self._needs_rules[1] else None)

    def _bisect(self, ends: list[int]) -> int:
        """Return the end of the first attempt after which the statement is true."""
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

    def _event_within(self, end: int) -> int:
        """Return the event of the attempt ending at *end* since which the statement is true.

        A change of rules applies from the end of its attempt on. The change is the result if no
        other event of the attempt made the statement true.
        """
        mark, ruleset = self.world.mark(), self.world.ruleset
        first, changed = None, end
        for at in range(self.world.head + 1, end + 1):
            apply(self.world, self._body(at))
            if isinstance(self._body(at), e.RuleEvent) and not self._declares_a_name(changed):
                changed = at
            if not self._holds(self.world, ruleset):
                first = None
            elif first is None:
                first = at
        self.world.rollback(mark)
        return changed if first is None else first

    def _declares_a_name(self, at: int) -> bool:
        """Return whether event *at* changes a rule that declares a name of the statement."""
        rule = getattr(self._body(at), "rule", None)
        return isinstance(rule, Rule) and not self.statement.names().isdisjoint(names_in(rule))

    def _record(self, at: int, from_start: bool = False) -> None:
        """Record that the statement is true since event *at*."""
        body, root, cause = self._body(at), at, self._body(at)
        while cause.cause is not None:
            root = cause.cause
            cause = self._event(root)
        self._go_to(at - 1)
        names = TrailTeller(self.world)
        if isinstance(body, e.EntityDestroyed):
            names.keep(body.entity)
        apply(self.world, body)
        names.learn([body])
        self.found = msgspec.structs.replace(
            self.found,
            event=at,
            period=body.period,
            at=body.received_at,
            told=names.tell(body),
            rules=body.rules,
            because=None if root == at else root,
            because_told="" if root == at else names.tell(cause),
            from_start=from_start,
        )

    # --- requests for data

    def _load_period(self, last: int) -> list[int]:
        """Load the events up to the next close (or *last*), and return the ends of attempts.

        What was undone has no ends.
        """
        self._first = self.world.head + 1
        self._bodies = self._events(DataRequest("period", after=self.world.head))
        numbers = [self._first + place for place in kept_places(self._bodies)]
        ends = [at for at in numbers if isinstance(self._body(at), _ENDS)]
        is_last = self._first + len(self._bodies) - 1 == last
        return [*ends, last] if is_last and ends[-1:] != [last] else ends

    def _world_at_close(self) -> World | None:
        """Return the state at the next close, if reading its snapshot pays."""
        number = worthwhile(self._snapshots, self.world.head, self.world.period)
        return None if number is None else self._snapshot(number)

    def _go_to_the_end(self, last: int) -> None:
        """Move to event *last*, from the snapshot of the last close if that pays."""
        number = worthwhile(self._snapshots, self.world.head, None)
        world = None if number is None else self._snapshot(number)
        self.world = self.world if world is None else world
        while self.world.head < last:
            ends = self._load_period(last)
            self.world = copy_for(self.world, self._bodies)
            self._go_to(ends[-1])

    def _snapshot(self, number: int) -> World | None:
        """Return the state after event *number*; None if its snapshot cannot be read."""
        data = inside.ask(msgspec.msgpack.encode(DataRequest("snapshot", number)))
        with suppress(CorruptError):
            snapshot = msgspec.msgpack.decode(data, type=tuple[bytes, dict[bytes, bytes]] | None)
            world = None if snapshot is None else self._reader.world(*snapshot)
            if world is not None and world.head == number:
                return world
        return None

    def _events(self, request: DataRequest) -> list[e.Event]:
        return decode_batch(inside.ask(msgspec.msgpack.encode(request)))

    def _event(self, number: int) -> e.Event:
        if number >= self._first:
            return self._body(number)
        (body,) = self._events(DataRequest("event", number))
        return body

    def _body(self, at: int) -> e.Event:
        """Return event *at* of the loaded period."""
        return self._bodies[at - self._first]
