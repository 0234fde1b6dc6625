"""The embedded store: one SQLite file for any number of games, on eventsourcing's recorder.

The events stand in the library's own table; ours beside it are described in
`docs/ledger-file.md`. Nothing here depends on environment variables.
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
from nomoledger.ledger.stores.sqlite_file import (
    SqliteConnections,
    WriteTransaction,
    explained,
    open_file,
)
from nomoledger.ledger.stores.sqlite_side_tables import (
    SqliteSideTables,
    SqliteSideTableWriter,
    add_units,
    found_cells,
    insert_rows,
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
# SQLite lets a tamperer put any type into any column: a number that is none becomes -1 and
# any other value that is no blob becomes an empty one, which no commitment fits.
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
INSERT_EVENTS = "INSERT INTO stored_events VALUES {}"
INSERT_LINKS = "INSERT INTO chain VALUES {}"


class SqliteStore(SqliteSideTables):
    """The `nomoledger.ledger.stores.Store` in the file at *location*."""

    def __init__(self, location: str, *, create: bool = False, lock_timeout: int = 5) -> None:
        self.location = location
        self.datastore = open_file(location, create=create, lock_timeout=lock_timeout)

    def close(self) -> None:
        """Let go of the file."""
        self.datastore.close()

    def games(self) -> list[str]:
        """The games in it, sorted."""
        with self._reading() as cursor:
            return [game for (game,) in cursor.execute("SELECT game FROM games ORDER BY game")]

    def unlisted(self) -> list[str]:
        """As `nomoledger.ledger.stores.Store.unlisted`."""
        with self._reading() as cursor:
            found = cursor.execute(SELECT_UNLISTED).fetchall()
        return sorted(bytes(game or b"").decode(errors="replace") for (game,) in found)

    def secret(self, game: str) -> bytes | None:
        """The secret of *game*; None when there is no such game."""
        with self._reading() as cursor:
            return _secret(cursor, game)

    def tail(self, game: str) -> Link | None:
        """The last row of the chain of *game*; None when it has none."""
        with self._reading() as cursor:
            return _tail(cursor, game)

    def link(self, game: str, number: int) -> Link | None:
        """The first row of the chain of *game* that ends at *number* or later; or None."""
        with self._reading() as cursor:
            return _link(cursor, game, number)

    def rows(self, game: str, after: int, upto: int) -> Iterator[Row]:
        """The records of *game* numbered above *after*, up to and with *upto*, in order."""
        return self._pages(SELECT_ROWS, game, after, upto)

    def states(self, game: str, topics: Collection[str], upto: int) -> Iterator[bytes]:
        """As `nomoledger.ledger.stores.Store.states`."""
        query = SELECT_STATES.format(",".join("?" * len(topics)))
        for first in range(0, upto + 1, PAGE):
            last = min(first + PAGE - 1, upto)
            with self._reading() as cursor:
                page = cursor.execute(query, (game, first, last, *topics)).fetchall()
            yield from chain.from_iterable(page)

    def count(self, game: str, upto: int) -> int:
        """How many records *game* has from number 0 up to and with *upto*."""
        with self._reading() as cursor:
            return int(cursor.execute(SELECT_COUNT, (game, upto)).fetchone()[0])

    def containing(self, game: str, text: str) -> Iterator[Row]:
        """The records of *game* whose state has the bytes of *text* somewhere, in order."""
        return self._pages(SELECT_CONTAINING, game, -1, text.encode())

    @contextmanager
    def evidence(self, game: str) -> Iterator[Evidence]:
        """Everything stored of *game* at one moment, for verifying it."""
        with (
            self._reading() as cursor,
            closing(cursor.connection.cursor()) as second,
            closing(cursor.connection.cursor()) as third,
        ):
            second.row_factory = third.row_factory = None
            yield Evidence(
                contents=cursor.execute(SELECT_CONTENTS, (game,)),
                links=second.execute(SELECT_LINKS, (game,)),
                cells=found_cells(third, game),
            )

    def writing(self) -> "WriterMaker":
        """A transaction: committed at the end of the block, or not at all."""
        return WriterMaker(self.datastore, self.location)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Cursor]:
        with explained(self.location), self.datastore.transaction(commit=False) as cursor:
            cursor.sqlite_cursor.row_factory = None
            yield cursor.sqlite_cursor

    def _pages(self, query: str, game: str, after: int, *rest: Any) -> Iterator[Row]:
        """Rows page by page: no transaction stays open between one row and the next."""
        while True:
            with self._reading() as cursor:
                page = cursor.execute(query, (game, after, *rest, PAGE)).fetchall()
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1][0]


class WriterMaker:
    """A transaction; small ones are so quick that a generator in place of this would show."""

    def __init__(self, datastore: SqliteConnections, location: str) -> None:
        self._datastore = datastore
        self._location = location

    def __enter__(self) -> "SqliteWriter":
        with explained(self._location):
            self._transaction = WriteTransaction(self._datastore.take_turn(), commit=True)
            try:
                self._cursor = self._transaction.__enter__().sqlite_cursor
            except BaseException:
                self._datastore.end_turn()
                raise
        self._cursor.row_factory = None
        return SqliteWriter(self._cursor, self._location)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with explained(self._location):
            try:
                self._cursor.close()
                self._transaction.__exit__(kind, error, trace)
            finally:
                self._datastore.end_turn()


class SqliteWriter(SqliteSideTableWriter):
    """The `nomoledger.ledger.stores.Writer` of a file."""

    def create_game(self, game: str, secret: bytes) -> None:
        """Add *game*, which is not there yet."""
        self._cursor.execute("INSERT INTO games (game, secret) VALUES (?,?)", (game, secret))

    def secret(self, game: str) -> bytes | None:
        """The secret of *game*; None when there is no such game."""
        return _secret(self._cursor, game)

    def tail(self, game: str) -> Link | None:
        """The last row of the chain of *game*; None when it has none."""
        return _tail(self._cursor, game)

    def link(self, game: str, number: int) -> Link | None:
        """The first row of the chain of *game* that ends at *number* or later; or None."""
        return _link(self._cursor, game, number)

    def rows(self, game: str, after: int, upto: int) -> list[Row]:
        """The records of *game* numbered above *after*, up to and with *upto*, in order."""
        return self._cursor.execute(SELECT_ROWS, (game, after, upto, -1)).fetchall()

    def insert(
        self,
        game: str,
        rows: Sequence[Row],
        links: Sequence[Link],
        units: Mapping[Cell, int] = NO_UNITS,
    ) -> None:
        """Add records with their rows of the chain, and *units* to cells of the roll-up.

        Raises:
            CorruptError: a record of that number is there already.
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
