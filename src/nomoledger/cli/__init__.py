"""The command line: one command for each thing the library does."""

import sys

from nomoledger.cli import (
    bisect,
    completion,
    demo,
    explain,
    ledgers,
    orders,
    play,
    project,
    provisional,
    publish,
    rulebooks,
    run,
    simulate,
    status,
    what_if,
)
from nomoledger.cli import dispute as disputes
from nomoledger.cli import maintenance as stores
from nomoledger.cli import projections as look
from nomoledger.cli import proofs as proof
from nomoledger.cli import ruling as rulings
from nomoledger.cli import test as cases
from nomoledger.cli.group import CommandGroup, version_option

program = CommandGroup(
    name="nomoledger",
    help="Record, replay, audit and explain a game whose rules change while it is played.",
    epilog="""\b
    Example:
      nomoledger init game.db --rulebook mail-opening
      nomoledger join game.db Ann email=ann@example.org
      nomoledger standings game.db

    LEDGER is a file, or a PostgreSQL database: postgresql://user@host/database. Where the
    variable NOMOLEDGER_LEDGER names one, LEDGER is left out.

    Every command has --help; those that print have --json. Exit codes: 0 done, 1 the game says
    no (or a replay diverges, a ledger does not verify, a case fails), 2 misuse.""",
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
            rulings.ruling,
            disputes.dispute,
            disputes.finality,
            play.close,
            play.advance,
            run.run,
            play.undo,
        ],
        "Look": [
            status.status,
            look.standings,
            look.board,
            look.balances,
            look.state,
            rulebooks.rules,
            look.rulings,
            look.history,
            look.log,
            provisional.provisional,
            publish.publish,
        ],
        "Prove": [
            explain.explain,
            explain.why_not,
            bisect.bisect,
            what_if.what_if,
            ledgers.replay,
            ledgers.verify,
            ledgers.export,
            proof.seal,
            proof.open_,
            cases.test,
            simulate.simulate,
        ],
        "Keep": [project.project, stores.copy, stores.upgrade, stores.rebuild],
        "Shell": [completion.completion],
    },
)


program.params.append(version_option())


def main() -> None:
    """Run the command line, and leave with its exit code."""
    sys.exit(program.main(prog_name="nomoledger"))
