"""A forecast: how a game goes on under many seeds, and what a change of its rules would do."""

from collections.abc import Callable, Iterator

import msgspec

from nomoledger.errors import MisfitError, UnknownError, UsageError
from nomoledger.events.rules import Change
from nomoledger.game.forecast.futures import FutureRules, Futures, PlayedFuture
from nomoledger.game.forecast.interruption import noted_interruption
from nomoledger.game.forecast.play_pattern import PlayPattern, fold_with_patterns
from nomoledger.game.forecast.tally import EffectOnPlayer, FutureTally, PairedTally, Standing
from nomoledger.ledger.ledger import Ledger
from nomoledger.parallel import Pool
from nomoledger.proof.public_stream import public_events
from nomoledger.rulebook.change_check import ChangeCheck, check_changes
from nomoledger.sandbox.limits import AGAIN
from nomoledger.sandbox.prepared import PreparedSandbox
from nomoledger.sandbox.sandbox import call_in_sandbox
from nomoledger.state.world import World

#: How many future periods a worker plays at a time: about a second of work.
PERIODS_PER_ITEM = 10
#: How many periods tables and charts show, with the last one.
SHOWN_PERIODS_MAX = 5


class ForecastPlan(msgspec.Struct, frozen=True):
    """What a forecast computes.

    Attributes:
        periods: how many periods each future has, with the open one.
        futures: how many futures are played.
        seed: decides all dice and choices.
        proposal: a proposal whose effect is forecast; None for none.
        changes: changes of the rules whose effect is forecast.
    """

    periods: int = 1
    futures: int = 1000
    seed: int = 1
    proposal: int | None = None
    changes: tuple[Change, ...] = ()


class Scenario(msgspec.Struct, frozen=True):
    """What the futures under some rules came to.

    Attributes:
        standings: for each player, what the player has at the close of each period.
        acted: the share of futures in which each rule acted, by number.
        ended: how many futures ended early, by reason.
        failed: how many futures could not be played to their end, by reason.
    """

    standings: dict[str, list[Standing]]
    acted: dict[str, float]
    ended: dict[str, int]
    failed: dict[str, int]

    def best_first(self) -> list[str]:
        """Return the players in the order of their chances to be first at the end."""
        ends = {player: standings[-1] for player, standings in self.standings.items()}
        return sorted(ends, key=lambda player: (-ends[player].first, ends[player].rank, player))

    def rules_acted(self) -> dict[str, float]:
        """Return the share of futures in which each rule acted; the engine is no rule."""
        return {rule: share for rule, share in self.acted.items() if rule != "engine"}


class Forecast(msgspec.Struct, frozen=True):
    """The result of a forecast.

    Attributes:
        game: the name of the game.
        event: the last public event when the forecast was made, by its public number.
        period: the open period, which is the first that is forecast.
        periods: how many periods were played.
        asked: how many futures were to be played.
        futures: how many were played.
        seed: the seed that decided all dice and choices.
        patterns: the periods whose play the bots repeat.
        money: what the money of the game is called.
        now: each player's money now.
        without: the futures under the rules as they are.
        with_change: the futures with the change; None if there is none.
        differences: what the change does to each player, from futures with the same dice.
        proposal: the proposal that is the change; None for none.
        changes: the change.
    """

    game: str
    event: int
    period: int
    periods: int
    asked: int
    futures: int
    seed: int
    patterns: list[int]
    money: str
    now: dict[str, float]
    without: Scenario
    with_change: Scenario | None = None
    differences: dict[str, EffectOnPlayer] = {}
    proposal: int | None = None
    changes: tuple[Change, ...] = ()


def shown_periods(periods: int) -> list[int]:
    """Return which of *periods* future periods are shown, from 0: a few, and the last.

    >>> shown_periods(3), shown_periods(10)
    ([0, 1, 2], [1, 3, 5, 7, 9])
    """
    most = min(periods, SHOWN_PERIODS_MAX)
    return [round(place * periods / most) - 1 for place in range(1, most + 1)]


