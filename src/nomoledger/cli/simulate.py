"""The command simulate: a whole season played by bots."""

from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_or_create_ledger_at
from nomoledger.cli.dry_runs import print_dry_run
from nomoledger.cli.output import print_blocks, print_json, print_line, print_text
from nomoledger.cli.progress import progress

if TYPE_CHECKING:
    from nomoledger.game.simulation import Season
    from nomoledger.ledger.ledger import Ledger
    from nomoledger.parallel import Pool

DIFFERS = 1


@click.command()
@options.ledger
@click.option("--rulebook", required=True, metavar="NAME", help="Play under these rules.")
@click.option(
    "--players",
    type=click.IntRange(1, 100),
    default=4,
    show_default=True,
    help="How many bots play.",
)
@click.option(
    "--periods",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="How many periods to play.",
)
@click.option(
    "--requests",
    type=click.IntRange(1, 100),
    default=6,
    show_default=True,
    help="How many requests each bot makes in a period.",
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="Choose the season: the same seed gives the same season.",
)
@click.option("--ends", is_flag=True, help="After the last period, submit what ends the game.")
@click.option("--check", is_flag=True, help="Replay every period afterwards, and compare.")
@options.pool
@options.dry_run
@options.as_json
def simulate(
    location: str,
    rulebook: str,
    players: int,
    periods: int,
    requests: int,
    seed: int,
    ends: bool,
    check: bool,
    workers: int | None,
    scheduler: str | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Play a whole season with bots, in a new ledger.

    Bots submit what the rules allow, propose, vote, and answer questions. --check replays the
    periods on all cores; --workers and --scheduler choose other places.

    Example: nomoledger simulate sim.db --rulebook mail-opening --players 5 --periods 20
    """
    from nomoledger.game.simulation import Plan
    from nomoledger.game.simulation import simulate as play_season
    from nomoledger.parallel import open_pool

    plan = Plan(players=players, periods=periods, requests=requests, seed=seed, ends=ends)
    with open_or_create_ledger_at(location, dry_run=dry_run) as ledger:
        with progress("playing", periods) as advance:
            season = play_season(ledger, rulebook, plan, done=advance)
        divergences: list[str] = []
        if check and dry_run:
            divergences = _divergences_here(ledger, season)
        elif check:
            with open_pool(workers, scheduler) as pool:
                divergences = _divergences(location, season, pool)
    if as_json:
        print_json(season)
    else:
        _print_season(season)
    print_blocks(divergences)
    if dry_run and not as_json:
        print_dry_run()
    return DIFFERS if divergences else 0


def _print_season(season: "Season") -> None:
    print_line(f"{season.periods} periods: {season.requests} requests, {season.events} events")
    print_text(f"refused: {season.refused}")
    if season.ended is not None:
        print_line(f"the game was over: {season.ended}")
    count = len(season.fired) + len(season.silent)
    print_line(f"rules that acted: {len(season.fired)} of {count} with code")
    if season.silent:
        print_line(f"silent: {', '.join(season.silent)}")
    for fault, request in season.faults.items():
        print_line(f"fault: {fault}; tried: {request}")


def _divergences(location: str, season: "Season", pool: "Pool") -> list[str]:
    """Return a line for each period that does not replay exactly; *pool* replays them."""
    from nomoledger.game.ledger_audit import RecordedPeriod, audit_periods

    numbers = range(1, season.periods + 1)
    lines: dict[int, str] = {}
    with progress("replaying", season.periods) as advance:
        recorded = (RecordedPeriod(location, season.game, number) for number in numbers)
        for place, period in audit_periods(recorded, pool):
            if period.report is None:
                lines[place] = f"period {numbers[place]} cannot be replayed: {period.error}"
            elif not period.report.exact:
                lines[place] = f"period {numbers[place]} differs: {period.report.divergences[0]}"
            advance(1)
    return [lines[place] for place in sorted(lines)]


def _divergences_here(ledger: "Ledger", season: "Season") -> list[str]:
    """Return the same of a season that only this process has."""
    from nomoledger.game.replay import replay

    lines = []
    with progress("replaying", season.periods) as advance:
        for period in range(1, season.periods + 1):
            report = replay(ledger, season.game, period)
            if not report.exact:
                lines.append(f"period {period} differs: {report.divergences[0]}")
            advance(1)
    return lines
