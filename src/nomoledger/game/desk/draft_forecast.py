"""A forecast of what the changes of a draft or a proposal would do, in words."""

import msgspec

from nomoledger.game.forecast import ForecastPlan, forecast
from nomoledger.game.game import Game
from nomoledger.parallel.serial_pool import SerialPool
from nomoledger.rulebook.changes import parse_changes

#: How many futures are played: enough to see what is large.
FUTURES = 100


class ForecastLine(msgspec.Struct, frozen=True):
    """A player in a forecast: money now, and at the close without and with the changes.

    Attributes:
        more: by how much the changes make it more or less, with the standard error.
        first: how often the player comes first without and with the changes.
    """

    player: str
    now: str
    without: str
    with_changes: str
    more: str
    first: str


class DraftForecast(msgspec.Struct, frozen=True):
    """What the open *period* comes to in *futures* futures, in *money*, for each player."""

    period: int
    futures: int
    money: str
    lines: tuple[ForecastLine, ...]
    failed: tuple[str, ...] = ()


def forecast_draft(game: Game, changes: str) -> DraftForecast:
    """Return what the *changes*, in YAML, would do to the open period of *game*.

    Everything is computed from what everybody may see.

    Raises:
        RulebookError: the changes cannot be read. MisfitError: they do not fit the rules.
        UsageError: no period is closed yet, or the game is over.
    """
    parsed = parse_changes(changes, "the changes", with_code=False)
    return _forecast(game, ForecastPlan(futures=FUTURES, changes=parsed))


def forecast_made(game: Game, number: int) -> DraftForecast:
    """Return what proposal *number* would do to the open period of *game* if it passed now.

    Raises:
        UnknownError: there is no such proposal. MisfitError: it does not fit the rules any more.
        UsageError: it changes no rule, no period is closed yet, or the game is over.
    """
    return _forecast(game, ForecastPlan(futures=FUTURES, proposal=number))


def _forecast(game: Game, plan: ForecastPlan) -> DraftForecast:
    result = forecast(game.ledger, game.name, plan, SerialPool())
    changed = result.with_change
    assert changed is not None
    lines = []
    for player, change in sorted(result.differences.items(), key=lambda item: -item[1].money):
        before = result.without.standings[player][-1]
        after = changed.standings[player][-1]
        lines.append(
            ForecastLine(
                player=player,
                now=f"{result.now[player]:,.0f}",
                without=f"{before.money:,.0f}",
                with_changes=f"{after.money:,.0f}",
                more=f"{change.money:+,.1f} ± {change.money_error:,.1f}",
                first=f"{before.first:.0%} → {after.first:.0%}",
            )
        )
    failed = tuple(f"{count} futures: {why}" for why, count in changed.failed.items())
    return DraftForecast(result.period, result.futures, result.money, tuple(lines), failed)
