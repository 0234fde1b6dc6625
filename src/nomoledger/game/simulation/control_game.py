"""The control game: played by bots under unchanged rules, beside games whose rules change."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch
from nomoledger.engine.batches import encode_batch
from nomoledger.engine.oracles import SeededOracle
from nomoledger.engine.replaying import replay_opening
from nomoledger.events.levels import NEWEST
from nomoledger.events.rules import Rule
from nomoledger.game.engines import new_engine
from nomoledger.game.simulation.bots import Bots
from nomoledger.game.simulation.moments import TrialMoment, telling, under_way
from nomoledger.game.simulation.season import FIRST_DAY, Plan, SeasonRun
from nomoledger.language.host import ask_people
from nomoledger.language.program import Program
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

PERIODS, REQUESTS, PROPOSALS, ORDERS = 7, 8, 0.5, 0.08
GIFTS = 2
#: A moment lies in one of these periods, so that at least two whole periods follow.
PERIODS_OF_MOMENTS = range(2, PERIODS - 1)
#: How many whole periods are played after the one of the moment.
PERIODS_AFTER = 2
#: How many moments are chosen.
MOMENTS_MAX = 4
#: How many inputs of a period come before its moments.
INPUTS_BEFORE = 3
SECRET = b"the dice of a simulated game"


class Probe(msgspec.Struct, frozen=True):
    """A request that is accepted at some place of the control game, but not made.

    Attributes:
        by: who would make it.
        action: the action.
        arguments: its named arguments.
    """

    by: str
    action: str
    arguments: dict[str, Any]


class ControlGame(msgspec.Struct, frozen=True):
    """A game as it was played.

    Attributes:
        batches: the batches of the game, encoded.
        moments: the moments in which rules are to be changed.
        probes: requests that are accepted after so many batches.
        faults: errors of rule code on trials.
    """

    batches: list[bytes]
    moments: list[TrialMoment]
    probes: dict[int, list[Probe]]
    faults: list[str]


def play_control_game(
    rules: Sequence[Rule], name: str, examples: Any, seed: int, players: int
) -> ControlGame | None:
    """Play a game under *rules*, and choose the moments in which most is under way.

    Return None if the game ends too early.

    Raises:
        RuleFault: rule code failed.
    """
    season = _ControlSeason(rules, name, examples, seed, players)
    return season.result() if season.play() else None


class _ControlSeason:
    """One season that may become the control game.

    Attributes:
        batches: the batches so far.
        moments: those in the middle of a period, with no request under way but what waits.
        quiet: the places without any request under way, by period.
    """

    def __init__(
        self, rules: Sequence[Rule], name: str, examples: Any, seed: int, players: int
    ) -> None:
        self.batches: list[Batch] = []
        self.moments: list[TrialMoment] = []
        self.quiet: dict[int, list[int]] = {}
        self._seed, self._examples = seed, examples
        world = World()
        self._opened = list(_open(world, rules, name))
        plan = Plan(
            players=players,
            periods=PERIODS,
            requests=REQUESTS,
            proposals=PROPOSALS,
            orders=ORDERS,
            guests=True,
            gifts=GIFTS,
            seed=seed,
        )
        self.run = SeasonRun(world, SECRET, plan, examples, Program)

    def play(self) -> bool:
        """Play, and return whether the season reached its last period."""
        self.batches += self._opened
        world, inputs, opening = self.run.world, 0, under_way(self.run.world)
        for batch in self.run.play():
            inputs += isinstance(batch[0], e.Input)
            self.batches.append(batch)
            if isinstance(batch[-1], e.PeriodClosed):
                inputs = 0
            elif inputs >= INPUTS_BEFORE and (world.waiting is not None or not world.agenda):
                if world.period in PERIODS_OF_MOMENTS:
                    operations = self.run.engine.link(world.ruleset).links.operations
                    things = under_way(world, operations) - opening
                    self.moments.append(TrialMoment(len(self.batches), things))
                if not world.agenda:
                    self.quiet.setdefault(world.period, []).append(len(self.batches))
        return world.period > PERIODS and self.moments != []

    def result(self) -> ControlGame:
        """Return the game, with the moments chosen."""
        moments = telling(self.moments, MOMENTS_MAX)
        places = {places[len(places) // 2] for places in self.quiet.values()}
        for moment in moments:
            later = (place for places in self.quiet.values() for place in places)
            places |= {next(place for place in later if place >= moment.place)}
        return ControlGame(
            batches=[encode_batch(batch) for batch in self.batches],
            moments=moments,
            probes=self._probes(places),
            faults=sorted(self.run.bots.faults),
        )

    def _probes(self, places: set[int]) -> dict[int, list[Probe]]:
        """Return requests that are accepted at each of *places*."""
        world = World()
        engine = new_engine(world, SeededOracle(SECRET), SECRET, link=self.run.linker.link)
        bots = Bots(engine, Random(self._seed), self._examples)
        probes: dict[int, list[Probe]] = {}
        for place, batch in enumerate(self.batches):
            if place in places:
                bots.now = world.game["now"]
                askers = ["admin", *world.kinds.get("player", ())]
                operations = engine.link(world.ruleset).links.operations.items()
                actions = sorted(name for name, item in operations if item.is_action)
                found = ((action, bots.accepted(action, askers)) for action in actions)
                probes[place] = [Probe(one[0], action, one[1]) for action, one in found if one]
            for event in batch:
                apply(world, event)
        self.run.bots.faults.update(bots.faults)
        return probes


def _open(world: World, rules: Sequence[Rule], name: str) -> Iterator[Batch]:
    """Open a game under *rules* in *world*, and yield its batches."""
    common: dict[str, Any] = {"period": 1, "received_at": FIRST_DAY, "recorded_at": FIRST_DAY}
    opened = e.GameOpened(id="opening", game="control", rulebook=name, level=NEWEST, **common)
    enacted = [
        e.RuleEnacted(rule=rule, source="rulebook", cause=0, rules=("engine",), **common)
        for rule in rules
    ]
    return replay_opening(new_engine(world, ask_people, SECRET), [opened, *enacted])
