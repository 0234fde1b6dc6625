"""Tables in an SQLite file of their own, on eventsourcing's recorder of what has been tracked."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC
from pathlib import Path
from typing import Any

from eventsourcing.sqlite import SQLiteConnection, SQLiteCursor, SQLiteTrackingRecorder

from nomoledger.errors import StoreError
from nomoledger.ledger.stores.schema_versions import check_not_newer
from nomoledger.ledger.stores.sqlite_file import SqliteConnections, explained
from nomoledger.ledger.stores.sqlite_side_tables import insert_rows
from nomoledger.ledger.stores.store import NUMBER_MAX
from nomoledger.views.sql.queries import Dialect, Values
from nomoledger.views.sql.sql_views import CREATE_HEADS, CREATE_MADE, LAYOUT, check_audience
from nomoledger.views.sql.table import SqlTable

#: "nomv", and "nomp" where it is public.
APPLICATION_IDS = {0x6E6F6D76: False, 0x6E6F6D70: True}


def _times(values: Values) -> Values:
    """In UTC, so that they sort as they follow one another."""
    found, last, text = [], None, None
    for value in values:
        if value is not last and value != last:  # the events of one request share one
            last = value
            text = None if value is None else value.astimezone(UTC).isoformat(" ")[:19]
        found.append(text)
    return found


def _numbers(values: Values) -> Values:
    """SQLite has no exact decimals, and no whole numbers of more than 64 bits."""
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
    """The `nomoledger.views.sql.sql_views.Views` in the file at *location*."""

    def __init__(self, location: str, is_public: bool, lock_timeout: int = 5) -> None:
        self.location = location
        self.is_public = is_public
        uri = Path(location).absolute().as_uri()
        super().__init__(LazySqliteDatastore(uri, lock_timeout))
        with explained(location):
            self.create_table()

    def close(self) -> None:
        """Let go of the file."""
        self.datastore.close()

    @contextmanager
    def writing(self) -> Iterator["SqliteWriting"]:
        """A transaction: committed at the end of the block, or not at all; nobody else writes."""
        with explained(self.location), self.datastore.transaction(commit=True) as cursor:
            yield SqliteWriting(cursor)


class LazySqliteDatastore(SqliteConnections):
    """Leaves the last commits to the system: after a power cut the tables are older, not wrong."""

    @contextmanager
    def get_connection(self, *, commit: bool) -> Iterator[SQLiteConnection]:
        with super().get_connection(commit=commit) as connection:
            connection.cursor().execute("PRAGMA synchronous=NORMAL")
            yield connection


class SqliteWriting:
    """The `nomoledger.views.sql.sql_views.Cursor` of a file."""

    dialect = DIALECT

    def __init__(self, cursor: SQLiteCursor) -> None:
        self.cursor = cursor
        self._plain = cursor.sqlite_cursor.connection.cursor()
        self._plain.row_factory = None

    def run(self, statement: str, values: Values) -> None:
        """Carry out *statement*."""
        self._plain.execute(statement, values)

    def rows(self, statement: str, values: Values) -> list[tuple[Any, ...]]:
        """The rows that *statement* gives."""
        return self._plain.execute(statement, values).fetchall()

    def remove(self, statement: str, keys: Sequence[Values]) -> None:
        """Carry out *statement* for each of the *keys*."""
        self._plain.executemany(statement, keys)

    def add(self, table: type[SqlTable], rows: Sequence[Values]) -> None:
        """Add *rows*, none of which is there."""
        insert_rows(self._plain, f'INSERT INTO "{table.name}" VALUES {{}}', rows)


def open_file(location: str, is_public: bool) -> SqliteViews:
    """The file of tables at *location*, made where there is none.

    Raises:
        UsageError: it holds what is not public, or the other way round.
        StoreError: it is no file of tables, or one we cannot use.
    """
    if Path(location).is_dir():
        raise StoreError(f"{location} is a folder: give the path of a file")
    with explained(location), closing(sqlite3.connect(location, isolation_level=None)) as found:
        try:
            _prepare(found, location, is_public)
        except sqlite3.DatabaseError as error:
            if "not a database" not in str(error):
                raise
            raise StoreError(f"{location} holds no tables of ours: give another --into") from None
    return SqliteViews(location, is_public)


def _prepare(connection: sqlite3.Connection, location: str, is_public: bool) -> None:
    connection.execute("BEGIN IMMEDIATE")
    (kind,) = connection.execute("PRAGMA application_id").fetchone()
    if kind not in APPLICATION_IDS:
        (there,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if there:
            raise StoreError(f"{location} holds no tables of ours: give another --into")
        connection.execute(CREATE_MADE.format(""))
        connection.execute(CREATE_HEADS.format(""))
        (kind,) = (each for each, public in APPLICATION_IDS.items() if public == is_public)
        connection.execute(f"PRAGMA application_id={kind}")
        connection.execute(f"PRAGMA user_version={LAYOUT}")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    check_not_newer(location, version, LAYOUT)
    check_audience(location, APPLICATION_IDS[kind], is_public)
    connection.execute("COMMIT")