def forecast(
    ledger: Ledger,
    game: str,
    plan: ForecastPlan,
    pool: Pool,
    *,
    done: Callable[[int], object] = lambda count: None,
) -> Forecast:
    """Return the forecast of *game* that *plan* asks for; *pool* plays the futures.

    Everything is computed from what everybody may see. No seed of the game is used: dice of the
    open period, too, come from the seed of the plan. *done* is called with the number of futures
    finished. After Ctrl-C, the futures played so far are the result; after a second one there is
    none.

    Raises:
        UnknownError: there is no such proposal.
        UsageError: no period is closed yet, or the game is over.
        MisfitError: the change cannot take force as things stand.
        KeyboardInterrupt: somebody pressed Ctrl-C twice.
    """
    world, patterns = fold_with_patterns(public_events(ledger.read(game)))
    if world.game["ended"] is not None:
        raise UsageError(f"the game {game} is over: {world.game['ended']}")
    if not patterns:
        raise UsageError(
            f"{game} has no closed period in which somebody did something: play and close one first"
        )
    rules = _rules(world, plan)
    has_change = len(rules) == 2
    if has_change:
        _check_changes(world, plan.changes)
        _try_change(_Futures(world, patterns, plan, rules))
    players = list(world.kinds.get("player", ()))
    money = next(iter(world.commodities()), "")
    units = 10 ** world.commodities()[money].places if money else 1
    tallies = [FutureTally(players, plan.periods, units) for _ in rules]
    pairs = PairedTally(players, units)
    arguments = world, patterns, plan, rules
    with noted_interruption() as interruption:
        for _, (first, played) in pool.map(_Futures, arguments, _items(plan)):
            for number, group in enumerate(played, first):
                for tally, future in zip(tallies, group, strict=True):
                    tally.add(number, future)
                if has_change:
                    pairs.add(*group)
            done(len(played))
            if interruption.is_asked:
                break
    scenarios = [_scenario(tally, players, plan.periods) for tally in tallies]
    return Forecast(
        game=game,
        event=world.head,
        period=world.period,
        periods=plan.periods,
        asked=plan.futures,
        futures=tallies[0].count,
        seed=plan.seed,
        patterns=[pattern.period for pattern in patterns],
        money=money,
        now={player: world.balance(player, money) / units for player in players},
        without=scenarios[0],
        with_change=scenarios[1] if has_change else None,
        differences={name: pairs.difference(name) for name in players} if has_change else {},
        proposal=plan.proposal,
        changes=rules[-1].changes,
    )


def _rules(world: World, plan: ForecastPlan) -> list[FutureRules]:
    """Return the rules without the change and, if there is one, with it."""
    if plan.proposal is None:
        rules = [FutureRules()]
        return [*rules, FutureRules(plan.changes)] if plan.changes else rules
    proposal = world.proposals.get(plan.proposal)
    if proposal is None or plan.proposal in world.game.get("voided", ()):
        known = ", ".join(map(str, world.proposals)) or "none"
        raise UnknownError(f"there is no proposal {plan.proposal}; there is: {known}")
    if not proposal.changes:
        raise UsageError(f"proposal {plan.proposal} has no changes whose effect could be played")
    return [
        FutureRules(voids=plan.proposal),
        FutureRules(proposal.changes, voids=plan.proposal),
    ]


def _check_changes(world: World, changes: tuple[Change, ...]) -> None:
    """Check *changes* as a proposal is checked before it is recorded.

    Raises:
        MisfitError: something is wrong with them.
    """
    if not changes:
        return
    arguments = world, changes, "proposal"
    errors = call_in_sandbox(check_changes, *arguments, kind=ChangeCheck, limits=AGAIN).errors
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise MisfitError(f"the change does not pass the check: {errors[0]}{more}")


def _try_change(futures: "_Futures") -> None:
    """Play one future, to find out whether the change can take force.

    Raises:
        MisfitError: it cannot.
    """
    _, ((*_, future),) = futures((0, 1))
    if future.failed is not None and future.failed.startswith("the change is refused"):
        raise MisfitError(future.failed)


def _items(plan: ForecastPlan) -> Iterator[tuple[int, int]]:
    """Yield the first number, and the one after the last, of the futures of each item."""
    size = max(1, PERIODS_PER_ITEM // plan.periods)
    for first in range(0, plan.futures, size):
        yield first, min(first + size, plan.futures)


def _scenario(tally: FutureTally, players: list[str], periods: int) -> Scenario:
    shares = {rule: count / tally.count for rule, count in tally.acted.items()}
    return Scenario(
        standings={
            player: [tally.standing(player, period) for period in range(periods)]
            for player in players
        },
        acted=dict(sorted(shares.items(), key=lambda item: (-item[1], item[0]))),
        ended=dict(sorted(tally.ended.items())),
        failed=dict(sorted(tally.failed.items())),
    )


class _Futures:
    """Plays futures in one sandbox, which is prepared once."""

    def __init__(
        self,
        world: World,
        patterns: list[PlayPattern],
        plan: ForecastPlan,
        rules: list[FutureRules],
    ) -> None:
        arguments = world, patterns, plan.periods, plan.seed, rules
        self._sandbox = PreparedSandbox(_prepared_futures, arguments, AGAIN)

    def __call__(self, numbers: tuple[int, int]) -> tuple[int, list[list[PlayedFuture]]]:
        """Return the first of *numbers*, and what the futures from it to the second come to."""
        played: list[list[PlayedFuture]] = self._sandbox.call(
            *numbers, kind=list[list[PlayedFuture]]
        )
        return numbers[0], played


def _prepared_futures(
    world: World, patterns: list[PlayPattern], periods: int, seed: int, rules: list[FutureRules]
) -> Callable[[int, int], list[list[PlayedFuture]]]:
    futures = Futures(world, patterns, periods, seed)
    return lambda first, end: [
        [futures.play(number, each) for each in rules] for number in range(first, end)
    ]
