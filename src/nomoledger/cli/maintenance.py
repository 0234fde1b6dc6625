"""Commands about how ledgers are kept: copy, upgrade, rebuild."""

import click

from nomoledger.cli import options
from nomoledger.cli.context import new_ledger_at, open_ledger_at
from nomoledger.cli.output import json, line
from nomoledger.cli.progress import counting, progress, records_in
from nomoledger.ledger.stores.location import redacted


@click.command()
@options.ledger
@click.argument("target")
@options.game
@options.as_json
def copy(ledger: str, target: str, game: str | None, as_json: bool) -> None:
    """Copy games into TARGET, another ledger, and prove it.

    TARGET is made where it is absent. Each game arrives whole or not at all, is verified there, and
    has the same head. A game that is there already is left alone if it is the same.

    Example: nomoledger copy game.db postgresql://db.example.org/games
    """
    from nomoledger.game.exchange import copy_ledger

    with open_ledger_at(ledger) as source, new_ledger_at(target) as opened:
        games = source.games() if game is None else [game]
        with progress("copying", 3 * records_in(source, games)) as advance:
            heads = copy_ledger(counting(source, advance), counting(opened, advance), games)
    if as_json:
        json({"games": [{"game": name, "head": str(head)} for name, head in heads.items()]})
        return
    for name, head in heads.items():
        line(f"{name}: {head.number + 1} events in {redacted(target)}, the same head {head}")


@click.command()
@options.ledger
@options.as_json
def upgrade(ledger: str, as_json: bool) -> None:
    """Bring a ledger's tables to the newest version.

    What is recorded stays as it is. Make a copy before; a program that is older will refuse it.
    Where this version folds differently, snapshots are taken anew.

    Example: nomoledger upgrade game.db
    """
    from nomoledger.ledger.snapshots import take_snapshots
    from nomoledger.ledger.stores.open_store import upgrade_store

    before, after = upgrade_store(ledger)
    with open_ledger_at(ledger) as opened, progress("taking snapshots") as advance:
        counted = counting(opened, advance)
        for game in opened.games():
            take_snapshots(counted, game)
    if as_json:
        json({"before": before, "after": after})
    elif before == after:
        line(f"{redacted(ledger)} is up to date (schema {after})")
    else:
        line(f"{redacted(ledger)} is upgraded from schema {before} to {after}")


@click.command()
@options.ledger
@options.game
@options.as_json
def rebuild(ledger: str, game: str | None, as_json: bool) -> None:
    """Make anew what is kept for speed: roll-up and snapshots.

    Both follow from the events, of which none is touched; nothing but speed depends on the
    snapshots, and others may play meanwhile. Where verify says that either is wrong, this is the
    way out.

    Example: nomoledger rebuild game.db
    """
    from nomoledger.game.rebuild import rebuild as rebuilt

    with open_ledger_at(ledger) as opened:
        games = opened.games() if game is None else [game]
        with progress("rebuilding", records_in(opened, games)) as advance:
            counted = counting(opened, advance)
            found = [rebuilt(counted, each) for each in games]
    if as_json:
        json({"games": found})
        return
    for each in found:
        what = f"cells of the roll-up: {each.cells}, snapshots: {each.snapshots}"
        line(f"{each.game}: {what}, from {each.events} events")
