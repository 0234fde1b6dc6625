"""The command demo: five real weeks are imported and audited, and one slip is played again."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nomoledger.cli.arguments import command_line
from nomoledger.cli.output import line

if TYPE_CHECKING:
    from nomoledger.game.game import Game

SEASON = "weekly-vote-season"
#: Jamie's landing in week 1, recorded as 3, and where the rules put it.
SLIP, SQUARE = 116, 1


@click.command()
@click.option("--ledger", metavar="LEDGER", help="Where to keep it (default: a temporary file).")
def demo(ledger: str | None) -> None:
    """Import five real weeks, audit them, play one slip again.

    Example: nomoledger demo
    """
    from nomoledger.cli.context import new_ledger_at
    from nomoledger.errors import UsageError
    from nomoledger.game.recorded_games import find
    from nomoledger.game.records import import_record

    if ledger is not None and Path(ledger).exists():
        raise UsageError(f"{ledger} is there already: give the name of a file that is not")
    where = ledger or str(Path(tempfile.mkdtemp(prefix="nomoledger-demo-")) / "season.db")
    with new_ledger_at(where) as opened:
        line(f"importing {SEASON} into {where}")
        desk = import_record(opened, find(SEASON))
        _audit(desk)
        _play_again(desk)
    line("")
    line("next:")
    for verb, rest in (
        ("standings", "--all"),
        ("explain", "Jamie money"),
        ("ruling", f'"Thirteen and eight is 1" --replace {SLIP}=square:{SQUARE} --settle money'),
        ("standings", "--history"),
    ):
        line(f"  {command_line(verb, where, rest)}")


def _audit(desk: "Game") -> None:
    """Audit every week of the record."""
    from nomoledger.cli.ledgers import told
    from nomoledger.game.replay import replay

    line("")
    for period in range(1, desk.world.period):
        for each in told(replay(desk.ledger, desk.name, period)):
            line(each)


def _play_again(desk: "Game") -> None:
    """Show what would have been, had the first slip not happened."""
    from nomoledger.cli.what_if import asked_on, tell
    from nomoledger.events import Replaced
    from nomoledger.game.counterfactual import WhatIfChanges

    line("")
    line("what if Jamie had been put where the rules say?")
    changed = WhatIfChanges(edits=(Replaced(SLIP, {"square": SQUARE}),))
    tell(asked_on(desk, changed), orphans_max=2)
