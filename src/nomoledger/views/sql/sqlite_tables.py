"""SQL tables in an SQLite file of their own, with eventsourcing's SQLite tracking recorder."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Any

from eventsourcing.persistence import Tracking
from eventsourcing.sqlite import SQLiteConnection, SQLiteCursor, SQLiteTrackingRecorder

from nomoledger.errors import StoreError
from nomoledger.ledger.stores.schema_versions import check_not_newer
from nomoledger.ledger.stores.sqlite_file import SqliteConnections, plain_errors
from nomoledger.ledger.stores.sqlite_side_tables import insert_rows
from nomoledger.ledger.stores.store import NUMBER_MAX
from nomoledger.views.sql.sql_views import CREATE_HEADS, CREATE_MADE, LAYOUT, check_audience
from nomoledger.views.sql.table import SqlTable
from nomoledger.views.sql.table_statements import Dialect, Values

#: Whether tables are public, by the file's application id: "nomv", and "nomp" for public ones.
APPLICATION_IDS = {0x6E6F6D76: False, 0x6E6F6D70: True}


def _times(values: Values) -> Values:
    """Return times as text in UTC, so that the text sorts by time."""
    texts, last, text = [], None, None
    for value in values:
        if value is not last and value != last:  # The events of one request share their time.
            last = value
            text = None if value is None else value.astimezone(UTC).isoformat(" ")[:19]
        texts.append(text)
    return texts


def _numbers(values: Values) -> Values:
    """Return numbers that SQLite can store: it has no exact decimals, and 64-bit integers only."""
    return [x if type(x) is int and abs(x) <= NUMBER_MAX else _nearest(x) for x in values]


def _nearest(value: Any) -> float | None:
    return None if value is None else float(value)


DIALECT = Dialect(
    types={
        "text": "TEXT", "integer": "INTEGER", "number": "NUMERIC", "time": "TEXT", "json": "TEXT",
    },
    mark="?",
    schema="",
    options=" WITHOUT ROWID",
    read={},
    written={"time": _times, "number": _numbers},
)  # fmt: skip


class SqliteViews(SQLiteTrackingRecorder):
    """The `nomoledger.views.sql.sql_views.Views` of the file at *location*."""

    def __init__(self, location: str, is_public: bool, lock_timeout: int = 5) -> None:
        self.location = location
        self.is_public = is_public
        uri = Path(location).absolute().as_uri()
        super().__init__(LazySqliteDatastore(uri, lock_timeout))
        with plain_errors(location):
            self.create_table()

    def close(self) -> None:
        """Close the file."""
        self.datastore.close()

    @contextmanager
    def writing(self) -> Iterator["SqliteTransaction"]:
        """Open an exclusive transaction, committed at the end of the block or rolled back."""
        with plain_errors(self.location), self.datastore.transaction(commit=True) as cursor:
            # The public `insert_tracking` opens a transaction of its own. The library's
            # documentation calls `_insert_tracking` to track inside another transaction.
            yield SqliteTransaction(cursor, partial(self._insert_tracking, cursor))


class LazySqliteDatastore(SqliteConnections):
    """Does not sync each commit: after a power cut the tables may be behind, but not wrong."""

    @contextmanager
    def get_connection(self, *, commit: bool) -> Iterator[SQLiteConnection]:
        """Open a connection that does not sync each commit."""
        with super().get_connection(commit=commit) as connection:
            connection.cursor().execute("PRAGMA synchronous=NORMAL")
            yield connection


class SqliteTransaction:
    """The `nomoledger.views.sql.table_statements.TableTransaction` of an SQLite file."""

    dialect = DIALECT

    def __init__(self, cursor: SQLiteCursor, track: Callable[[Tracking], None]) -> None:
        self._cursor = cursor.sqlite_cursor.connection.cursor()
        self._cursor.row_factory = None
        self._track = track

    def run(self, statement: str, values: Values) -> None:
        """Execute *statement*."""
        self._cursor.execute(statement, values)

    def rows(self, statement: str, values: Values) -> list[tuple[Any, ...]]:
        """Execute *statement* and return its rows."""
        return self._cursor.execute(statement, values).fetchall()

    def remove(self, statement: str, keys: Sequence[Values]) -> None:
        """Execute *statement* once for each of *keys*."""
        self._cursor.executemany(statement, keys)

    def add(self, table: type[SqlTable], rows: Sequence[Values]) -> None:
        """Insert *rows*, which the table must not hold yet."""
        insert_rows(self._cursor, f'INSERT INTO "{table.name}" VALUES {{}}', rows)

    def track(self, tracking: Tracking) -> None:
        """Insert a tracking record."""
        self._track(tracking)


def open_file(location: str, is_public: bool) -> SqliteViews:
    """Open the file of tables at *location*, and create it if it does not exist.

    Raises:
        UsageError: The file holds secret tables and *is_public* is true, or the reverse.
        StoreError: The file holds something else, or cannot be used.
    """
    if Path(location).is_dir():
        raise StoreError(f"{location} is a folder: give the path of a file")
    with plain_errors(location), closing(sqlite3.connect(location, isolation_level=None)) as file:
        try:
            _prepare_file(file, location, is_public)
        except sqlite3.DatabaseError as error:
            if "not a database" not in str(error):
                raise
            raise StoreError(f"{location} holds no tables of ours: give another --into") from None
    return SqliteViews(location, is_public)


def _prepare_file(connection: sqlite3.Connection, location: str, is_public: bool) -> None:
    connection.execute("BEGIN IMMEDIATE")
    (kind,) = connection.execute("PRAGMA application_id").fetchone()
    if kind not in APPLICATION_IDS:
        (table_count,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if table_count:
            raise StoreError(f"{location} holds no tables of ours: give another --into")
        connection.execute(CREATE_MADE.format(""))
        connection.execute(CREATE_HEADS.format(""))
        (kind,) = (number for number, public in APPLICATION_IDS.items() if public == is_public)
        connection.execute(f"PRAGMA application_id={kind}")
        connection.execute(f"PRAGMA user_version={LAYOUT}")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    check_not_newer(location, version, LAYOUT)
    check_audience(location, APPLICATION_IDS[kind], is_public)
    connection.execute("COMMIT")
