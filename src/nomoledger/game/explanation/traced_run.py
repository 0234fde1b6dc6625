"""Runs inputs again with every step noted, and tells the workings of what they led to."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch
from nomoledger.engine.oracles import recorded_draws, replay_oracle
from nomoledger.engine.replaying import replay_input
from nomoledger.game.engines import new_engine
from nomoledger.game.explanation.rendering import ExplanationLine, ExplanationWriter, Names
from nomoledger.language.tracing import Node, TracedProgram, Tracer
from nomoledger.state.world import World


class TracedAttempt(msgspec.Struct, frozen=True):
    """A *batch* that was made again, with the trees of how it was made and the names in it."""

    batch: Batch
    trees: list[tuple[TracedProgram, Node]]
    names: Names

    def lines(self, wanted: Sequence[e.Event] = ()) -> Iterator[ExplanationLine]:
        """How the events that are *wanted* (all of the batch) came about."""
        wanted = wanted or self.batch
        for program, tree in self.trees:
            teller = ExplanationWriter(program, self.names, wanted)
            if teller.leads(tree):
                yield from teller.told(tree)

    def way_to(self, event: e.Event) -> Iterator[ExplanationLine]:
        """How *event* came about, and no further."""
        for line in self.lines((event,)):
            if line.event is event:
                yield line._replace(rest=f"{line.rest}  <- this")
                return
            yield line


class TracedRun:
    """Takes inputs of a game again, from *world* on, with the draws as *entries* have them.

    *tape* is all that is recorded, for rulings that reach back.
    """

    def __init__(
        self,
        world: World,
        entries: Iterable[e.Entry],
        secret: bytes | None,
        tape: Sequence[e.Entry] = (),
    ) -> None:
        self._tracer = Tracer()
        oracle, link = replay_oracle(recorded_draws(entries)), self._tracer.link
        self.engine = new_engine(world, oracle, secret, tape=tape, link=link)
        self.names = Names(world)

    def take(self, bodies: Sequence[e.Event], place: int = 0) -> Iterator[TracedAttempt]:
        """What follows, again, from the input at *place* among *bodies*, batch by batch."""
        self._tracer.gathered()
        for batch in replay_input(self.engine, bodies, place):
            self.names.learn(batch)
            yield TracedAttempt(batch, self._tracer.gathered(), self.names)
