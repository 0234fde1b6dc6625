"""SQL tables in a PostgreSQL schema, with eventsourcing's PostgreSQL tracking recorder."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg
from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresTrackingRecorder
from psycopg.rows import dict_row, tuple_row

from nomoledger.ledger.stores.location import safe_location
from nomoledger.ledger.stores.postgres_link import (
    PostgresConnections,
    address_of,
    direct_connection,
    plain_errors,
)
from nomoledger.ledger.stores.postgres_standby import confirmed_transaction
from nomoledger.ledger.stores.schema_versions import check_not_newer
from nomoledger.views.sql.sql_views import CREATE_HEADS, CREATE_MADE, LAYOUT
from nomoledger.views.sql.table import SqlTable
from nomoledger.views.sql.table_statements import Dialect, Values

#: The schema of the tables with secrets (False) and of the public ones (True).
SCHEMAS = {False: "nomoledger_views", True: "nomoledger_public"}
TYPES = {
    "text": "text", "integer": "bigint", "number": "numeric", "time": "timestamptz", "json": "json",
}  # fmt: skip
READ = {"json": '"{}"::text'}
#: Locks a schema for one writer, so that what it reads first stays true until it commits.
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 7885644))"
#: Locks the creation of schemas.
LOCK_MAKING = "SELECT pg_advisory_xact_lock(7885644)"
#: The number of statements sent at once.
BATCH_MAX = 500
HAS_VERSION = "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'layout'"


def _texts(values: Values) -> Values:
    """Return texts without the character 0, which PostgreSQL cannot store."""
    if "\0" not in "".join(filter(None, values)):
        return values
    return [x and x.replace("\0", "\N{REPLACEMENT CHARACTER}") for x in values]


class PostgresViews(PostgresTrackingRecorder):
    """The `nomoledger.views.sql.sql_views.Views` of one schema of a database."""

    def __init__(self, location: str, is_public: bool, lock_timeout: int = 30) -> None:
        self.location = safe_location(location)
        self.is_public = is_public
        self._schema = SCHEMAS[is_public]
        self._datastore = LazyPostgresDatastore(address_of(location), lock_timeout=lock_timeout)
        self._datastore.schema = self._schema
        super().__init__(self._datastore, tracking_table_name="tracking")
        with plain_errors(self.location):
            self.create_table()

    def close(self) -> None:
        """Close the connections."""
        self.datastore.close()

    @contextmanager
    def writing(self) -> Iterator["PostgresTransaction"]:
        """Open an exclusive transaction, committed at the end of the block or rolled back."""
        with (
            plain_errors(self.location),
            self._datastore.living_connection() as connection,
            connection.transaction(),
        ):
            connection.execute(LOCK, (self._schema,))
            # The public `insert_tracking` opens a transaction of its own. The library's
            # documentation calls `_insert_tracking` to track inside another transaction.
            track = partial(self._insert_tracking, connection.cursor())
            yield PostgresTransaction(connection, self._schema, track)


class LazyPostgresDatastore(PostgresConnections):
    """Does not wait for each commit: after a crash the tables may be behind, but not wrong."""

    def __init__(self, address: dict[str, Any], *, lock_timeout: int) -> None:
        super().__init__(address, lock_timeout=lock_timeout)
        self.pool.kwargs = address | {"row_factory": dict_row}

    def after_connect_func(self) -> Callable[[psycopg.Connection[Any]], None]:
        """Return the function that prepares a new connection. It keeps no reference to us."""
        prepare = super().after_connect_func()

        def prepare_lazy(connection: psycopg.Connection[Any]) -> None:
            prepare(connection)
            connection.execute(b"SET synchronous_commit = off")

        return prepare_lazy


class PostgresTransaction:
    """The `nomoledger.views.sql.table_statements.TableTransaction` of a PostgreSQL schema."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        schema: str,
        track: Callable[[Tracking], None],
    ) -> None:
        self.dialect = Dialect(TYPES, "%s", f"{schema}.", "", READ, {"text": _texts})
        self._cursor = connection.cursor(row_factory=tuple_row)
        self._track = track

    def run(self, statement: str, values: Values) -> None:
        """Execute *statement*."""
        self._cursor.execute(statement.encode(), values or None)

    def rows(self, statement: str, values: Values) -> list[tuple[Any, ...]]:
        """Execute *statement* and return its rows."""
        return self._cursor.execute(statement.encode(), values).fetchall()

    def remove(self, statement: str, keys: Sequence[Values]) -> None:
        """Execute *statement* once for each of *keys*."""
        for start in range(0, len(keys), BATCH_MAX):
            self._cursor.executemany(statement.encode(), keys[start : start + BATCH_MAX])

    def add(self, table: type[SqlTable], rows: Sequence[Values]) -> None:
        """Insert *rows*, which the table must not hold yet."""
        if not rows:
            return
        statement = f'COPY {self.dialect.schema}"{table.name}" FROM STDIN'
        with self._cursor.copy(statement.encode()) as copy:
            for row in rows:
                copy.write_row(row)

    def track(self, tracking: Tracking) -> None:
        """Insert a tracking record."""
        self._track(tracking)


def open_database(location: str, is_public: bool) -> PostgresViews:
    """Open the schema of tables in the database at *location*, and create it if necessary.

    Raises:
        StoreError: The database cannot be used.
    """
    schema = SCHEMAS[is_public]
    with direct_connection(address_of(location), safe_location(location)) as connection:
        if connection.execute(HAS_VERSION, (schema,)).fetchone() is None:
            _make_schema(connection, schema)
        query = f"SELECT max(version) FROM {schema}.layout"
        row = connection.execute(query.encode()).fetchone()
        check_not_newer(f"{safe_location(location)}, {schema},", row[0] if row else 0, LAYOUT)
    return PostgresViews(location, is_public)


def _make_schema(connection: psycopg.Connection[Any], schema: str) -> None:
    with confirmed_transaction(connection):
        connection.execute(LOCK_MAKING)
        if connection.execute(HAS_VERSION, (schema,)).fetchone() is None:
            _create_schema(connection, schema)


def _create_schema(connection: psycopg.Connection[Any], schema: str) -> None:
    for statement in (
        f"CREATE SCHEMA IF NOT EXISTS {schema}",
        f"CREATE TABLE {schema}.layout (version integer NOT NULL)",
        f"INSERT INTO {schema}.layout VALUES ({LAYOUT})",
        CREATE_MADE.format(f"{schema}."),
        CREATE_HEADS.format(f"{schema}."),
    ):
        connection.execute(statement.encode())
