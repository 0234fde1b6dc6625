"""Commands that maintain ledgers: copy, upgrade, rebuild."""

import click

from nomoledger.cli import options
from nomoledger.cli.context import (
    open_ledger_at,
    open_ledger_or_scratch,
    open_or_create_ledger_at,
)
from nomoledger.cli.dry_runs import print_dry_run
from nomoledger.cli.ledgers import heads_as_json
from nomoledger.cli.output import print_json, print_line
from nomoledger.cli.progress import count_records, counting, progress
from nomoledger.ledger.stores.location import safe_location

#: How often a copy reads each record, in both ledgers together.
PASSES = 3


@click.command()
@options.ledger
@click.argument("target")
@options.game
@options.dry_run
@options.as_json
def copy(location: str, target: str, game_name: str | None, dry_run: bool, as_json: bool) -> None:
    """Copy games to the ledger TARGET, and verify them there.

    TARGET is created if needed. Each game is copied as a whole or not at all, verified in TARGET,
    and has the same head there. A game that TARGET already holds is skipped if it is the same.

    Example: nomoledger copy game.db postgresql://db.example.org/games
    """
    from nomoledger.game.exchange import copy_ledger

    with (
        open_ledger_at(location) as source,
        open_or_create_ledger_at(target, dry_run=dry_run) as destination,
    ):
        games = source.games() if game_name is None else [game_name]
        with progress("copying", PASSES * count_records(source, games)) as advance:
            heads = copy_ledger(counting(source, advance), counting(destination, advance), games)
    if as_json:
        print_json(heads_as_json(heads))
        return
    for name, head in heads.items():
        print_line(
            f"{name}: {head.number + 1} events in {safe_location(target)}, the same head {head}"
        )
    if dry_run:
        print_dry_run()


@click.command()
@options.ledger
@options.dry_run
@options.as_json
def upgrade(location: str, dry_run: bool, as_json: bool) -> None:
    """Upgrade the tables of a ledger to the current schema.

    Recorded events do not change. Make a copy first: older versions of nomoledger refuse the
    upgraded ledger. Snapshots that this version would compute differently are taken again.

    Example: nomoledger upgrade game.db
    """
    from nomoledger.ledger.snapshots import take_snapshots
    from nomoledger.ledger.stores.open_store import upgrade_store

    before, after = upgrade_store(location, dry_run=dry_run)
    if not dry_run:
        with open_ledger_or_scratch(location) as ledger, progress("taking snapshots") as advance:
            counted = counting(ledger, advance)
            for name in ledger.games():
                take_snapshots(counted, name)
    if as_json:
        print_json({"before": before, "after": after})
        return
    if before == after:
        print_line(f"{safe_location(location)} is up to date (schema {after})")
    else:
        print_line(f"{safe_location(location)} is upgraded from schema {before} to {after}")
    if dry_run:
        print_dry_run()


@click.command()
@options.ledger
@options.game
@options.dry_run
@options.as_json
def rebuild(location: str, game_name: str | None, dry_run: bool, as_json: bool) -> None:
    """Rebuild the roll-up and the snapshots from the events.

    Run rebuild if verify reports a wrong roll-up or snapshot. Events do not change, and play can
    continue during the rebuild. Without snapshots, commands are slower and otherwise the same.

    Example: nomoledger rebuild game.db
    """
    from nomoledger.game.rebuild import rebuild as rebuild_game

    with open_ledger_at(location, dry_run=dry_run) as ledger:
        games = ledger.games() if game_name is None else [game_name]
        with progress("rebuilding", count_records(ledger, games)) as advance:
            counted = counting(ledger, advance)
            results = [rebuild_game(counted, name) for name in games]
    if as_json:
        print_json({"games": results})
        return
    for result in results:
        counts = f"cells of the roll-up: {result.cells}, snapshots: {result.snapshots}"
        print_line(f"{result.game}: {counts}, from {result.events} events")
    if dry_run:
        print_dry_run()
