"""The command line: one command for each thing the library does.

Modules of this package import the library inside the functions that need it, to start quickly:
`nomoledger --help` takes 0.3 s, and 1.3 s if all modules are imported at the top (2 cores, Python
3.11). `tests/test_cli.py` checks that the heavy libraries are not loaded.
"""

import sys

from nomoledger.cli import (
    bisect,
    completion,
    demo,
    dispute,
    explain,
    ledgers,
    maintenance,
    orders,
    play,
    project,
    projections,
    proofs,
    provisional,
    publish,
    rulebooks,
    ruling,
    run,
    simulate,
    status,
    test,
    what_if,
)
from nomoledger.cli.group import CommandGroup, version_option

program = CommandGroup(
    name="nomoledger",
    help="Record, replay, audit and explain a game whose rules change while it is played.",
    epilog="""\b
    Example:
      nomoledger init game.db --rulebook mail-opening
      nomoledger join game.db Ann email=ann@example.org
      nomoledger standings game.db

    LEDGER is a file, or a PostgreSQL database: postgresql://user@host/database. If the variable
    NOMOLEDGER_LEDGER names a ledger, leave LEDGER out.

    Every command has --help; commands that print have --json. Exit codes: 0 success, 1 refused by
    the rules, or a check failed (replay, verify, test, ...), 2 usage error or failure.""",
    sections={
        "Start": [ledgers.init, ledgers.import_, demo.demo],
        "Play": [
            play.join,
            play.leave,
            play.submit,
            orders.order,
            play.propose,
            play.vote,
            play.judge,
            play.roll,
            play.answer,
            play.undo,
        ],
        "Run a game": [
            play.close,
            play.advance,
            run.run,
            ruling.ruling,
            dispute.dispute,
            dispute.finality,
        ],
        "View": [
            status.status,
            projections.standings,
            projections.board,
            projections.balances,
            projections.state,
            projections.history,
            projections.log,
            projections.rulings,
            rulebooks.rules,
        ],
        "Explain and predict": [
            explain.explain,
            explain.why_not,
            bisect.bisect,
            what_if.what_if,
            provisional.provisional,
        ],
        "Verify": [ledgers.replay, ledgers.verify, proofs.seal, proofs.open_],
        "Publish and export": [publish.publish, ledgers.export, project.project],
        "Test rules": [test.test, simulate.simulate],
        "Maintain": [maintenance.copy, maintenance.upgrade, maintenance.rebuild],
        "Shell": [completion.completion],
    },
)


program.params.append(version_option())


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(program.main(prog_name="nomoledger"))
