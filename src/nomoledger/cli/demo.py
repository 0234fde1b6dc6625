"""The command demo: import and audit eight real weeks, and replay one slip."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.arguments import command_line
from nomoledger.cli.demo_ledger import SEASON
from nomoledger.cli.dry_runs import print_dry_run
from nomoledger.cli.output import print_line

if TYPE_CHECKING:
    from nomoledger.game.game import Game

#: The last week of the record, and the first whose beginning is partly inferred from later facts.
LAST, FIRST_INFERRED = 8, 6
#: The squares that the name in the one ambiguous fact fits.
READINGS = (20, 21)
#: The event of Jamie's landing in week 1, recorded as square 3, and the square by the rules.
SLIP, SQUARE = 116, 1


@click.command()
@click.option(
    "--ledger",
    "location",
    metavar="LEDGER",
    help="Create the ledger here (default: in a temporary folder).",
)
@click.option(
    "--weeks", type=click.IntRange(1, LAST), default=LAST, show_default=True, metavar="N",
    help="Import the first N weeks.",
)  # fmt: skip
@options.dry_run
def demo(location: str | None, weeks: int, dry_run: bool) -> None:
    """Import eight real weeks, audit them, and undo one slip.

    Example: nomoledger demo
    """
    from nomoledger.cli.context import open_or_create_ledger_at
    from nomoledger.errors import UsageError
    from nomoledger.game.recorded_games import files
    from nomoledger.game.records import import_record

    if location is not None and Path(location).exists():
        raise UsageError(f"{location} exists already: give the name of a new file")
    if location is None:
        folder = tempfile.gettempdir() if dry_run else tempfile.mkdtemp(prefix="nomoledger-demo-")
        location = str(Path(folder) / "season.db")
    with open_or_create_ledger_at(location, dry_run=dry_run) as ledger:
        print_line(f"importing {SEASON} into {location}")
        for file in files(SEASON):
            game = import_record(ledger, file, until=weeks)
        _audit(game)
        if weeks == LAST:
            _count_confirmed(game)
            _try_readings(game)
        _replay_slip(game)
    if dry_run:
        print_dry_run()
        return
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


def _count_confirmed(game: "Game") -> None:
    """Print how many facts of the last weeks are confirmed by what does not rest on them."""
    from nomoledger.game.inferred_facts import count_confirmed
    from nomoledger.game.recorded_games import files

    compared, resting = count_confirmed(game.ledger, game.name, files(SEASON), FIRST_INFERRED)
    print_line("")
    print_line(
        f"weeks {FIRST_INFERRED} to {LAST}: {compared} facts compared; {resting} of them confirm"
        f" nothing, as something was inferred from them; {compared - resting} are confirmed"
    )


def _try_readings(game: "Game") -> None:
    """Print what would differ under each reading of the fact that the rules cannot read."""
    from nomoledger.cli.what_if import run_what_if
    from nomoledger.events import Replaced
    from nomoledger.game.counterfactual import WhatIfChanges
    from nomoledger.game.replay import replay

    (fact,) = replay(game.ledger, game.name, LAST).unexplained
    for square in READINGS:
        edit = Replaced(fact.event, {"detail": ["Draven", f"#{square}"]})
        result = run_what_if(game, WhatIfChanges(edits=(edit,)))
        differs = ", ".join(
            f"{difference.subject} {difference.what}"
            for difference in result.otherwise
            if not difference.subject.startswith("account ")
        )
        print_line(f"#{fact.event} read as {square}: what differs is {differs or 'nothing'}")


def _replay_slip(game: "Game") -> None:
    """Print what would differ if the first slip had not happened."""
    from nomoledger.cli.what_if import print_what_if, run_what_if
    from nomoledger.events import Replaced
    from nomoledger.game.counterfactual import WhatIfChanges

    print_line("")
    print_line("what if Jamie had been put where the rules say?")
    changes = WhatIfChanges(edits=(Replaced(SLIP, {"square": SQUARE}),))
    print_what_if(game, run_what_if(game, changes), orphans_max=2)
