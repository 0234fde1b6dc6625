"""The command line: one command for each thing the library does."""

import sys

from nomoledger.cli import (
    cases,
    completion,
    demo,
    explain,
    ledgers,
    look,
    orders,
    play,
    publish,
    rulebooks,
    rulings,
    status,
    what_if,
)
from nomoledger.cli.program import Program, version_option

program = Program(
    name="nomoledger",
    help="Record, replay, audit and explain a game whose rules change while it is played.",
    epilog="""\b
    Example:
      nomoledger init game.db --rulebook mail-opening
      nomoledger join game.db Ann email=ann@example.org
      nomoledger standings game.db

    Where the variable NOMOLEDGER_LEDGER names a file, LEDGER is left out.

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
            play.close,
            play.advance,
            play.undo,
        ],
        "Look": [
            status.status,
            look.standings,
            look.board,
            look.balances,
            look.state,
            rulebooks.rules,
            look.history,
            look.log,
            publish.publish,
        ],
        "Prove": [
            explain.explain,
            explain.why_not,
            what_if.what_if,
            ledgers.replay,
            ledgers.verify,
            ledgers.export,
            cases.test,
        ],
        "Shell": [completion.completion],
    },
)


program.params.append(version_option())


def main() -> None:
    """Run the command line, and leave with its exit code."""
    sys.exit(program.main(prog_name="nomoledger"))
