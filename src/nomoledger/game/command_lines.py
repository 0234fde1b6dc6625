"""Command lines of nomoledger that a person can copy, with or without the ledger in them."""

from shlex import quote
from typing import TYPE_CHECKING

from nomoledger.ledger.stores.location import safe_location

if TYPE_CHECKING:
    from nomoledger.ledger.ledger import Ledger


def written_command(verb: str, location: str, words: str = "", game_name: str = "") -> str:
    """Return the command line that runs *verb* on the ledger at *location*, without its password.

    *words* are further arguments, already quoted. An empty *location* or *game_name* is left out.

    >>> written_command("judge", "my game.db", "1 accepted")
    "nomoledger judge 'my game.db' 1 accepted"
    """
    argument = quote(safe_location(location)) if location else ""
    option = f"--game {quote(game_name)}" if game_name else ""
    return " ".join(filter(None, ("nomoledger", verb, argument, words, option)))


def game_if_ambiguous(ledger: "Ledger", game_name: str) -> str:
    """Return *game_name* if commands on *ledger* must name the game, or an empty string."""
    return game_name if len(ledger.games()) > 1 else ""
