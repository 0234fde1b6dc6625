"""The command line: one command for each thing the library does.

To start quickly, the module of a command is imported when the command is run, and modules of this
package import the library inside the functions that need it. `tests/cli/test_help.py` checks that
the heavy libraries are not loaded.
"""

import gc
import sys

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
        "Start": {
            "init": ("ledgers:init", "Open a game under a rulebook, in a new or existing ledger."),
            "import": (
                "imports:import_",
                "Import FILE: an export, a hand-kept record, or a table.",
            ),
            "demo": ("demo:demo", "Import eight real weeks, audit them, and undo one slip."),
        },
        "Play": {
            "join": ("play:join", "Ask to join the game as NAME."),
            "leave": ("play:leave", "Ask to leave the game."),
            "submit": ("play:submit", "Submit an action on behalf of PLAYER (or admin)."),
            "order": ("orders:order", "Place a standing order for PLAYER, or cancel one."),
            "answer": ("play:answer", "Answer the open question."),
            "roll": ("play:roll", "Enter real dice, or another draw made by hand."),
            "dice": ("dice_seeds:dice", "Mix seeds of the players into the dice; show who did."),
            "undo": ("play:undo", "Take back the last request, if it still waits."),
        },
        "Proposals and rules": {
            "propose": (
                "play:propose",
                "Propose TEXT, and changes to the rules, on behalf of PLAYER.",
            ),
            "proposals": (
                "proposal:proposals",
                "List the proposals: author, state, votes, and until when.",
            ),
            "proposal": (
                "proposal:proposal",
                "Try a proposal before it is made, and show one in full.",
            ),
            "vote": ("play:vote", "Cast PLAYER's vote on a proposal."),
            "judge": ("play:judge", "Judge a proposal: VERDICT is accepted or rejected."),
            "rules": (
                "rulebooks:rules",
                "Show the rules, one rule, their history; check rulebooks.",
            ),
            "test": ("test:test", "Run cases of a rulebook, and show where they fail."),
            "simulate": ("simulate:simulate", "Play a whole season of a rulebook with bots."),
        },
        "Run a game": {
            "close": ("play:close", "Carry out what is pending in the open period, and close it."),
            "advance": (
                "play:advance",
                "Advance the game's clock, and fire the timers that are due.",
            ),
            "run": ("run:run", "Keep a live game's clock: fire each timer when it is due."),
            "ruling": (
                "ruling:ruling",
                "Rule: answer a question, or correct the present or the past.",
            ),
            "void": (
                "void:void",
                "Rule that an order, timer, question or proposal is void.",
            ),
            "dispute": (
                "dispute:dispute",
                "Open, argue, close and show disputes of what is recorded.",
            ),
            "finality": ("dispute:finality", "Set after how many days standings become final."),
            "handover": ("handover:handover", "Hand a game over to another admin."),
        },
        "See a game": {
            "status": (
                "status:status",
                "Show what waits, for whom, until when, and what answers it.",
            ),
            "players": (
                "players:players",
                "List the players: place, square, money, what waits for each.",
            ),
            "player": (
                "players:player",
                "Show a player: where, with what, what waits, what is possible.",
            ),
            "standings": (
                "projections:standings",
                "Show the players by money, and the squares they own.",
            ),
            "board": (
                "projections:board",
                "Show the board: its squares, their owners, and the players.",
            ),
            "balances": (
                "projections:balances",
                "Show the balance of every account, by commodity.",
            ),
            "history": (
                "projections:history",
                "Show what happened, in prose that can be published.",
            ),
            "log": ("projections:log", "Show every event, with the rules behind it and its cause."),
            "rulings": ("projections:rulings", "Show the rulings, and which of them are in force."),
            "state": ("projections:state", "Show the full state: every attribute of every thing."),
        },
        "Explain and predict": {
            "explain": (
                "explain:explain",
                "Explain a value or an event, back to its die or submission.",
            ),
            "why-not": ("explain:why_not", "Explain why an operation of the rules did not happen."),
            "bisect": ("bisect:bisect", "Find the event after which a statement became true."),
            "what-if": ("what_if:what_if", "Replay the game with something changed, and compare."),
            "forecast": (
                "forecast:forecast",
                "Play the game on under many seeds, with and without a change.",
            ),
            "provisional": (
                "provisional:provisional",
                "Show the game as if the open period were closed now.",
            ),
        },
        "Verify": {
            "replay": (
                "ledgers:replay",
                "Replay a period under its own rules, and compare the record.",
            ),
            "audit": ("audit:audit", "Replay every period of many ledgers, and list findings."),
            "verify": (
                "ledgers:verify",
                "Check that no record was altered and that all seals match.",
            ),
            "seal": ("proofs:seal", "Write the signed seal of a closed period, for publication."),
            "open": (
                "proofs:open_",
                "Disclose one sealed event, with a proof that it was recorded.",
            ),
        },
        "Publish and export": {
            "serve": ("serve:serve", "Open the games in a browser, for the admin and players."),
            "publish": ("publish:publish", "Publish a game as a static site in the folder DIR."),
            "export": ("ledgers:export", "Export a ledger to FILE, or to standard output (-)."),
            "project": (
                "project:project",
                "Project a ledger into tables for SQL, or bring them up to date.",
            ),
        },
        "Maintain": {
            "league": (
                "league_commands:league",
                "Keep many games: list them, move them, audit them.",
            ),
            "copy": ("maintenance:copy", "Copy games to the ledger TARGET, and verify them there."),
            "upgrade": (
                "maintenance:upgrade",
                "Upgrade the tables of a ledger to the current schema.",
            ),
            "rebuild": (
                "maintenance:rebuild",
                "Rebuild the roll-up and the snapshots from the events.",
            ),
        },
        "Shell": {
            "completion": (
                "completion:completion",
                "Print the script that completes commands in your shell.",
            ),
        },
    },
)


#: How many new objects Python's garbage collector waits for. At its default, it runs dozens of
#: times while modules are imported, and takes 10 ms of every command.
COLLECT_AFTER = 50_000

program.params.append(version_option())


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(COLLECT_AFTER)
    sys.exit(program.main(prog_name="nomoledger"))
