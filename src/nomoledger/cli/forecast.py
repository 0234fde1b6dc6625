"""The command forecast: how a game goes on under many seeds, with and without a change."""

from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.change_options import amendments, read_changes_file, repeals
from nomoledger.cli.context import open_ledger_of_game
from nomoledger.cli.output import print_json, print_line, print_table
from nomoledger.cli.parsing import parse_pair
from nomoledger.cli.progress import progress

if TYPE_CHECKING:
    from nomoledger.game.forecast import Forecast, Scenario

#: How many columns the bands have in a terminal.
BAND_WIDTH = 40
#: How many rules are listed.
RULES_MAX = 8
INTERRUPTED = 130


@click.command()
@options.ledger
@click.option(
    "--periods",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    metavar="N",
    help="Play N periods, beginning with the open one.",
)
@click.option(
    "--futures",
    type=click.IntRange(1, 1_000_000),
    default=1000,
    show_default=True,
    metavar="N",
    help="Play N futures.",
)
@click.option(
    "--proposal", type=int, metavar="N", help="Compare with futures in which proposal N passes now."
)
@click.option(
    "--change",
    "file",
    metavar="FILE",
    help="Compare with futures under the rule changes in FILE (YAML).",
)
@click.option(
    "--amend",
    multiple=True,
    type=parse_pair,
    metavar="RULE.NAME=VALUE",
    help="Compare with futures under another value of a parameter.",
)
@click.option(
    "--repeal", multiple=True, metavar="RULE", help="Compare with futures without the rule RULE."
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="Choose the futures: the same seed gives the same ones.",
)
@options.pool
@options.game
@options.as_json
def forecast(
    location: str,
    periods: int,
    futures: int,
    proposal: int | None,
    file: str | None,
    amend: tuple[tuple[str, str], ...],
    repeal: tuple[str, ...],
    seed: int,
    workers: int | None,
    scheduler: str | None,
    game_name: str | None,
    as_json: bool,
) -> int:
    """Play the game on under many seeds, with and without a change.

    Bots repeat what the players did in the latest closed periods, with new dice. The result shows
    each player's money and rank, and how often the player comes first. With a change, each future
    is played twice with the same dice. Only what everybody may see is used: no seed of the game,
    and nothing sealed. Ctrl-C shows the futures played so far.

    Example: nomoledger forecast game.db --periods 3 --amend X.3.dollars_per_number=6
    """
    from nomoledger.game.forecast import ForecastPlan
    from nomoledger.game.forecast import forecast as play_futures
    from nomoledger.parallel import open_pool

    changes = (*read_changes_file(file), *amendments(amend), *repeals(repeal))
    if proposal is not None and changes:
        raise click.UsageError("--proposal brings its own changes: give no other ones with it")
    plan = ForecastPlan(periods, futures, seed, proposal, changes)
    with (
        open_ledger_of_game(location, game_name) as (ledger, name),
        open_pool(workers, scheduler) as pool,
        progress("playing futures", futures) as advance,
    ):
        result = play_futures(ledger, name, plan, pool, done=advance)
    if as_json:
        print_json(result)
    else:
        _print(result)
    return 0 if result.futures == result.asked else INTERRUPTED


def _print(result: "Forecast") -> None:
    last = result.period + result.periods - 1
    count = f"{result.futures:,} futures"
    if result.futures < result.asked:
        count = f"{result.futures:,} of {result.asked:,} futures (interrupted)"
    patterns = ", ".join(map(str, result.patterns))
    print_line(f"{result.game} at the close of period {last}, from {count}")
    print_line(f"bots repeat what players did in period {patterns}; all dice are thrown away")
    print_line("")
    _print_standings(result, result.without)
    if result.with_change is not None:
        print_line("")
        print_line("with the change, and what it changes (± its standard error)")
        print_line("")
        _print_standings(result, result.with_change)
        print_line("")
        _print_differences(result)
    print_line("")
    _print_rules(result)


def _print_standings(result: "Forecast", scenario: "Scenario") -> None:
    """Print what each player has at the end, best first, and the bands as a chart."""
    from nomoledger.game.read_models import Table

    ends = {player: standings[-1] for player, standings in scenario.standings.items()}
    order = sorted(ends, key=lambda player: (-ends[player].first, ends[player].rank, player))
    rows = tuple(
        (
            player,
            _amount(result.now[player]),
            _amount(ends[player].money),
            f"{ends[player].rank:.1f}",
            f"{ends[player].first:.0%}",
            f"{_amount(ends[player].band[0])}..{_amount(ends[player].band[-1])}",
        )
        for player in order
    )
    columns = ("player", f"{result.money} now", "mean", "rank", "first", "10..90 %")
    print_table(Table(columns, rows))
    print_line("")
    low = min((end.band[0] for end in ends.values()), default=0)
    high = max((end.band[-1] for end in ends.values()), default=1)
    width = max(map(len, order), default=0)
    for player in order:
        print_line(f"{player:{width}}  {_band(ends[player].band, low, high)}")
    ticks = f"{_amount(low)}{_amount(high):>{max(BAND_WIDTH - len(_amount(low)), 1)}}"
    print_line(f"{'':{width}}  {ticks}")
    for why, futures in (*scenario.ended.items(), *scenario.failed.items()):
        print_line(f"{futures} futures end early: {why}")


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
    acted = {rule: share for rule, share in result.without.acted.items() if rule != "engine"}
    if result.with_change is None:
        rules = [f"{rule} {share:.0%}" for rule, share in list(acted.items())[:RULES_MAX]]
        print_line(f"rules that acted, in how many futures: {', '.join(rules) or 'none'}")
        return
    after = {rule: share for rule, share in result.with_change.acted.items() if rule != "engine"}
    moved = sorted(
        {*acted, *after}, key=lambda rule: (-abs(after.get(rule, 0) - acted.get(rule, 0)), rule)
    )
    rules = [
        f"{rule} {acted.get(rule, 0):.0%} → {after.get(rule, 0):.0%}"
        for rule in moved[:RULES_MAX]
        if after.get(rule, 0) != acted.get(rule, 0)
    ]
    print_line(f"rules that act in more or fewer futures: {', '.join(rules) or 'none'}")


def _amount(amount: float) -> str:
    """Return *amount* in whole pieces of money."""
    return f"{amount:,.0f}"
