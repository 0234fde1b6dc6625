"""Pointers to games that are elsewhere, in a ledger file.

Only a file that takes part in a move has the table. An older nomoledger does not know the table,
but finds no game there, and writes nothing.
"""

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager

from nomoledger.ledger.stores.pointer import Pointer

CREATE = """CREATE TABLE IF NOT EXISTS pointers (
    game TEXT NOT NULL PRIMARY KEY,
    place TEXT NOT NULL,
    is_arriving INTEGER NOT NULL,
    secret BLOB NOT NULL,
    created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
)"""
HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE type='table' AND name='pointers'"
SELECT = """SELECT game, place, is_arriving, CAST(secret AS BLOB) FROM pointers
    WHERE ?1 IS NULL OR game=?1 ORDER BY game"""
KEEP = """INSERT INTO pointers (game, place, is_arriving, secret) VALUES (?,?,?,?)
    ON CONFLICT (game) DO UPDATE SET
        place=excluded.place, is_arriving=excluded.is_arriving, secret=excluded.secret"""
KEEP_CREATED = """UPDATE pointers SET created = (SELECT created FROM games WHERE game=?1)
    WHERE game=?1 AND EXISTS (SELECT 1 FROM games WHERE game=?1)"""
RETURN = "INSERT INTO games SELECT game, secret, created FROM pointers WHERE game=?"


class SqlitePointers:
    """The part of a `nomoledger.ledger.stores.store.Store` that reads pointers."""

    _reading: Callable[[], AbstractContextManager[sqlite3.Cursor]]

    def pointers(self) -> list[Pointer]:
        """Return the pointers to games that are elsewhere, sorted by the names of the games."""
        with self._reading() as cursor:
            return read_pointers(cursor)

    def pointer(self, game: str) -> Pointer | None:
        """Return where *game* is instead of here, or None."""
        with self._reading() as cursor:
            return next(iter(read_pointers(cursor, game)), None)


class SqlitePointerWriter:
    """The part of a `nomoledger.ledger.stores.store.Writer` that writes pointers."""

    _cursor: sqlite3.Cursor

    def pointer(self, game: str) -> Pointer | None:
        """Return where *game* is instead of here, or None."""
        return next(iter(read_pointers(self._cursor, game)), None)

    def set_pointer(self, pointer: Pointer) -> None:
        """Note where the game of *pointer* is; there is no such game here any more."""
        row = pointer.game, pointer.place, int(pointer.is_arriving), pointer.secret
        self._cursor.execute(CREATE)
        self._cursor.execute(KEEP, row)
        self._cursor.execute(KEEP_CREATED, (pointer.game,))
        self._cursor.execute("DELETE FROM games WHERE game=?", (pointer.game,))

    def drop_pointer(self, game: str) -> None:
        """Make *game*, which has a pointer, a game of this store again."""
        self._cursor.execute(RETURN, (game,))
        self._cursor.execute("DELETE FROM pointers WHERE game=?", (game,))


def read_pointers(cursor: sqlite3.Cursor, game: str | None = None) -> list[Pointer]:
    """Return the pointers in the file, or that of one *game*; none if there is no table."""
    if cursor.execute(HAS_TABLE).fetchone() is None:
        return []
    rows = cursor.execute(SELECT, (game,)).fetchall()
    return [Pointer(name, place, bool(arriving), secret) for name, place, arriving, secret in rows]
