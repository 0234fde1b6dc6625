"""Traces of a second run of the rules, on public events only.

The public inputs are processed again, with every step traced, in a world of public events. If a
run produces exactly the recorded events, its trace depends on nothing secret. If it does not,
something secret was involved, and the run has no trace.
"""

from collections.abc import Iterator, Sequence

import msgspec

from nomoledger import events as e
from nomoledger.errors import RuleFault
from nomoledger.game.explanation.traced_run import TracedAttempt, TracedRun
from nomoledger.proof.translation import without_totals
from nomoledger.sandbox.limits import AGAIN, Limits
from nomoledger.sandbox.sandbox import stream_from_sandbox
from nomoledger.views.site.public_view import PublicWorld

Public = Sequence[tuple[e.Entry, bool]]


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


def trace_public_run(public: Public, limits: Limits | None = None) -> dict[int, AttemptTrace]:
    """Return the traces of the events in *public*, by event number. Some events have no trace."""
    traces: dict[int, AttemptTrace] = {}
    try:
        for batch in stream_from_sandbox(_encoded_traces, list(public), limits=limits or AGAIN):
            for trace in msgspec.msgpack.decode(batch, type=list[AttemptTrace]):
                traces |= dict.fromkeys(range(trace.first, trace.last + 1), trace)
    except RuleFault:  # A faulty rule must not prevent the publication of the site.
        pass
    return traces


def _encoded_traces(public: Public) -> Iterator[bytes]:
    run = _PublicRun([entry for entry, _ in public])
    for segment in _segments(public):
        yield msgspec.msgpack.encode(list(run.trace(segment)))


def _segments(public: Public) -> Iterator[list[e.Entry]]:
    """Split the events before each input, and before each event that stands apart."""
    segment: list[e.Entry] = []
    for entry, stands_apart in public:
        if segment and (stands_apart or isinstance(entry.body, e.Input)):
            yield segment
            segment = []
        segment.append(entry)
    if segment:
        yield segment


class _PublicRun:
    """Processes the public inputs again, one after the other, in the public world."""

    def __init__(self, entries: Sequence[e.Entry]) -> None:
        self.public = PublicWorld()
        self.traced_run = TracedRun(self.public.world, entries, None)

    def trace(self, segment: Sequence[e.Entry]) -> Iterator[AttemptTrace]:
        """Yield the traces of *segment*, up to the first attempt that has another result."""
        world, first = self.public.world, segment[0].number
        bodies = [entry.body for entry in segment]
        mark = world.mark()
        world.head = first - 1
        if isinstance(bodies[0], e.Input):
            yield from self._rerun(first, bodies)
        world.rollback(mark)
        for entry in segment:
            self.public.refer(entry)
            self.public.apply(entry)

    def _rerun(self, first: int, bodies: Sequence[e.Event]) -> Iterator[AttemptTrace]:
        count = 0
        try:
            for attempt in self.traced_run.take(bodies):
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
