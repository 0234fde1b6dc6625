"""The command project: tables of a ledger that can be queried with SQL, kept at its head."""

from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_ledger_at
from nomoledger.cli.output import json, line, warn
from nomoledger.cli.progress import progress
from nomoledger.ledger.stores.location import redacted

if TYPE_CHECKING:
    from nomoledger.views.sql.sync import SyncResult


@click.command()
@options.ledger
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--into", metavar="VIEWS", help="Where the tables are: a file, or postgresql://….")
@options.game
@click.option("--public", "is_public", is_flag=True, help="Only what everybody may see.")
@click.option("--rebuild", is_flag=True, help="Make the tables anew, from nothing.")
@click.option("--follow", is_flag=True, help="Go on until Ctrl-C, as events are recorded.")
@options.as_json
def project(
    ledger: str,
    names: tuple[str, ...],
    into: str | None,
    game: str | None,
    is_public: bool,
    rebuild: bool,
    follow: bool,
    as_json: bool,
) -> None:
    """Keep tables to be queried with SQL.

    NAME is one of the tables that docs/tables.md describes; without any, all are kept. They are in
    a file beside the ledger (game.views.db), or in schemas of its PostgreSQL database. They may be
    deleted at any time: nothing is in them that is not in the ledger.

    Example: nomoledger project game.db standings board --follow
    """
    from nomoledger.ledger.as_of import only_game
    from nomoledger.views.sql.databases import beside, open_views
    from nomoledger.views.sql.sql_views import empty, prepare
    from nomoledger.views.sql.sync import Follower, behind, sync_tables
    from nomoledger.views.sql.table import chosen

    tables = chosen(names)
    place = into or beside(ledger, is_public)
    with open_ledger_at(ledger) as opened:
        wanted = opened.games() if game is None else [game]
        for each in wanted or ([] if follow else [only_game(opened)]):
            opened.head(each)
        views = open_views(place, is_public)
        try:
            if rebuild:
                empty(views, tables, None if game is None else [game])
            prepare(views, tables)
            late = [each for each in wanted if behind(opened, views, tables, each)]
            total = sum(opened.head(each).number + 1 for each in late)
            with progress("projecting", total) as advance:
                kept = list(
                    sync_tables(opened, views, tables, wanted, advance or (lambda count: None))
                )
            _tell(place, [each.name for each in tables], kept, as_json)
            if follow:
                Follower(opened, views, tables, None if game is None else [game], warn).follow()
        finally:
            views.close()


def _tell(place: str, names: list[str], kept: "list[SyncResult]", as_json: bool) -> None:
    if as_json:
        games = [{"game": each.game, "events": each.events, "new": each.new} for each in kept]
        json({"into": redacted(place), "tables": names, "games": games})
        return
    counted = f"{len(names)} tables" if len(names) > 1 else names[0]
    for each in kept:
        new = f"{each.new} of them new" if each.new else "nothing new"
        line(f"{each.game}: {each.events} events in {counted} of {redacted(place)}, {new}")
    if not kept:
        line("there is no game in this ledger yet")
