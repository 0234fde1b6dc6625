"""Opening ledgers, games and views for the time that a command runs."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nomoledger.cli.remedies import naming_the_remedy
from nomoledger.ledger.stores.location import is_postgres

if TYPE_CHECKING:
    from nomoledger.game.game import Game
    from nomoledger.game.read_models import LedgerView
    from nomoledger.ledger.ledger import Ledger


#: How every SQLite database begins.
_DATABASE = b"SQLite format 3\0"


def ledger_file(location: str) -> Path | None:
    """Return the file of the ledger at *location*; None if the ledger is a PostgreSQL database."""
    return None if is_postgres(location) else Path(location.removeprefix("sqlite:///"))


def is_ledger(location: str) -> bool:
    """Return whether *location* is a PostgreSQL database, or a file that is an SQLite database."""
    file = ledger_file(location)
    if file is None or not file.is_file():
        return file is None
    with file.open("rb") as opened:
        return opened.read(len(_DATABASE)) == _DATABASE


@contextmanager
def open_ledger_at(location: str, *, dry_run: bool = False) -> Iterator["Ledger"]:
    """Open the ledger at *location*, which must exist; for a *dry_run*, a scratch copy of it.

    Raises:
        MovedError: its games are all elsewhere.
    """
    from nomoledger.ledger.as_of import check_not_all_elsewhere

    with open_ledger_or_scratch(location, dry_run=dry_run) as ledger:
        check_not_all_elsewhere(ledger)
        yield ledger


@contextmanager
def open_ledger_or_scratch(location: str, *, dry_run: bool = False) -> Iterator["Ledger"]:
    """Open the ledger at *location*; for a *dry_run*, a scratch copy of it."""
    from nomoledger.ledger.ledger import Ledger

    with Ledger.open(location) as ledger:
        if dry_run:
            from nomoledger.ledger.stores.scratch import ScratchStore

            yield Ledger(ScratchStore(ledger.store, ledger.store.location))
        else:
            yield ledger


@contextmanager
def open_or_create_ledger_at(location: str, *, dry_run: bool = False) -> Iterator["Ledger"]:
    """Open the ledger at *location*, created if needed.

    If the block fails, a new file is deleted, unless another program has opened a game in it. For a
    *dry_run*, the ledger is a scratch copy, and no file is created.
    """
    from nomoledger.ledger.ledger import Ledger

    file = ledger_file(location)
    existed = file is None or file.exists()
    if dry_run:
        with _scratch_at(location, existed=existed) as scratch:
            yield scratch
        return
    try:
        with Ledger.open(location, create=True) as ledger:
            yield ledger
    except BaseException:
        if file is not None and not existed:
            from nomoledger.ledger.stores.sqlite_file import remove_if_unused

            remove_if_unused(file)
        raise


@contextmanager
def _scratch_at(location: str, *, existed: bool) -> Iterator["Ledger"]:
    """Open a scratch copy of the ledger at *location*; an empty one if it does not exist."""
    from nomoledger.ledger.ledger import Ledger
    from nomoledger.ledger.stores.scratch import ScratchStore

    if existed:
        with open_ledger_or_scratch(location, dry_run=True) as scratch:
            yield scratch
        return
    from nomoledger.cli.atomic_file import check_folder

    check_folder(Path(location.removeprefix("sqlite:///")).absolute())
    yield Ledger(ScratchStore(None, location))


@contextmanager
def open_ledger_of_game(
    location: str, game_name: str | None, *, dry_run: bool = False
) -> Iterator[tuple["Ledger", str]]:
    """Open the ledger at *location*; yield it with *game_name*, or the name of its only game."""
    from nomoledger.ledger.as_of import only_game

    with open_ledger_at(location, dry_run=dry_run) as ledger:
        name = game_name or only_game(ledger)
        with naming_the_remedy(ledger, name):
            yield ledger, name


@contextmanager
def open_game_at(
    location: str, game_name: str | None, *, dry_run: bool = False
) -> Iterator["Game"]:
    """Open a game in the ledger at *location*; for a *dry_run*, a scratch copy of it."""
    from nomoledger.game.game import Game

    with open_ledger_at(location, dry_run=dry_run) as ledger:
        seed = secrets.token_bytes(32) if dry_run else None
        game = Game(ledger, game_name, throwaway=seed)
        with naming_the_remedy(ledger, game.name):
            yield game


@contextmanager
def open_view_at(
    location: str,
    game_name: str | None,
    period: int | None = None,
    reader: str | None = None,
    known: int | None = None,
) -> Iterator["LedgerView"]:
    """Open a view of a game as of the close of *period*, as known at the close of *known*."""
    from nomoledger.game.read_models import LedgerView

    with open_ledger_of_game(location, game_name) as (ledger, name):
        yield LedgerView(ledger, name, period, reader, known)
