"""The command demo: a real week is imported, audited, ruled on, and its standings shown."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nomoledger.cli.chosen import command_line
from nomoledger.cli.output import line, show
from nomoledger.store.location import shown

if TYPE_CHECKING:
    from nomoledger.desk import Desk
    from nomoledger.replay import Divergence

SEASON = "weekly-vote-season"
PERIOD = 1


@click.command()
@click.option("--ledger", metavar="LEDGER", help="Where to keep it (default: a temporary file).")
def demo(ledger: str | None) -> None:
    """Import a real week, audit it, rule on what is found.

    Example: nomoledger demo
    """
    from nomoledger.cli.opened import new_ledger_at
    from nomoledger.errors import UsageError
    from nomoledger.records import import_record
    from nomoledger.replays import find

    if ledger is not None and Path(ledger).exists():
        raise UsageError(f"{ledger} is there already: give the name of a file that is not")
    where = ledger or str(Path(tempfile.mkdtemp(prefix="nomoledger-demo-")) / "season.db")
    with new_ledger_at(where) as opened:
        line(f"importing {SEASON} into {shown(where)}")
        desk = import_record(opened, find(SEASON), until=PERIOD)
        _audit(desk)
        _standings(desk)
    line("")
    line("next:")
    for verb, rest in (("log", ""), ("replay", f"--period {PERIOD} --json"), ("verify", "")):
        line(f"  {command_line(verb, where, rest)}")


def _audit(desk: "Desk") -> None:
    """Audit the week, and rule on what it finds."""
    from nomoledger.cli.ledgers import told
    from nomoledger.replay import replay

    report = replay(desk.ledger, desk.game, PERIOD)
    line("")
    for each in told(report):
        line(each)
    line("")
    for found in report.divergences:
        _rule(desk, found)


def _rule(desk: "Desk", found: "Divergence") -> None:
    """Put *found* right by a ruling that cites the recorded fact and the rule."""
    from nomoledger.cli.telling import tell_outcome
    from nomoledger.rules.rule import Set

    change = Set("player", found.subject, found.what, found.by_rules)
    rule = found.rule.partition("@")[0]
    text = "Thirteen and eight on twenty squares is 1."
    outcome = desk.rule(text, changes=(change,), cites=(f"#{found.event}", rule))
    tell_outcome(desk, outcome, str)


def _standings(desk: "Desk") -> None:
    from nomoledger.projecting import LedgerView, projection

    line("")
    show(projection("standings")(LedgerView(desk.ledger, desk.game)), False)
