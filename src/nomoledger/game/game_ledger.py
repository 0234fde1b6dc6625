"""A ledger of games, as a program opens it: `nomoledger.open`."""

from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.location import safe_location
from nomoledger.rulebook.cases import texts_beside
from nomoledger.rulebook.loading import Rulebook, load


class GameLedger(Ledger):
    """A ledger with the games in it. Use it in a `with` block, or close it."""

    def __repr__(self) -> str:
        """Show the location, and the names of the games."""
        games = ", ".join(self.games()) or "empty"
        return f"<GameLedger {safe_location(self.store.location)}: {games}>"

    def create_game(
        self,
        name: str,
        rulebook: str | Rulebook,
        *,
        settings: dict[str, Any] | None = None,
        given: dict[str, Any] | None = None,
        dice: str = "seeded",
        period: int = 1,
        at: datetime | None = None,
        secret: bytes | None = None,
    ) -> Game:
        """Open a new game called *name* under *rulebook* (a shipped one by name, or a file).

        *settings* are parameters of the rules, *given* is the initial state, *dice* is "seeded",
        "players" or "entered" (see `nomoledger.events.GameOpened`). Seeds derive from *secret* (32
        random bytes if None).

        Raises:
            UnknownError: there is no such rulebook.
            UsageError: the game exists, or the rules refuse such a start.
        """
        book = rulebook if isinstance(rulebook, Rulebook) else load(rulebook)
        cases = {} if isinstance(rulebook, Rulebook) else texts_beside(rulebook)
        options: dict[str, Any] = {"settings": settings, "given": given, "dice_from": dice}
        options["cases"] = cases
        return open_game(self, name, book, period=period, at=at, secret=secret, **options)

    def game(self, name: str | None = None) -> Game:
        """Return the game called *name*, or the only game.

        Raises:
            UnknownError: there is no such game.
            UsageError: there are several, or none.
        """
        return Game(self, name)

    def import_record(self, path: str | Path, *, name: str | None = None) -> Game:
        """Import the hand-kept record at *path* as a new game, or as the continuation of one.

        Raises:
            RecordError: the record cannot be read; nothing is stored.
        """
        # Imported late: few programs import records.
        from nomoledger.game.records import import_record

        return import_record(self, path, name)


def open_ledger(location: str | PathLike[str], *, create: bool = False) -> GameLedger:
    """Open the ledger at *location*: a SQLite file, or `postgresql://user@host/database`.

    With *create*, the ledger is made if it does not exist.

    Raises:
        UnknownError: the ledger does not exist. StoreError: it cannot be used.
    """
    return GameLedger.open(location, create=create)
