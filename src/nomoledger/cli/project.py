"""The command project: SQL tables of a ledger, kept up to date."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_ledger_at
from nomoledger.cli.dry_runs import print_unwritten
from nomoledger.cli.output import print_json, print_line, warn
from nomoledger.cli.progress import progress
from nomoledger.ledger.stores.location import safe_location

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from nomoledger.ledger.ledger import Ledger
    from nomoledger.views.sql.sql_views import Views
    from nomoledger.views.sql.sync import SyncResult
    from nomoledger.views.sql.table import SqlTable


@click.command()
@options.ledger
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "--into", metavar="VIEWS", help="Store the tables in VIEWS: a file, or postgresql://…."
)
@options.game
@click.option("--public", "is_public", is_flag=True, help="Project only what everybody may see.")
@click.option("--rebuild", is_flag=True, help="Delete the tables and build them again.")
@click.option("--follow", is_flag=True, help="Keep projecting new events, until Ctrl-C.")
@options.dry_run
@options.as_json
def project(
    location: str,
    names: tuple[str, ...],
    into: str | None,
    game_name: str | None,
    is_public: bool,
    rebuild: bool,
    follow: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Project a ledger into tables for SQL, or bring them up to date.

    NAME is a table described in docs/tables.md (default: all tables). The tables are stored beside
    the ledger (game.views.db), or in schemas of its PostgreSQL database. They can be deleted at any
    time, because everything in them comes from the ledger. --dry-run projects into a copy of the
    file, which is deleted; it cannot do so in PostgreSQL.

    Example: nomoledger project game.db standings board --follow
    """
    from nomoledger.ledger.as_of import only_game
    from nomoledger.views.sql.databases import default_location
    from nomoledger.views.sql.sync import Follower
    from nomoledger.views.sql.table import find_tables

    if dry_run and follow:
        raise click.UsageError("--follow and --dry-run exclude each other: give one")
    tables = find_tables(names)
    target = into or default_location(location, is_public)
    with open_ledger_at(location) as ledger:
        games = ledger.games() if game_name is None else [game_name]
        for name in games or ([] if follow else [only_game(ledger)]):
            ledger.head(name)
        followed = None if game_name is None else [game_name]
        with _open(target, is_public, dry_run) as views:
            results = _project(ledger, views, tables, games, followed if rebuild else [])
            _print_results(target, [table.name for table in tables], results, as_json)
            if follow:
                Follower(ledger, views, tables, followed, warn).follow()
    if dry_run and not as_json:
        print_unwritten(target.removeprefix("sqlite:///"))


def _open(target: str, is_public: bool, dry_run: bool) -> "AbstractContextManager[Views]":
    """Open the tables at *target*; for a *dry_run*, a copy of them."""
    from nomoledger.ledger.stores.location import is_postgres
    from nomoledger.views.sql.databases import open_views, scratch_views

    if not dry_run:
        return closing(open_views(target, is_public))
    if not is_postgres(target):
        from nomoledger.cli.atomic_file import check_folder

        check_folder(Path(target.removeprefix("sqlite:///")).absolute())
    return scratch_views(target, is_public)


def _project(
    ledger: "Ledger",
    views: "Views",
    tables: "Sequence[type[SqlTable]]",
    games: list[str],
    rebuilt: list[str] | None,
) -> "list[SyncResult]":
    """Bring *tables* of *games* up to date, after deleting those of the games *rebuilt*.

    If *rebuilt* is None, those of all games are made again.
    """
    from nomoledger.views.sql.sql_views import create_tables, reset_tables
    from nomoledger.views.sql.sync import events_behind, sync_tables

    if rebuilt != []:
        reset_tables(views, tables, rebuilt)
    create_tables(views, tables)
    outdated = [name for name in games if events_behind(ledger, views, tables, name)]
    total = sum(ledger.head(name).number + 1 for name in outdated)
    with progress("projecting", total) as advance:
        return list(sync_tables(ledger, views, tables, games, advance))


def _print_results(
    target: str, tables: list[str], results: "list[SyncResult]", as_json: bool
) -> None:
    if as_json:
        games = [{"game": x.game, "events": x.events, "new": x.new} for x in results]
        print_json({"into": safe_location(target), "tables": tables, "games": games})
        return
    count = f"{len(tables)} tables" if len(tables) > 1 else tables[0]
    for result in results:
        new = f"{result.new} of them new" if result.new else "nothing new"
        print_line(
            f"{result.game}: {result.events} events in {count} of {safe_location(target)}, {new}"
        )
    if not results:
        print_line("there is no game in this ledger yet")
