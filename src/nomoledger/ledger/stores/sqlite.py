"""The embedded store: one SQLite file for any number of games, with eventsourcing's connections.

The events are in the library's own table; `docs/ledger-file.md` describes all tables. Nothing here
depends on environment variables.
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from types import TracebackType
from typing import Any

from nomoledger.errors import CorruptError
from nomoledger.ledger.chain import Link
from nomoledger.ledger.rollup import NO_UNITS, Cell
from nomoledger.ledger.stores.sqlite_audits import SqliteAudits, SqliteAuditWriter
from nomoledger.ledger.stores.sqlite_file import (
    SqliteConnections,
    open_file,
    plain_errors,
)
from nomoledger.ledger.stores.sqlite_pointers import (
    SqlitePointers,
    SqlitePointerWriter,
    read_pointers,
)
from nomoledger.ledger.stores.sqlite_schema import foreign_objects
from nomoledger.ledger.stores.sqlite_side_tables import (
    SqliteSideTables,
    SqliteSideTableWriter,
    add_units,
    insert_rows,
    raw_cells,
)
from nomoledger.ledger.stores.store import Evidence, Row

PAGE = 1000

SELECT_SECRET = "SELECT CAST(secret AS BLOB) FROM games WHERE game=?"
SELECT_UNLISTED = (
    "SELECT CAST(game AS BLOB) FROM (SELECT DISTINCT originator_id AS game FROM stored_events"
    " UNION SELECT DISTINCT game FROM chain EXCEPT SELECT game FROM games)"
)
SELECT_LINK = (
    "SELECT number, CAST(commitments AS BLOB), CAST(hash AS BLOB) FROM chain"
    " WHERE game=? AND typeof(number)='integer'"
)
SELECT_ROWS = (
    "SELECT originator_version, topic, state FROM stored_events WHERE originator_id=?"
    " AND originator_version>? AND originator_version<=? ORDER BY originator_version LIMIT ?"
)
SELECT_STATES = (
    "SELECT state FROM stored_events WHERE originator_id=? AND originator_version BETWEEN ? AND ?"
    " AND topic IN ({}) ORDER BY originator_version"
)
SELECT_COUNT = (
    "SELECT count(*) FROM stored_events"
    " WHERE originator_id=? AND originator_version BETWEEN 0 AND ?"
)
SELECT_CONTAINING = (
    "SELECT originator_version, topic, state FROM stored_events WHERE originator_id=?"
    " AND originator_version>? AND instr(state, ?) ORDER BY originator_version LIMIT ?"
)
# SQLite accepts any type in any column, so a tamperer may have stored anything. A number that is
# not an integer becomes -1; a state that is not a blob becomes empty, which fits no commitment.
SELECT_CONTENTS = (
    "SELECT CASE typeof(originator_version) WHEN 'integer' THEN originator_version ELSE -1 END,"
    " coalesce(CAST(topic AS BLOB), x''),"
    " CASE typeof(state) WHEN 'blob' THEN state ELSE x'' END"
    " FROM stored_events WHERE originator_id=? ORDER BY originator_version"
)
SELECT_LINKS = (
    "SELECT CASE typeof(number) WHEN 'integer' THEN number ELSE -1 END,"
    " CAST(commitments AS BLOB), CAST(hash AS BLOB)"
    " FROM chain WHERE game=? ORDER BY number"
)
SELECT_SIZES = "SELECT originator_id, sum(length(state)) FROM stored_events GROUP BY originator_id"
INSERT_EVENTS = "INSERT INTO stored_events VALUES {}"
INSERT_LINKS = "INSERT INTO chain VALUES {}"


class SqliteStore(SqliteSideTables, SqlitePointers, SqliteAudits):
    """The `nomoledger.ledger.stores.store.Store` in the file at *location*."""

    def __init__(self, location: str, *, create: bool = False, lock_timeout: int = 5) -> None:
        """Open the file at *location*; wait *lock_timeout* seconds for its lock."""
        self.location = location
        self.datastore = open_file(location, create=create, lock_timeout=lock_timeout)

    def news(self) -> None:
        """See `nomoledger.ledger.stores.store.Store.news`; a file tells nobody."""

    def confirm(self) -> None:
        """See `nomoledger.ledger.stores.store.Store.confirm`; there is no standby."""

    def close(self) -> None:
        """Close the connections to the file."""
        self.datastore.close()

    def games(self) -> list[str]:
        """Return the names of the games, sorted."""
        with self._reading() as cursor:
            return [game for (game,) in cursor.execute("SELECT game FROM games ORDER BY game")]

    def unlisted(self) -> list[str]:
        """See `nomoledger.ledger.stores.store.Store.unlisted`."""
        with self._reading() as cursor:
            rows = cursor.execute(SELECT_UNLISTED).fetchall()
            elsewhere = {pointer.game for pointer in read_pointers(cursor)}
        games = {bytes(game or b"").decode(errors="replace") for (game,) in rows}
        return sorted(games - elsewhere)

    def sizes(self) -> dict[str, int]:
        """Return the bytes of the records by game."""
        with self._reading() as cursor:
            return dict(cursor.execute(SELECT_SIZES).fetchall())

    def programs(self) -> list[str] | None:
        """Return None: a file does not tell who has it open."""
        return None

    def secret(self, game: str) -> bytes | None:
        """Return the secret of *game*, or None if there is no such game."""
        with self._reading() as cursor:
            return _secret(cursor, game)

    def tail(self, game: str) -> Link | None:
        """Return the last chain row of *game*, or None."""
        with self._reading() as cursor:
            return _tail(cursor, game)

    def secret_and_tail(self, game: str) -> tuple[bytes | None, Link | None]:
        """Return the secret and the last chain row of *game*, each or None."""
        with self._reading() as cursor:
            return _secret(cursor, game), _tail(cursor, game)

    def link(self, game: str, number: int) -> Link | None:
        """Return the first chain row of *game* that ends at *number* or later, or None."""
        with self._reading() as cursor:
            return _link(cursor, game, number)

    def rows(self, game: str, after: int, upto: int) -> Iterator[Row]:
        """Return the records of *game* numbered *after* + 1 to *upto*, in order."""
        return self._pages(SELECT_ROWS, game, after, upto)

    def states(self, game: str, topics: Collection[str], upto: int) -> Iterator[bytes]:
        """See `nomoledger.ledger.stores.store.Store.states`."""
        query = SELECT_STATES.format(",".join("?" * len(topics)))
        for first in range(0, upto + 1, PAGE):
            last = min(first + PAGE - 1, upto)
            with self._reading() as cursor:
                page = cursor.execute(query, (game, first, last, *topics)).fetchall()
            yield from chain.from_iterable(page)

    def count(self, game: str, upto: int) -> int:
        """Return the number of records of *game* from number 0 to *upto*."""
        with self._reading() as cursor:
            return int(cursor.execute(SELECT_COUNT, (game, upto)).fetchone()[0])

    def containing(self, game: str, text: str) -> Iterator[Row]:
        """Return the records of *game* whose state contains the bytes of *text*, in order."""
        return self._pages(SELECT_CONTAINING, game, -1, text.encode())

    def foreign_objects(self) -> list[str]:
        """See `nomoledger.ledger.stores.store.Store.foreign_objects`."""
        with self._reading() as cursor:
            return foreign_objects(cursor)

    @contextmanager
    def evidence(self, game: str) -> Iterator[Evidence]:
        """Yield everything stored of *game* at one moment, for verification."""
        with (
            self._reading() as cursor,
            closing(cursor.connection.cursor()) as second,
            closing(cursor.connection.cursor()) as third,
        ):
            second.row_factory = third.row_factory = None
            yield Evidence(
                contents=cursor.execute(SELECT_CONTENTS, (game,)),
                links=second.execute(SELECT_LINKS, (game,)),
                cells=raw_cells(third, game),
            )

    def writing(self) -> "WritingBlock":
        """Open a transaction: everything is committed at the end of the block, or nothing."""
        return WritingBlock(self.datastore, self.location)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Cursor]:
        with plain_errors(self.location), self.datastore.transaction(commit=False) as cursor:
            cursor.sqlite_cursor.row_factory = None
            yield cursor.sqlite_cursor

    def _pages(self, query: str, game: str, after: int, *values: Any) -> Iterator[Row]:
        """Yield rows a page at a time, so that no transaction stays open between two rows."""
        while True:
            with self._reading() as cursor:
                page = cursor.execute(query, (game, after, *values, PAGE)).fetchall()
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1][0]


class WritingBlock:
    """The `with` block of a transaction, as a class: a generator would slow down small ones."""

    def __init__(self, datastore: SqliteConnections, location: str) -> None:
        """Prepare a transaction on the connection of *datastore* that writes."""
        self._datastore = datastore
        self._location = location

    def __enter__(self) -> "SqliteWriter":
        """Wait for other writers and begin the transaction."""
        with plain_errors(self._location):
            self._transaction = self._datastore.write_transaction(self._datastore.take_turn())
            try:
                self._cursor = self._transaction.__enter__().sqlite_cursor
            except BaseException:
                self._datastore.end_turn()
                raise
        self._cursor.row_factory = None
        try:
            self._datastore.check_schema(self._cursor, self._location)
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return SqliteWriter(self._cursor, self._location)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Commit, or roll back after an error."""
        with plain_errors(self._location):
            try:
                self._cursor.close()
                self._transaction.__exit__(kind, error, trace)
            finally:
                self._datastore.end_turn()


