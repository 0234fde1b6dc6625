"""Traces of a second run of the rules, on public events only.

The public inputs are processed again, with every step traced, in a world of public events. If a
run produces exactly the recorded events, its trace depends on nothing secret. If it does not,
something secret was involved, and the run has no trace.

A run may begin at any input. It then starts from the public world before that input.
"""

import pickle
from collections import ChainMap
from collections.abc import Callable, Generator, Iterator, Mapping, MutableMapping, Sequence
from functools import partial
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.oracles import ReplayOracle, recorded_draws
from nomoledger.errors import RuleFault
from nomoledger.game.explanation.rendering import TrailTeller
from nomoledger.game.explanation.traced_run import TracedAttempt, TracedRun
from nomoledger.proof.public_stream import apply_public
from nomoledger.proof.translation import without_totals
from nomoledger.prose.names import Names
from nomoledger.sandbox import inside
from nomoledger.sandbox.limits import AGAIN, Limits
from nomoledger.sandbox.protocol import dump_call
from nomoledger.sandbox.question_sandbox import QuestionSandbox
from nomoledger.sandbox.sandbox import stream_from_sandbox
from nomoledger.state.world import World
from nomoledger.views.site.outline import Public

#: How many events the sandbox is given at a time.
EVENTS_AT_A_TIME = 500
#: Events with which a timer ends.
_ENDS_OF_TIMERS = (e.TimerFired, e.Unscheduled)


class TraceLine(msgspec.Struct, frozen=True, array_like=True):
    """A line of `nomoledger.game.explanation.rendering`, with its event as a number."""

    depth: int
    text: str
    cited: str
    rest: str
    event: int | None


class AttemptTrace(msgspec.Struct, frozen=True, array_like=True):
    """The trace of one attempt, which produced the events from *first* to *last*."""

    first: int
    last: int
    lines: tuple[TraceLine, ...]


class _SegmentTraces(msgspec.Struct, frozen=True, array_like=True):
    """The traces of one input and its consequences; *last* is the number of its last event."""

    last: int
    traces: list[AttemptTrace]


class GoneThings(msgspec.Struct, frozen=True):
    """What is remembered of things and timers that have ended, by id."""

    things: MutableMapping[str, Any]
    timers: MutableMapping[str, Any]


class PublicTraces:
    """The traces of the events of a public history, from one of its inputs on.

    The rules run as far as traces are asked for, and no further.

    Attributes:
        by_event: the traces so far, by the number of the event. Some events have no trace.
        is_broken: whether the run ended before the last event, because it took too much time or
            memory.
    """

    def __init__(
        self,
        public: Public,
        start: int = 0,
        world: World | None = None,
        names: Names | None = None,
        limits: Limits | None = None,
        sandbox: QuestionSandbox | None = None,
    ) -> None:
        """Run from the event at place *start* of *public*, which is an input or the first event.

        *world* is the public world before that event. *names* remembers the things and timers that
        had ended by then. The rules run in *sandbox*, or in one of their own with *limits*.
        """
        self.by_event: dict[int, AttemptTrace] = {}
        self.is_broken = False
        self._reached = -1
        self._segments = _segments(public, start)
        things, timers = ({}, {}) if names is None else names.ended()
        gone = GoneThings(dict(things), dict(timers))
        stream: Callable[..., Generator[bytes]] = partial(
            stream_from_sandbox, limits=limits or AGAIN
        )
        if sandbox is not None:
            stream = sandbox.stream
        self._pieces = stream(_encoded_traces, world or World(), gone, answer=self._more)
        self._pull()  # The arguments are sent with this: the world may change from now on.

    def upto(self, number: int) -> Mapping[int, AttemptTrace]:
        """Return the traces of all events so far, at least up to event *number*."""
        while self._reached < number and not self.is_broken:
            if not self._pull():
                break
        return self.by_event

    def all(self) -> Mapping[int, AttemptTrace]:
        """Return the traces of all events. The sandbox stays sound for the next run."""
        while not self.is_broken and self._pull():
            pass
        return self.by_event

    def forget_before(self, number: int) -> None:
        """Forget the traces of the events before event *number*."""
        self.by_event = {event: trace for event, trace in self.by_event.items() if event >= number}

    def close(self) -> None:
        """End the run."""
        self._pieces.close()

    def _pull(self) -> bool:
        """Take the next segment; return False if there is none."""
        try:
            piece = next(self._pieces, None)
        except RuleFault:  # A faulty rule must not prevent the publication of the site.
            self.is_broken = True
            return False
        if piece is None:
            return False
        segment = msgspec.msgpack.decode(piece, type=_SegmentTraces)
        self._reached = segment.last
        for trace in segment.traces:
            self.by_event |= dict.fromkeys(range(trace.first, trace.last + 1), trace)
        return True

    def _more(self, question: bytes) -> bytes:
        """Return the next segments for the sandbox; an empty list after the last."""
        segments: list[list[e.Entry]] = []
        count = 0
        while count < EVENTS_AT_A_TIME and (segment := next(self._segments, None)) is not None:
            segments.append(segment)
            count += len(segment)
        return dump_call(None, (segments,))[0]


