"""A forecast as tables and charts of a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nomoledger.cli.output import print_line, print_table

if TYPE_CHECKING:
    from nomoledger.game.forecast import Forecast, Scenario, Standing

#: How many columns the bands have.
BAND_WIDTH = 40
#: How many rules are listed.
RULES_MAX = 8


def print_forecast(result: "Forecast") -> None:
    """Print *result* as tables, and as a chart of the money over the periods."""
    last = result.period + result.periods - 1
    count = f"{result.futures:,} futures"
    if result.futures < result.asked:
        count = f"{result.futures:,} of {result.asked:,} futures (interrupted)"
    patterns = ", ".join(map(str, result.patterns))
    print_line(f"{result.game} at the close of period {last}, from {count}")
    print_line(f"bots repeat what players did in period {patterns}; all dice are thrown away")
    print_line("first: how often a player has won or has most money, ± the standard error")
    print_line("")
    _print_scenario(result, result.without)
    if result.with_change is not None:
        of = "the change" if result.proposal is None else f"proposal {result.proposal}"
        print_line("")
        print_line(f"with {of}, and what it changes (± its standard error)")
        print_line("")
        _print_scenario(result, result.with_change)
        print_line("")
        _print_differences(result)
    print_line("")
    _print_rules(result)


def _print_scenario(result: "Forecast", scenario: "Scenario") -> None:
    """Print what each player has at the end, best first, and the bands as a chart."""
    from nomoledger.game.forecast import shown_periods
    from nomoledger.game.read_models import Table

    ends = {player: standings[-1] for player, standings in scenario.standings.items()}
    order = scenario.best_first()
    rows = tuple(
        (
            player,
            _amount(result.now[player]),
            _amount(ends[player].money),
            f"{_amount(ends[player].band[0])}..{_amount(ends[player].band[-1])}",
            f"{ends[player].rank:.1f} ({_ranks(ends[player])})",
            _chance(ends[player]),
        )
        for player in order
    )
    now = f"{result.money} now"
    print_table(Table(("player", now, "mean", "10..90 %", "rank (10..90 %)", "first"), rows))
    print_line("")
    shown = shown_periods(result.periods)
    if len(shown) > 1:
        _print_chances(result, scenario, order, shown)
    _print_bands(result, scenario, order, shown)
    for why, futures in (*scenario.ended.items(), *scenario.failed.items()):
        print_line(f"{futures} futures end early: {why}")


def _print_chances(
    result: "Forecast", scenario: "Scenario", order: Sequence[str], shown: Sequence[int]
) -> None:
    """Print how often each player is first at the close of each of the periods *shown*."""
    from nomoledger.game.read_models import Table

    columns = ("first after period", *(str(result.period + place) for place in shown))
    rows = (
        (player, *(_chance(scenario.standings[player][place]) for place in shown))
        for player in order
    )
    print_table(Table(columns, tuple(rows)))
    print_line("")


def _print_bands(
    result: "Forecast", scenario: "Scenario", order: Sequence[str], shown: Sequence[int]
) -> None:
    """Print the bands of money at the close of each of the periods *shown*, on one scale."""
    bands = [scenario.standings[player][place].band for player in order for place in shown]
    low = min((band[0] for band in bands), default=0)
    high = max((band[-1] for band in bands), default=1)
    names = {(player, shown[0]): player for player in order}
    numbers = [str(result.period + place) if len(shown) > 1 else "" for place in shown]
    width, digits = max(map(len, order), default=0), max(map(len, numbers))
    for player in order:
        for place, number in zip(shown, numbers, strict=True):
            label = f"{names.get((player, place), ''):{width}} {number:>{digits}}"
            print_line(f"{label} {_band(scenario.standings[player][place].band, low, high)}")
    ticks = f"{_amount(low)}{_amount(high):>{max(BAND_WIDTH - len(_amount(low)), 1)}}"
    print_line(f"{'':{width + digits + 1}} {ticks}")


def _band(band: tuple[float, ...], low: float, high: float) -> str:
    """Return the 10th to 90th percentile as a line, the middle half thick, the median a bar."""
    scale = (BAND_WIDTH - 1) / (high - low or 1)
    tenth, quarter, half, three, nine = (round((value - low) * scale) for value in band)
    signs = [" "] * BAND_WIDTH
    signs[tenth : nine + 1] = "─" * (nine - tenth + 1)
    signs[quarter : three + 1] = "━" * (three - quarter + 1)
    signs[half] = "┃"
    return "".join(signs).rstrip()


def _print_differences(result: "Forecast") -> None:
    from nomoledger.game.read_models import Table

    rows = tuple(
        (
            player,
            f"{change.money:+,.1f} ± {change.money_error:,.1f}",
            f"{change.first:+.1%} ± {change.first_error:.1%}",
        )
        for player, change in sorted(result.differences.items(), key=lambda item: -item[1].money)
    )
    columns = ("player", f"{result.money} more or less", "first more or less often")
    print_table(Table(columns, rows))


def _print_rules(result: "Forecast") -> None:
    """Print the rules that acted, and with a change those that acted more or less often."""
    acted = result.without.rules_acted()
    rules = [f"{rule} {share:.0%}" for rule, share in list(acted.items())[:RULES_MAX]]
    more = f", and {len(acted) - RULES_MAX} more" if len(acted) > RULES_MAX else ""
    print_line(f"rules that acted, in how many futures: {', '.join(rules) or 'none'}{more}")
    if result.with_change is None:
        return
    after = result.with_change.rules_acted()
    moved = sorted(
        {*acted, *after}, key=lambda rule: (-abs(after.get(rule, 0) - acted.get(rule, 0)), rule)
    )
    rules = [
        f"{rule} {acted.get(rule, 0):.0%} → {after.get(rule, 0):.0%}"
        for rule in moved[:RULES_MAX]
        if after.get(rule, 0) != acted.get(rule, 0)
    ]
    print_line(f"rules that act in more or fewer futures: {', '.join(rules) or 'none'}")


def _chance(standing: "Standing") -> str:
    """Return how often a player is first, with the standard error: `34% ± 2%`."""
    error = "<1%" if 0 < standing.first_error < 0.005 else f"{standing.first_error:.0%}"
    return f"{standing.first:.0%} ± {error}"


def _ranks(standing: "Standing") -> str:
    low, high = standing.rank_band[0], standing.rank_band[-1]
    return f"{low}" if low == high else f"{low}..{high}"


def _amount(amount: float) -> str:
    """Return *amount* in whole pieces of money."""
    return f"{amount:,.0f}"
