"""The command import: an export, a hand-kept record, or a table of facts."""

from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_or_create_ledger_at
from nomoledger.cli.dry_runs import print_dry_run
from nomoledger.cli.ledgers import heads_as_json
from nomoledger.cli.output import print_blocks, print_failure, print_json, print_line
from nomoledger.cli.progress import file_size, open_counting, progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nomoledger.ledger.chain import Head

#: How many bad rows are listed.
_LISTED_MAX = 10
_EXPLAINED = "the rules in force explain every fact"


@click.command("import")
@options.ledger
@click.argument("file", type=click.Path(dir_okay=False))
@click.option(
    "--rulebook",
    metavar="NAME_OR_FILE",
    help="Begin a game under these rules with a table of facts (.csv).",
)
@click.option(
    "--preview",
    is_flag=True,
    help="Print what is understood of a table of facts, and change nothing.",
)
@click.option(
    "--game", "game_name", metavar="NAME", help="Call the game of a record or table NAME."
)
@options.dry_run
@options.as_json
def import_(
    location: str,
    file: str,
    rulebook: str | None,
    preview: bool,
    game_name: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import FILE: an export, a hand-kept record, or a table.

    FILE is imported as a whole or not at all. The ledger is created if needed. A table (.csv)
    begins a game under --rulebook, or continues the game in the ledger. --preview prints what its
    columns and rows are understood to mean.

    Example: nomoledger import game.db season.jsonl
    """
    from nomoledger.game.records import is_record
    from nomoledger.game.table_import import is_table

    if is_table(file):
        _import_table(location, file, rulebook, game_name, preview, dry_run, as_json)
        return
    if rulebook is not None or preview:
        with open(file, "rb"):
            raise click.UsageError(
                "--rulebook and --preview are for tables, whose names end in .csv or .tsv"
            )
    is_hand_kept = is_record(file)
    if game_name is not None and not is_hand_kept:
        with open(file, "rb"):
            raise click.UsageError("an export names its own games: --game is for hand-kept records")
    if is_hand_kept:
        heads = _import_record(location, file, game_name, dry_run)
    else:
        heads = _import_export(location, file, dry_run)
    _print_heads(heads, dry_run, as_json)


def _print_heads(heads: dict[str, "Head"], dry_run: bool, as_json: bool) -> None:
    if as_json:
        print_json(heads_as_json(heads))
        return
    for name, head in heads.items():
        print_line(f"imported {name}: {head.number + 1} events, head {head}")
    if dry_run:
        print_dry_run()


def _import_table(
    location: str,
    file: str,
    rulebook: str | None,
    game_name: str | None,
    preview: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import the table, or print what is understood of it; nothing if any row is bad."""
    from nomoledger.cli.table_preview import (
        understood_as_json,
        understood_lines,
        unexplained_lines,
        unknown_columns,
    )
    from nomoledger.game.table_import import TableImport

    with open_or_create_ledger_at(location, dry_run=dry_run or preview) as ledger:
        with progress("reading the table"):
            importing = TableImport(ledger, file, rulebook, game_name)
        if preview and not as_json:
            print_blocks(understood_lines(importing))
        _check_rows(importing.table.problems, file)
        with progress("importing the table"):
            game = importing.play()
        unexplained = importing.unexplained_rows(game)
        head = ledger.head(game.name)
    if preview:
        if as_json:
            print_json(understood_as_json(importing, unexplained))
            return
        print_blocks(unexplained_lines(unexplained) or [_EXPLAINED])
        print_line("a preview: nothing is written")
        return
    if not as_json:
        print_blocks(unknown_columns(importing))
        print_blocks(unexplained_lines(unexplained))
    _print_heads({game.name: head}, dry_run, as_json)


def _check_rows(problems: "Sequence[str]", file: str) -> None:
    """Print the *problems* of the table in *file*, a line each, and raise the last.

    Raises:
        RecordError: there is a problem.
    """
    if not problems:
        return
    from nomoledger.errors import RecordError

    listed = list(problems[:_LISTED_MAX])
    if more := len(problems) - len(listed):
        listed.append(f"{file}: {more} more bad rows: correct those above first")
    for problem in listed[:-1]:
        print_failure(problem)
    raise RecordError(listed[-1])


def _import_record(
    location: str, file: str, game_name: str | None, dry_run: bool
) -> dict[str, "Head"]:
    from nomoledger.game.records import import_record

    with (
        open_or_create_ledger_at(location, dry_run=dry_run) as ledger,
        progress("importing the record"),
    ):
        game = import_record(ledger, file, game_name)
        return {game.name: ledger.head(game.name)}


def _import_export(location: str, file: str, dry_run: bool) -> dict[str, "Head"]:
    from nomoledger.game.exchange import import_ledger

    with (
        progress("importing", file_size(file)) as advance,
        open_counting(file, advance) as source,
        open_or_create_ledger_at(location, dry_run=dry_run) as ledger,
    ):
        return import_ledger(ledger, source)
