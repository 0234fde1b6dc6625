"""The command league: many games at many places."""

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_ledger_or_scratch, open_or_create_ledger_at
from nomoledger.cli.dry_runs import print_dry_run
from nomoledger.cli.output import print_json, print_line
from nomoledger.cli.progress import count_records, counting, progress
from nomoledger.ledger.stores.location import place_of

#: How often a move reads each record, at both places together.
PASSES = 3


@click.group()
def league() -> None:
    """Keep many games: list them, move them, audit them.

    A league is the games of several ledgers: files, PostgreSQL databases, or both.

    Example: nomoledger league list postgresql://db.example.org/games
    """


@league.command()
@options.ledger
@click.argument("target")
@options.game
@options.dry_run
@options.as_json
def move(location: str, target: str, game_name: str | None, dry_run: bool, as_json: bool) -> None:
    """Move a game to the ledger TARGET, where play goes on.

    TARGET is created if needed. Others may play meanwhile: each request is in TARGET, or is refused
    with one line that says where the game is. LEDGER keeps the old records and takes no new ones. A
    move that was interrupted can be repeated.

    Example: nomoledger league move game.db postgresql://db.example.org/games
    """
    from nomoledger.game.move import move_game, only_game_ever

    old, new = place_of(location), place_of(target)
    with (
        open_ledger_or_scratch(location, dry_run=dry_run) as source,
        open_or_create_ledger_at(target, dry_run=dry_run) as destination,
    ):
        name = game_name or only_game_ever(source)
        with progress("moving", PASSES * count_records(source, [name])) as advance:
            moved = move_game(
                counting(source, advance), counting(destination, advance), name, old, new
            )
    if as_json:
        print_json(moved)
        return
    has = "is" if moved.was_there else "has moved"
    count = moved.head.number + 1
    print_line(f"{name}: {has} {'in' if moved.was_there else 'to'} {new}, with {count} events")
    if not moved.was_there:
        print_line(f"{old} points to it, and takes no more requests of {name}")
    if dry_run:
        print_dry_run()
