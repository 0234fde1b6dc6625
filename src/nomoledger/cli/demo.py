"""The command demo: import and audit five real weeks, and replay one slip."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nomoledger.cli.arguments import command_line
from nomoledger.cli.output import print_line

if TYPE_CHECKING:
    from nomoledger.game.game import Game

SEASON = "weekly-vote-season"
#: The event of Jamie's landing in week 1, recorded as square 3, and the square by the rules.
SLIP, SQUARE = 116, 1


@click.command()
@click.option(
    "--ledger",
    "location",
    metavar="LEDGER",
    help="Create the ledger here (default: in a temporary folder).",
)
def demo(location: str | None) -> None:
    """Import five real weeks, audit them, and undo one slip.

    Example: nomoledger demo
    """
    from nomoledger.cli.context import open_or_create_ledger_at
    from nomoledger.errors import UsageError
    from nomoledger.game.recorded_games import find
    from nomoledger.game.records import import_record

    if location is not None and Path(location).exists():
        raise UsageError(f"{location} exists already: give the name of a new file")
    location = location or str(Path(tempfile.mkdtemp(prefix="nomoledger-demo-")) / "season.db")
    with open_or_create_ledger_at(location) as ledger:
        print_line(f"importing {SEASON} into {location}")
        game = import_record(ledger, find(SEASON))
        _audit(game)
        _replay_slip(game)
    print_line("")
    print_line("next:")
    for verb, words in (
        ("standings", "--all"),
        ("explain", "Jamie money"),
        ("ruling", f'"Thirteen and eight is 1" --replace {SLIP}=square:{SQUARE} --settle money'),
        ("standings", "--history"),
    ):
        print_line(f"  {command_line(verb, location, words)}")


def _audit(game: "Game") -> None:
    """Print an audit of every week of the record."""
    from nomoledger.cli.ledgers import report_lines
    from nomoledger.cli.output import print_blocks
    from nomoledger.game.replay import replay

    print_line("")
    for period in range(1, game.world.period):
        print_blocks(report_lines(replay(game.ledger, game.name, period)))


def _replay_slip(game: "Game") -> None:
    """Print what would differ if the first slip had not happened."""
    from nomoledger.cli.what_if import print_what_if, run_what_if
    from nomoledger.events import Replaced
    from nomoledger.game.counterfactual import WhatIfChanges

    print_line("")
    print_line("what if Jamie had been put where the rules say?")
    changes = WhatIfChanges(edits=(Replaced(SLIP, {"square": SQUARE}),))
    print_what_if(game, run_what_if(game, changes), orphans_max=2)
