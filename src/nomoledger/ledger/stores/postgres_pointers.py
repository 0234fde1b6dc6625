"""Pointers to games that are elsewhere, in a PostgreSQL database.

Only a database that takes part in a move has the table. An older nomoledger does not know the
table, but finds no game there, and writes nothing.
"""

from collections.abc import Callable
from typing import Any

import psycopg

from nomoledger.ledger.stores.pointer import Pointer
from nomoledger.ledger.stores.postgres_needed_tables import HAS_TABLE, create_if_missing

TABLE = "pointers"
CREATE = """CREATE TABLE IF NOT EXISTS nomoledger.pointers (
    game text COLLATE "C" NOT NULL PRIMARY KEY,
    place text NOT NULL,
    is_arriving boolean NOT NULL,
    secret bytea NOT NULL,
    created timestamptz NOT NULL DEFAULT now()
)"""
SELECT = """SELECT game, place, is_arriving, secret FROM nomoledger.pointers
    WHERE %s::text IS NULL OR game = %s ORDER BY game"""
KEEP = """INSERT INTO nomoledger.pointers (game, place, is_arriving, secret)
    VALUES (%s, %s, %s, %s) ON CONFLICT (game) DO UPDATE
        SET place = excluded.place, is_arriving = excluded.is_arriving, secret = excluded.secret"""
KEEP_CREATED = """UPDATE nomoledger.pointers AS p SET created = g.created
    FROM nomoledger.games AS g WHERE g.game = p.game AND g.game = %s"""
DROP_GAME = "DELETE FROM nomoledger.games WHERE game = %s"
RETURN = """INSERT INTO nomoledger.games (game, secret, created)
    SELECT game, secret, created FROM nomoledger.pointers WHERE game = %s"""
DROP = "DELETE FROM nomoledger.pointers WHERE game = %s"


class PostgresPointers:
    """The part of a `nomoledger.ledger.stores.store.Store` that reads pointers."""

    _fetch: Callable[..., list[Any]]

    def pointers(self) -> list[Pointer]:
        """Return the pointers to games that are elsewhere, sorted by the names of the games."""
        return self._pointers(None)

    def pointer(self, game: str) -> Pointer | None:
        """Return where *game* is instead of here, or None."""
        return next(iter(self._pointers(game)), None)

    def _pointers(self, game: str | None) -> list[Pointer]:
        if not self._fetch(HAS_TABLE, TABLE):
            return []
        return [Pointer(*row) for row in self._fetch(SELECT, game, game)]


class PostgresPointerWriter:
    """The part of a `nomoledger.ledger.stores.store.Writer` that writes pointers."""

    _connection: psycopg.Connection[Any]
    _lock: Callable[[str], Any]
    _forget: Callable[[str], None]

    def pointer(self, game: str) -> Pointer | None:
        """Return where *game* is instead of here, or None."""
        self._lock(game)
        if self._connection.execute(HAS_TABLE, (TABLE,)).fetchone() is None:
            return None
        row = self._connection.execute(SELECT, (game, game)).fetchone()
        return None if row is None else Pointer(*row)

    def set_pointer(self, pointer: Pointer) -> None:
        """Note where the game of *pointer* is; there is no such game here any more."""
        self._lock(pointer.game)
        create_if_missing(self._connection, TABLE, CREATE)
        row = pointer.game, pointer.place, pointer.is_arriving, pointer.secret
        for statement, values in ((KEEP, row), (KEEP_CREATED, row[:1]), (DROP_GAME, row[:1])):
            self._connection.execute(statement.encode(), values)
        self._forget(pointer.game)

    def drop_pointer(self, game: str) -> None:
        """Make *game*, which has a pointer, a game of this store again."""
        self._lock(game)
        for statement in (RETURN, DROP):
            self._connection.execute(statement.encode(), (game,))
        self._forget(game)
