"""Traced runs: inputs run again with every step traced."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch
from nomoledger.engine.oracles import ReplayOracle, recorded_draws
from nomoledger.engine.replaying import replay_input
from nomoledger.game.engines import new_engine
from nomoledger.game.explanation.rendering import ExplanationLine, ExplanationWriter, TrailTeller
from nomoledger.language.tracing import TracedProgram, TraceNode, Tracer
from nomoledger.state.world import World


class TracedAttempt(msgspec.Struct, frozen=True):
    """An attempt that was run again.

    Attributes:
        batch: the events that the attempt made.
        trees: traces of how it made them, each with its program.
        names: names of the entities in it.
    """

    batch: Batch
    trees: list[tuple[TracedProgram, TraceNode]]
    names: TrailTeller

    def lines(self, wanted: Sequence[e.Event] = ()) -> Iterator[ExplanationLine]:
        """Yield how the events *wanted* (by default all of the batch) came about."""
        wanted = wanted or self.batch
        for program, tree in self.trees:
            writer = ExplanationWriter(program, self.names, wanted)
            if writer.leads_to_wanted(tree):
                yield from writer.trail(tree)

    def lines_to(self, event: e.Event) -> Iterator[ExplanationLine]:
        """Yield how *event* came about, and stop there."""
        for line in self.lines((event,)):
            if line.event is event:
                yield line._replace(rest=f"{line.rest}  <- this")
                return
            yield line


class TracedRun:
    """Runs inputs of a game again on *world*, with the draws recorded in *entries*.

    *recorded* holds all recorded events, for rulings that reach back.
    """

    def __init__(
        self,
        world: World,
        entries: Iterable[e.Entry],
        secret: bytes | None,
        recorded: Sequence[e.Entry] = (),
    ) -> None:
        """Prepare a run on *world*."""
        self._tracer = Tracer()
        oracle, link = ReplayOracle(recorded_draws(entries)), self._tracer.link
        self.engine = new_engine(world, oracle, secret, recorded=recorded, link=link)
        self.names = TrailTeller(world)
        self._changed: set[str] | None = None  # things since the last input; None is all of them

    def take(self, bodies: Sequence[e.Event], place: int = 0) -> Iterator[TracedAttempt]:
        """Run the input at *place* among *bodies* again, and yield its attempts.

        All things and timers keep their names, whatever becomes of them.
        """
        changed, self._changed = self._changed, None
        if changed is None:
            self.names.keep_all()
        for thing in changed or ():
            self.names.keep(thing)
        batches = []
        for attempt in self.run(bodies, place):
            batches.append(attempt.batch)
            yield attempt
        self._changed = changed_things(event for batch in batches for event in batch)

    def run(self, bodies: Sequence[e.Event], place: int = 0) -> Iterator[TracedAttempt]:
        """Run the input at *place* among *bodies* again, with the names that *names* knows."""
        self._tracer.gathered()
        for batch in replay_input(self.engine, bodies, place):
            self.names.learn(batch)
            yield TracedAttempt(batch, self._tracer.gathered(), self.names)


def changed_things(events: Iterable[e.Event]) -> set[str] | None:
    """Return the things that *events* create or change; None if these may be any things."""
    changed: set[str] = set()
    for event in events:
        if isinstance(event, e.EntityCreated | e.AttributeSet):
            changed.add(event.entity)
        elif isinstance(event, e.Moved):
            changed.add(event.piece)
        elif isinstance(event, e.RuleRepealed | e.Settled):
            return None
    return changed
