"""The argument LEDGER, and command lines that a user can paste.

If the variable NOMOLEDGER_LEDGER names a ledger, commands do not accept the argument LEDGER. A
command therefore never has to guess whether its first word is a ledger or a player's name.
"""

import os
from shlex import quote
from typing import Any

import click
from click.shell_completion import CompletionItem

from nomoledger.ledger.stores.location import safe_location

VARIABLE = "NOMOLEDGER_LEDGER"


class LedgerArgument(click.Argument):
    """The argument LEDGER: read from the variable if it is set, otherwise from the command line."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Leave the words of the line to the other arguments if the variable is set."""
        if not ledger_in_environment():
            super().add_to_parser(parser, ctx)

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return LEDGER, unless the variable is set."""
        return [] if ledger_in_environment() else super().get_usage_pieces(ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of any file."""
        return [CompletionItem(incomplete, type="file")]


def ledger_in_environment() -> str:
    """Return the ledger that the variable names, or an empty string."""
    return os.environ.get(VARIABLE, "")


def command_line(verb: str, location: str, words: str = "", game_name: str = "") -> str:
    """Return a command line that runs *verb* on the ledger at *location*, without its password.

    *words* are further arguments, already quoted.
    """
    from nomoledger.game.command_lines import written_command

    location, variable = safe_location(location), safe_location(ledger_in_environment())
    line = written_command(verb, "" if variable else location, words, game_name)
    return line if variable in ("", location) else f"{VARIABLE}={quote(location)} {line}"


def extra_argument_hint() -> str:
    """Return a hint for a user who wrote LEDGER although the variable is set."""
    if not (variable := ledger_in_environment()):
        return ""
    return (
        f"; {VARIABLE} is set to {safe_location(variable)}: leave LEDGER out, or unset the variable"
    )
