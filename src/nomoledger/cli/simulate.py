"""The command simulate: a whole season played by bots."""

from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.context import new_ledger_at
from nomoledger.cli.output import json, line
from nomoledger.cli.progress import progress

if TYPE_CHECKING:
    from nomoledger.game.simulation import Season
    from nomoledger.ledger.ledger import Ledger

DIFFERS = 1


@click.command()
@options.ledger
@click.option("--rulebook", required=True, metavar="NAME", help="The rules that are played.")
@click.option("--players", type=click.IntRange(1, 100), default=4, show_default=True)
@click.option("--periods", type=click.IntRange(1, 1000), default=10, show_default=True)
@click.option(
    "--requests",
    type=click.IntRange(1, 100),
    default=6,
    show_default=True,
    help="What each player asks for in a period.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed, another game.")
@click.option("--ends", is_flag=True, help="Afterwards somebody asks for what ends the game.")
@click.option("--check", is_flag=True, help="Replay every period and verify the ledger.")
@options.as_json
def simulate(
    ledger: str,
    rulebook: str,
    players: int,
    periods: int,
    requests: int,
    seed: int,
    ends: bool,
    check: bool,
    as_json: bool,
) -> int:
    """Play a whole season with bots, in a new ledger.

    Bots ask for what the rules allow, propose, vote, answer. The same seed, the same season.

    Example: nomoledger simulate sim.db --rulebook mail-opening --players 5 --periods 20
    """
    from nomoledger.game.simulation import Plan
    from nomoledger.game.simulation import simulate as play

    plan = Plan(players=players, periods=periods, requests=requests, seed=seed, ends=ends)
    with new_ledger_at(ledger) as opened:
        with progress("playing", periods) as advance:
            season = play(opened, rulebook, plan, done=advance or (lambda count: None))
        wrong = _checked(opened, season) if check else []
    if as_json:
        json(season)
    else:
        _tell(season)
    for each in wrong:
        line(each)
    return DIFFERS if wrong else 0


def _tell(season: "Season") -> None:
    line(f"{season.periods} periods: {season.requests} requests, {season.events} events")
    line(f"refused: {season.refused}")
    if season.ended is not None:
        line(f"the game was over: {season.ended}")
    known = len(season.fired) + len(season.silent)
    line(f"rules that acted: {len(season.fired)} of {known} with code")
    if season.silent:
        line(f"silent: {', '.join(season.silent)}")
    for fault, tried in season.faults.items():
        line(f"fault: {fault}; tried: {tried}")


def _checked(ledger: "Ledger", season: "Season") -> list[str]:
    """What is wrong with the season: periods that do not replay exactly."""
    from nomoledger.game.replay import replay

    wrong = []
    with progress("replaying", season.periods) as advance:
        for period in range(1, season.periods + 1):
            report = replay(ledger, season.game, period)
            if not report.exact:
                wrong.append(f"period {period} differs: {report.divergences[0]}")
            if advance is not None:
                advance(1)
    return wrong
