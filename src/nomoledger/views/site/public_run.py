"""How everything public came about: the rules run once more, on what everybody may know alone.

The inputs that everybody may see are taken again, with every step noted, in a world made of public
events only. Where that gives just what is recorded, the steps rest on nothing secret. Where it does
not, something that is not public had a part in it, and there is nothing to tell.
"""

from collections.abc import Iterator, Sequence

import msgspec

from nomoledger import events as e
from nomoledger.errors import RuleFault
from nomoledger.game.explanation.traced_run import TracedAttempt, TracedRun
from nomoledger.sandbox.child import Limits
from nomoledger.sandbox.worker import stream_from_worker
from nomoledger.views.site.public_view import PublicWorld

Public = Sequence[tuple[e.Entry, bool]]


class Trace(msgspec.Struct, frozen=True, array_like=True):
    """A line on how something came about, as in `nomoledger.game.explanation.rendering`, by numbers."""

    depth: int
    text: str
    cited: str
    rest: str
    event: int | None


class Attempted(msgspec.Struct, frozen=True, array_like=True):
    """What followed in one go, the events from *first* to *last*, and how they came about."""

    first: int
    last: int
    traces: tuple[Trace, ...]


def trace_public_run(public: Public, limits: Limits | None = None) -> dict[int, Attempted]:
    """How the events among *public* came about, by number, for those where it can be told."""
    found: dict[int, Attempted] = {}
    try:
        for piece in stream_from_worker(lambda: _pieces(public), limits):
            for each in msgspec.msgpack.decode(piece, type=list[Attempted]):
                found |= dict.fromkeys(range(each.first, each.last + 1), each)
    except RuleFault:  # a rule that blocks the game does not keep its site from being published
        pass
    return found


def _pieces(public: Public) -> Iterator[bytes]:
    rerun = _PublicRun([entry for entry, _ in public])
    for segment in _segments(public):
        yield msgspec.msgpack.encode(list(rerun.take(segment)))


def _segments(public: Public) -> Iterator[list[e.Entry]]:
    """The events cut where an input comes, and where one stands apart."""
    segment: list[e.Entry] = []
    for entry, stands_apart in public:
        if segment and (stands_apart or isinstance(entry.body, e.Input)):
            yield segment
            segment = []
        segment.append(entry)
    if segment:
        yield segment


class _PublicRun:
    """Runs public inputs again, one after the other, in the public world."""

    def __init__(self, entries: Sequence[e.Entry]) -> None:
        self.public = PublicWorld()
        self.workings = TracedRun(self.public.world, entries, None)

    def take(self, segment: Sequence[e.Entry]) -> Iterator[Attempted]:
        """How the events of *segment* came about, as far as they come about again."""
        world, first = self.public.world, segment[0].number
        bodies = [entry.body for entry in segment]
        mark = world.mark()
        world.head = first - 1
        if isinstance(bodies[0], e.Input):
            yield from self._again(first, bodies)
        world.rollback(mark)
        for entry in segment:
            self.public.refer(entry)
            self.public.take(entry)

    def _again(self, first: int, bodies: Sequence[e.Event]) -> Iterator[Attempted]:
        made = 0
        try:
            for working in self.workings.take(bodies):
                end = made + len(working.batch)
                if not _agree(working.batch, bodies[made:end]):
                    return
                yield _attempted(working, first + made)
                made = end
                if made >= len(bodies):
                    return
        except Exception:  # a world with gaps in it can lead anywhere
            return


def _agree(made: Sequence[e.Event], was: Sequence[e.Event]) -> bool:
    """Whether they are the same; what the close says of the whole state, nobody can know."""
    return len(made) == len(was) and all(
        one == other or (isinstance(one, e.PeriodClosed) and isinstance(other, e.PeriodClosed))
        for one, other in zip(made, was, strict=True)
    )


def _attempted(working: TracedAttempt, first: int) -> Attempted:
    numbers = {id(event): first + place for place, event in enumerate(working.batch)}
    traces = tuple(
        Trace(line.depth, line.text, line.cited, line.rest, numbers.get(id(line.event)))
        for line in working.lines()
    )
    return Attempted(first, first + len(working.batch) - 1, traces)
