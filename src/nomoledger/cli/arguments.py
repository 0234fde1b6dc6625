"""Which ledger a command is about: its argument LEDGER, or the variable NOMOLEDGER_LEDGER.

Where the variable is set, LEDGER is not taken at all, so that a command never has to guess whether
its first word is a ledger or a player's name.
"""

import os
from shlex import quote
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from nomoledger.ledger.stores.location import redacted

if TYPE_CHECKING:
    from nomoledger.ledger.ledger import Ledger

VARIABLE = "NOMOLEDGER_LEDGER"


class LedgerArgument(click.Argument):
    """LEDGER, which is taken from the variable where that is set, and else from the line."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Leave the words of the line to the other arguments where the variable is set."""
        if not chosen():
            super().add_to_parser(parser, ctx)

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        """LEDGER, where it has to be written."""
        return [] if chosen() else super().get_usage_pieces(ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Any file."""
        return [CompletionItem(incomplete, type="file")]


def chosen() -> str:
    """The ledger that the variable names, or nothing."""
    return os.environ.get(VARIABLE, "")


def command_line(verb: str, ledger: str, rest: str = "", game: str = "") -> str:
    """How to write the command *verb* on *ledger* (and *game*): it can be pasted as it is,
    but for a password."""
    ledger, chosen_ = redacted(ledger), redacted(chosen())
    before = "" if chosen_ in ("", ledger) else f"{VARIABLE}={quote(ledger)}"
    written = "" if chosen() else quote(ledger)
    which = f"--game {quote(game)}" if game else ""
    return " ".join(each for each in (before, "nomoledger", verb, written, rest, which) if each)


def game_to_say(ledger: "Ledger", game: str) -> str:
    """*game*, where *ledger* has others and a command must say which; else nothing."""
    return game if len(ledger.games()) > 1 else ""


def too_many_words() -> str:
    """A hint for whoever wrote LEDGER although the variable is set."""
    if not chosen():
        return ""
    return f"; {VARIABLE} is set to {chosen()}, so LEDGER is not written: unset it to write one"