class SqliteWriter(SqliteSideTableWriter, SqlitePointerWriter, SqliteAuditWriter):
    """The `nomoledger.ledger.stores.store.Writer` of a file."""

    def create_game(self, game: str, secret: bytes) -> None:
        """Add *game*, which must not exist yet."""
        self._cursor.execute("INSERT INTO games (game, secret) VALUES (?,?)", (game, secret))

    def replace_secret(self, game: str, secret: bytes) -> None:
        """Replace the secret of *game*, which exists."""
        self._cursor.execute("UPDATE games SET secret=? WHERE game=?", (secret, game))

    def secret(self, game: str) -> bytes | None:
        """Return the secret of *game*, or None if there is no such game."""
        return _secret(self._cursor, game)

    def tail(self, game: str) -> Link | None:
        """Return the last chain row of *game*, or None."""
        return _tail(self._cursor, game)

    def link(self, game: str, number: int) -> Link | None:
        """Return the first chain row of *game* that ends at *number* or later, or None."""
        return _link(self._cursor, game, number)

    def rows(self, game: str, after: int, upto: int) -> list[Row]:
        """Return the records of *game* numbered *after* + 1 to *upto*, in order."""
        return self._cursor.execute(SELECT_ROWS, (game, after, upto, -1)).fetchall()

    def insert(
        self,
        game: str,
        rows: Sequence[Row],
        links: Sequence[Link],
        units: Mapping[Cell, int] = NO_UNITS,
    ) -> None:
        """Add records with their chain rows, and add *units* to cells of the roll-up.

        Raises:
            CorruptError: a record with that number exists already.
        """
        try:
            insert_rows(self._cursor, INSERT_EVENTS, [(game, *row) for row in rows])
            insert_rows(self._cursor, INSERT_LINKS, [(game, *link) for link in links])
        except sqlite3.IntegrityError as error:
            raise CorruptError(
                f"{self._location}: game {game!r} has a record behind the end of its chain,"
                " so nothing can be appended: verify it"
            ) from error
        add_units(self._cursor, game, units)


def _secret(cursor: sqlite3.Cursor, game: str) -> bytes | None:
    row = cursor.execute(SELECT_SECRET, (game,)).fetchone()
    return None if row is None else row[0]


def _tail(cursor: sqlite3.Cursor, game: str) -> Link | None:
    row: Link | None = cursor.execute(
        f"{SELECT_LINK} ORDER BY number DESC LIMIT 1", (game,)
    ).fetchone()
    return row


def _link(cursor: sqlite3.Cursor, game: str, number: int) -> Link | None:
    row: Link | None = cursor.execute(
        f"{SELECT_LINK} AND number>=? ORDER BY number LIMIT 1", (game, number)
    ).fetchone()
    return row