def trace_public_run(public: Public, limits: Limits | None = None) -> Mapping[int, AttemptTrace]:
    """Return the traces of the events in *public*, by event number. Some events have no trace."""
    return PublicTraces(public, limits=limits).all()


def _segments(public: Public, start: int) -> Iterator[list[e.Entry]]:
    """Split the events before each input, and before each event that stands apart."""
    segment: list[e.Entry] = []
    for place in range(start, len(public)):
        entry, stands_apart = public[place]
        if segment and (stands_apart or isinstance(entry.body, e.Input)):
            yield segment
            segment = []
        segment.append(entry)
    if segment:
        yield segment


def _encoded_traces(world: World, gone: GoneThings) -> Iterator[bytes]:
    """Yield the traces of each segment, encoded. This runs in a sandbox."""
    run = _PublicRun(world, gone)
    while segments := _segments_from_parent():
        for segment in segments:
            traces = list(run.trace(segment))
            yield msgspec.msgpack.encode(_SegmentTraces(segment[-1].number, traces))


def _segments_from_parent() -> list[list[e.Entry]]:
    _, (segments,) = pickle.loads(inside.ask(b""))
    loaded: list[list[e.Entry]] = segments
    return loaded


class _PublicRun:
    """Processes the public inputs again, one after the other, in the public world."""

    def __init__(self, world: World, gone: GoneThings) -> None:
        self.world = world
        self.traced_run = TracedRun(world, (), None)
        self._past = Names(world)
        self._past.restore(gone.things, gone.timers)

    def trace(self, segment: Sequence[e.Entry]) -> Iterator[AttemptTrace]:
        """Yield the traces of *segment*, up to the first attempt that has another result."""
        world, first = self.world, segment[0].number
        bodies = [entry.body for entry in segment]
        mark = world.mark()
        world.head = first - 1
        if isinstance(bodies[0], e.Input):
            self.traced_run.engine.oracle = ReplayOracle(recorded_draws(segment))
            self.traced_run.names = self._names(bodies)
            yield from self._rerun(first, bodies)
        world.rollback(mark)
        for body in bodies:
            self._past.follow(body)
            apply_public(world, body)

    def _names(self, bodies: Sequence[e.Event]) -> TrailTeller:
        """Return the names of all things, including those that end with *bodies* or ended before.

        What a run learns is forgotten after it, so that the next does not depend on it.
        """
        names = TrailTeller(self.world)
        names.restore(*(ChainMap({}, table) for table in self._past.ended()))
        for body in bodies:
            if isinstance(body, e.EntityDestroyed):
                names.keep(body.entity)
            elif isinstance(body, _ENDS_OF_TIMERS):
                names.keep_timer(body.attempt)
        return names

    def _rerun(self, first: int, bodies: Sequence[e.Event]) -> Iterator[AttemptTrace]:
        count = 0
        try:
            for attempt in self.traced_run.run(bodies):
                end = count + len(attempt.batch)
                if not _agree(attempt.batch, bodies[count:end]):
                    return
                yield _attempt_trace(attempt, first + count)
                count = end
                if count >= len(bodies):
                    return
        except Exception:  # Rules may fail in any way in a world that lacks the secret events.
            return


def _agree(produced: Sequence[e.Event], recorded: Sequence[e.Event]) -> bool:
    """Return whether the events are the same, except for what depends on secrets.

    A public run can produce neither the digest of a close nor its seed.
    """
    return len(produced) == len(recorded) and all(
        without_totals(new) == without_totals(old)
        or (isinstance(new, e.PeriodClosed) and isinstance(old, e.PeriodClosed))
        for new, old in zip(produced, recorded, strict=True)
    )


def _attempt_trace(attempt: TracedAttempt, first: int) -> AttemptTrace:
    numbers = {id(event): first + place for place, event in enumerate(attempt.batch)}
    lines = tuple(
        TraceLine(line.depth, line.text, line.cited, line.rest, numbers.get(id(line.event)))
        for line in attempt.lines()
    )
    return AttemptTrace(first, first + len(attempt.batch) - 1, lines)
