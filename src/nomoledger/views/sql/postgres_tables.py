"""Tables in a schema of a PostgreSQL database, on eventsourcing's recorder of what was tracked."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from eventsourcing.postgres import PostgresTrackingRecorder
from psycopg.rows import dict_row, tuple_row

from nomoledger.ledger.stores.location import redacted
from nomoledger.ledger.stores.postgres_link import (
    PostgresConnections,
    address_of,
    connected,
    explained,
)
from nomoledger.ledger.stores.schema_versions import check_not_newer
from nomoledger.views.sql.queries import Dialect, Values
from nomoledger.views.sql.sql_views import CREATE_HEADS, CREATE_MADE, LAYOUT
from nomoledger.views.sql.table import SqlTable

#: Where tables stand that tell everything, and those that tell what is public.
SCHEMAS = {False: "nomoledger_views", True: "nomoledger_public"}
TYPES = {
    "text": "text", "integer": "bigint", "number": "numeric", "time": "timestamptz", "json": "json",
}  # fmt: skip
READ = {"json": '"{}"::text'}
#: Held by whoever writes tables of a schema: what was read first is still so in the end.
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 7885644))"
#: Held by whoever makes a schema.
LOCK_MAKING = "SELECT pg_advisory_xact_lock(7885644)"
#: How many statements are sent at once.
AT_ONCE = 500
HAS_VERSION = "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'layout'"


def _texts(values: Values) -> Values:
    """PostgreSQL has no text with a character 0 in it."""
    if "\0" not in "".join(filter(None, values)):
        return values
    return [x and x.replace("\0", "\N{REPLACEMENT CHARACTER}") for x in values]


class PostgresViews(PostgresTrackingRecorder):
    """The `nomoledger.views.sql.sql_views.Views` in one schema of a database."""

    def __init__(self, location: str, is_public: bool, lock_timeout: int = 30) -> None:
        self.location = redacted(location)
        self.is_public = is_public
        self._schema = SCHEMAS[is_public]
        self._datastore = LazyPostgresDatastore(address_of(location), lock_timeout=lock_timeout)
        self._datastore.schema = self._schema
        super().__init__(self._datastore, tracking_table_name="tracking")
        with explained(self.location):
            self.create_table()

    def close(self) -> None:
        """Let go of the connections."""
        self.datastore.close()

    @contextmanager
    def writing(self) -> Iterator["PostgresWriting"]:
        """A transaction: committed at the end of the block, or not at all; nobody else writes."""
        with (
            explained(self.location),
            self._datastore.living_connection() as connection,
            connection.transaction(),
        ):
            connection.execute(LOCK, (self._schema,))
            yield PostgresWriting(connection, self._schema)


class LazyPostgresDatastore(PostgresConnections):
    """Leaves the last transactions to the server: after a crash the tables are older, not wrong."""

    def __init__(self, address: dict[str, Any], *, lock_timeout: int) -> None:
        super().__init__(address, lock_timeout=lock_timeout)
        self.pool.kwargs = address | {"row_factory": dict_row}

    def after_connect_func(self) -> Callable[[psycopg.Connection[Any]], None]:
        """What prepares a new connection; it holds on to nothing of ours."""
        prepare = super().after_connect_func()

        def prepare_lazy(connection: psycopg.Connection[Any]) -> None:
            prepare(connection)
            connection.execute(b"SET synchronous_commit = off")

        return prepare_lazy


class PostgresWriting:
    """The `nomoledger.views.sql.sql_views.Cursor` of a database."""

    def __init__(self, connection: psycopg.Connection[Any], schema: str) -> None:
        self.dialect = Dialect(TYPES, "%s", f"{schema}.", "", READ, {"text": _texts})
        self.cursor = connection.cursor()
        self._plain = connection.cursor(row_factory=tuple_row)

    def run(self, statement: str, values: Values) -> None:
        """Carry out *statement*."""
        self._plain.execute(statement.encode(), values or None)

    def rows(self, statement: str, values: Values) -> list[tuple[Any, ...]]:
        """The rows that *statement* gives."""
        return self._plain.execute(statement.encode(), values).fetchall()

    def remove(self, statement: str, keys: Sequence[Values]) -> None:
        """Carry out *statement* for each of the *keys*."""
        for start in range(0, len(keys), AT_ONCE):
            self._plain.executemany(statement.encode(), keys[start : start + AT_ONCE])

    def add(self, table: type[SqlTable], rows: Sequence[Values]) -> None:
        """Add *rows*, none of which is there."""
        if not rows:
            return
        statement = f'COPY {self.dialect.schema}"{table.name}" FROM STDIN'
        with self._plain.copy(statement.encode()) as copy:
            for row in rows:
                copy.write_row(row)


def open_database(location: str, is_public: bool) -> PostgresViews:
    """The schema of tables in the database at *location*, made where there is none.

    Raises:
        StoreError: it cannot be used.
    """
    schema = SCHEMAS[is_public]
    with connected(address_of(location), redacted(location)) as connection:
        with connection.transaction():
            connection.execute(LOCK_MAKING)
            if connection.execute(HAS_VERSION, (schema,)).fetchone() is None:
                _create(connection, schema)
        query = f"SELECT max(version) FROM {schema}.layout"
        row = connection.execute(query.encode()).fetchone()
        check_not_newer(f"{redacted(location)}, {schema},", row[0] if row else 0, LAYOUT)
    return PostgresViews(location, is_public)


def _create(connection: psycopg.Connection[Any], schema: str) -> None:
    for statement in (
        f"CREATE SCHEMA IF NOT EXISTS {schema}",
        f"CREATE TABLE {schema}.layout (version integer NOT NULL)",
        f"INSERT INTO {schema}.layout VALUES ({LAYOUT})",
        CREATE_MADE.format(f"{schema}."),
        CREATE_HEADS.format(f"{schema}."),
    ):
        connection.execute(statement.encode())
