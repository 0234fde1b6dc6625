"""The command audit: replay every period of many ledgers."""

from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli import options
from nomoledger.cli.ledgers import FAILED, report_lines
from nomoledger.cli.output import print_blocks, print_failure, print_json, print_line
from nomoledger.cli.progress import progress
from nomoledger.ledger.stores.location import safe_location

if TYPE_CHECKING:
    from nomoledger.game.ledger_audit import AuditedPeriod, RecordedPeriod

UNREADABLE = 2


@click.command()
@click.argument("locations", metavar="LEDGER...", nargs=-1, required=True)
@options.game
@options.pool
@options.as_json
def audit(
    locations: tuple[str, ...],
    game_name: str | None,
    workers: int | None,
    scheduler: str | None,
    as_json: bool,
) -> int:
    """Replay every period of many ledgers, and list what is wrong.

    Each game gets a line. Periods with findings follow, as `replay` shows them. The exit code is 1
    if a period has findings, and 2 if a ledger cannot be read; the other ledgers are audited all
    the same.

    Example: nomoledger audit league/*.db
    """
    from nomoledger.game.ledger_audit import audit_periods
    from nomoledger.parallel import open_pool

    periods, unreadable = _periods_of(locations, game_name)
    audited: dict[int, AuditedPeriod] = {}
    with open_pool(workers, scheduler) as pool, progress("replaying", len(periods)) as advance:
        for place, period in audit_periods(periods, pool):
            audited[place] = period
            advance(1)
    results = [audited[place] for place in range(len(periods))]
    if as_json:
        print_json({"games": _as_json(results), "unreadable": unreadable})
    else:
        _print(results)
        for error in unreadable.values():
            print_failure(error)
    if unreadable:
        return UNREADABLE
    return 0 if all(period.is_clean for period in results) else FAILED


def _periods_of(
    locations: tuple[str, ...], game_name: str | None
) -> tuple[list["RecordedPeriod"], dict[str, str]]:
    """Return the periods of all ledgers, and why ledgers cannot be read."""
    from nomoledger.errors import NomoledgerError
    from nomoledger.game.ledger_audit import periods_of

    periods: list[RecordedPeriod] = []
    unreadable: dict[str, str] = {}
    for location in dict.fromkeys(locations):
        try:
            periods += periods_of(location, game_name)
        except (NomoledgerError, OSError) as error:
            unreadable[safe_location(location)] = str(error)
    return periods, unreadable


def _print(results: list["AuditedPeriod"]) -> None:
    for (location, game), group in groupby(results, lambda one: (one.of.ledger, one.of.game)):
        periods = list(group)
        wrong = [period for period in periods if not period.is_clean]
        compared = sum(one.report.compared for one in periods if one.report is not None)
        findings = f"findings in {len(wrong)}" if wrong else "nothing differs"
        noun = "period" if len(periods) == 1 else "periods"
        print_line(
            f"{safe_location(location)}, {game}: {len(periods)} {noun} replayed,"
            f" {compared} compared, {findings}"
        )
        for period in wrong:
            if period.report is None:
                print_line(f"  period {period.of.period} cannot be replayed: {period.error}")
            else:
                print_blocks(report_lines(period.report))


def _as_json(results: list["AuditedPeriod"]) -> list[dict[str, Any]]:
    return [
        {
            "ledger": safe_location(location),
            "game": game,
            "periods": [
                {"period": one.of.period, "report": one.report, "error": one.error} for one in group
            ],
        }
        for (location, game), group in groupby(results, lambda one: (one.of.ledger, one.of.game))
    ]
