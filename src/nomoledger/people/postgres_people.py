"""The database of people in PostgreSQL: a schema beside that of the ledger."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nomoledger.ledger.stores.location import safe_location
from nomoledger.ledger.stores.postgres_link import (
    PATIENCE_SECONDS,
    PostgresConnections,
    address_of,
    direct_connection,
    plain_errors,
)
from nomoledger.ledger.stores.postgres_standby import confirmed_transaction, require_standby

#: For `nomoledger.people.shared_counts`: whose allowance is whole when, in seconds since 1970.
_ALLOWANCES = """CREATE UNLOGGED TABLE IF NOT EXISTS allowances (
    key TEXT PRIMARY KEY, whole DOUBLE PRECISION NOT NULL)"""

_SEARCH_PATH = b"SET LOCAL search_path TO nomoledger_people"


class PostgresPeople:
    """A database of people in the schema `nomoledger_people` of a PostgreSQL database.

    Its connections have the settings of those of the ledger: for how long they are waited for,
    which of several hosts they choose, what happens when they break, and that a missing standby is
    an error.
    """

    is_shared = True

    def __init__(self, location: str, tables: Sequence[str]) -> None:
        """Connect to the database at *location*, and make *tables* that do not exist yet."""
        self._where = safe_location(location)
        address = address_of(location)
        with (
            direct_connection(address, self._where) as connection,
            confirmed_transaction(connection),
        ):
            connection.execute("SELECT pg_advisory_xact_lock(7051998)")  # one maker at a time
            connection.execute("CREATE SCHEMA IF NOT EXISTS nomoledger_people")
            connection.execute(_SEARCH_PATH)
            for statement in (*tables, _ALLOWANCES):
                connection.execute(statement.encode())
        self._connections = PostgresConnections(address, lock_timeout=PATIENCE_SECONDS)

    @contextmanager
    def transaction(self) -> Iterator["_Numbered"]:
        """Yield a connection in a transaction, which a standby confirms if there is one."""
        with (
            plain_errors(self._where),
            self._connections.probed_connection(require_standby) as (connection, names),
            confirmed_transaction(connection, names),
        ):
            connection.execute(_SEARCH_PATH)
            yield _Numbered(connection)

    @contextmanager
    def unconfirmed(self) -> Iterator["_Numbered"]:
        """Yield a connection in a transaction that waits for no standby, and for no disk.

        PostgreSQL writes to its journal even for a reader, when it tidies up pages on the way.
        """
        with (
            plain_errors(self._where),
            self._connections.living_connection() as connection,
            connection.transaction(),
        ):
            connection.execute(_SEARCH_PATH + b"; SET LOCAL synchronous_commit TO off")
            yield _Numbered(connection)

    #: In PostgreSQL, whoever reads waits for nobody.
    reading = unconfirmed

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()


class _Numbered:
    """A connection to PostgreSQL that takes `?` where its library takes `%s`."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """See `nomoledger.people.database.Connection.execute`."""
        return self._connection.execute(statement.replace("?", "%s"), tuple(values))
