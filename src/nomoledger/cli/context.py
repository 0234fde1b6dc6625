"""Opening a ledger for a command, and making one that disappears again where that fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nomoledger.ledger.stores.location import is_postgres

if TYPE_CHECKING:
    from nomoledger.game.game import Game
    from nomoledger.game.read_models import LedgerView
    from nomoledger.ledger.ledger import Ledger


def place_of(location: str) -> Path | None:
    """The file in which the ledger at *location* is; None where it is not in a file."""
    return None if is_postgres(location) else Path(location.removeprefix("sqlite:///"))


@contextmanager
def open_ledger_at(location: str) -> Iterator["Ledger"]:
    """The ledger at *location*, which must be there."""
    from nomoledger.ledger.ledger import Ledger

    with Ledger.open(location) as opened:
        yield opened


@contextmanager
def new_ledger_at(location: str) -> Iterator["Ledger"]:
    """The ledger at *location*, made where it is absent; a file made goes if the block fails."""
    from nomoledger.ledger.ledger import Ledger

    file = place_of(location)
    existed = file is None or file.exists()
    try:
        with Ledger.open(location, create=True) as opened:
            yield opened
    except BaseException:
        if file is not None and not existed:
            for suffix in ("", "-wal", "-shm", "-journal"):
                file.with_name(file.name + suffix).unlink(missing_ok=True)
        raise


@contextmanager
def open_game_at(location: str, game: str | None) -> Iterator["Game"]:
    """The desk of a game in the ledger at *location*."""
    from nomoledger.game.game import Game

    with open_ledger_at(location) as ledger:
        yield Game(ledger, game)


@contextmanager
def view_at(
    location: str,
    game: str | None,
    period: int | None = None,
    reader: str | None = None,
    known: int | None = None,
) -> Iterator["LedgerView"]:
    """A game in the ledger at *location*, as it stood when *period* closed, as known at *known*."""
    from nomoledger.game.read_models import LedgerView
    from nomoledger.ledger.as_of import only_game

    with open_ledger_at(location) as ledger:
        yield LedgerView(ledger, game or only_game(ledger), period, reader, known)
