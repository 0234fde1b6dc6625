"""Connections to a PostgreSQL server: addresses, the pool, and messages for errors."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic, sleep
from typing import Any, TypeVar

import psycopg
from eventsourcing.persistence import PersistenceError
from eventsourcing.postgres import PostgresDatastore
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import tuple_row
from psycopg_pool import PoolTimeout

from nomoledger.errors import CorruptError, LostError, StoreError, UsageError
from nomoledger.ledger.stores.location import is_readable, safe_location, safe_message
from nomoledger.ledger.stores.postgres_hosts import (
    defaults_of_hosts,
    explanation_of_hosts,
    lacks_primary,
)

Found = TypeVar("Found")

#: Seconds to wait for a connection, or for a starting server, before giving up.
PATIENCE_SECONDS = 5
CONNECTIONS_MAX = 10
#: The pool closes one unused connection in so many seconds. After each lost server it has more
#: connections than before; those of many keepers would be too many for a server.
IDLE_SECONDS = 10
#: Attempts at a query or connection before a broken connection is reported.
TRIES_MAX = 3
#: The server disconnects a writer that holds a lock and is idle for so many seconds.
SILENCE_SECONDS = 300
#: Defaults for addresses: give up early, and notice when the server has vanished.
DEFAULTS = {
    "connect_timeout": PATIENCE_SECONDS,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    # Nobody acknowledges what is sent to a vanished server. Linux would try for 15 minutes.
    "tcp_user_timeout": 10_000,
    "application_name": "nomoledger",
}
#: Rows are read in order of their numbers: use the index even when statistics are missing. What is
#: acknowledged is on the disk, and on that of a synchronous standby, whatever the server is set to.
SETTINGS = (
    "SET enable_bitmapscan = off",
    "SET enable_seqscan = off",
    f"SET idle_in_transaction_session_timeout = '{SILENCE_SECONDS}s'",
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') <> 'remote_apply'",
)

#: Messages by SQLSTATE; the first prefix that matches counts.
EXPLANATIONS = {
    "28": "{} does not let you in: check user and password (PGPASSWORD or ~/.pgpass)",
    "3D000": "there is no database {}: create it (createdb), or check the address",
    "42501": "you may not do this in {}: ask its owner for the right to",
    "25006": "cannot write {}: the server only allows reading",
    "55P03": "the game is locked by another program in {}: end it there or try again",
    "40": "another program was in the way in {}: nothing was written; try again",
    "53100": "no room left on the disk of {}: what is recorded stays recorded; make room,"
    " try again",
    "53300": "{} has too many connections: close some or try again",
    "57P03": "{} is just starting or stopping: try again",
}
#: SQLSTATE by error text, for failed connections, which carry no SQLSTATE.
SIGNS = {
    "authentication failed": "28",
    "no password supplied": "28",
    "no pg_hba.conf entry": "28",
    'role "': "28",
    "does not exist": "3D000",
    "too many clients": "53300",
    "connection slots": "53300",
    "starting up": "57P03",
    "accepting connections": "57P03",
    "shutting down": "57P03",
}
LOST = ("08", "57P01", "57P02", "25P03")


class PostgresConnections(PostgresDatastore):
    """The library's pool of connections, opened with every option that an address may have."""

    def __init__(self, address: dict[str, Any], *, lock_timeout: int) -> None:
        """Prepare connections to *address*; wait *lock_timeout* seconds for locked games."""
        super().__init__(
            "", "", "", "", "",
            connect_timeout=PATIENCE_SECONDS,
            max_overflow=CONNECTIONS_MAX - 1,
            pool_size=1,
            lock_timeout=lock_timeout,
            originator_id_type="text",
        )  # fmt: skip
        self._address = address
        self._is_away = False
        self.pool.kwargs = address | {"row_factory": tuple_row}
        self.pool.reconnect_timeout = PATIENCE_SECONDS
        self.pool.max_idle = IDLE_SECONDS

    @contextmanager
    def living_connection(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield a working connection; if one broke in the meantime, replace all broken ones."""
        with self.probed_connection(_ping) as (connection, _):
            yield connection

    @contextmanager
    def probed_connection(
        self, probe: Callable[[psycopg.Connection[Any]], Found]
    ) -> Iterator[tuple[psycopg.Connection[Any], Found]]:
        """Yield a connection on which *probe* works, and the result of *probe*.

        If a connection broke in the meantime, all broken ones are replaced.
        """
        with ExitStack() as stack:
            for attempt in range(1, TRIES_MAX + 1):
                connection = stack.enter_context(self._any_connection())
                try:
                    found = probe(connection)
                    break
                except psycopg.OperationalError:
                    if attempt == TRIES_MAX:
                        raise
                    stack.close()
                    self.pool.check()
            yield connection, found

    @contextmanager
    def _any_connection(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield a connection of the pool; if there is none, raise why no server can be reached.

        The pool waits for a connection. Once no server could be reached, that is tried first, so
        that those who come next do not wait, too.
        """
        if self._is_away:
            self._try_server()
        try:
            with self.get_connection() as connection:
                yield connection
        except PersistenceError as error:
            if isinstance(error.__cause__, PoolTimeout):
                self._try_server()
            raise

    def _try_server(self) -> None:
        """Connect outside the pool; note whether a server can be reached, or raise why not."""
        self._is_away = True
        psycopg.connect(**self._address).close()
        self._is_away = False

    def after_connect_func(self) -> Callable[[psycopg.Connection[Any]], None]:
        """Return the function that prepares a new connection; it does not refer to *self*."""
        statements = (*SETTINGS, f"SET lock_timeout = '{self.lock_timeout}s'")

        def prepare(connection: psycopg.Connection[Any]) -> None:
            connection.autocommit = True
            connection.execute("; ".join(statements).encode())

        return prepare


def _ping(connection: psycopg.Connection[Any]) -> None:
    connection.execute(b"")


def address_of(location: str) -> dict[str, Any]:
    """Return the connection options in the address *location*, with our defaults for the others.

    Raises:
        UsageError: the address cannot be parsed for sure. Nothing of it is shown.
    """
    if not is_readable(location):
        raise UsageError(
            f"cannot read {safe_location(location)}: write postgresql://user@host/database, with"
            " only a number as port, and in names and passwords @ as %40, / as %2F, : as %3A, % as"
            " %25, and a space as %20; better, put the password into PGPASSWORD or ~/.pgpass"
        )
    options = conninfo_to_dict(location)
    given = {name: value for name, value in options.items() if value is not None}
    return DEFAULTS | defaults_of_hosts(given) | given


@contextmanager
def direct_connection(address: dict[str, Any], location: str) -> Iterator[psycopg.Connection[Any]]:
    """Yield a new connection outside the pool.

    Wait a little if the server is just starting, or if a standby may just become the primary.
    """
    give_up = monotonic() + PATIENCE_SECONDS
    with plain_errors(location):
        while True:
            try:
                connection = psycopg.connect(**address, autocommit=True)
                break
            except psycopg.OperationalError as error:
                may_come = _state(error) == "57P03" or lacks_primary(error)
                if not may_come or monotonic() > give_up:
                    raise
                sleep(0.1)
        with connection:
            yield connection


@contextmanager
def plain_errors(location: str) -> Iterator[None]:
    """Turn the errors of psycopg and the library into a StoreError with a one-line message."""
    try:
        yield
    except (psycopg.Error, PersistenceError) as error:
        cause = error.__cause__ if isinstance(error, PersistenceError) else error
        raise _explanation(location, cause or error) from error


def _explanation(location: str, error: BaseException) -> StoreError:
    state, text = _state(error), _first_line(error)
    of_hosts = explanation_of_hosts(location, error) if state in ("", "57P03") else None
    if of_hosts is not None:
        return StoreError(of_hosts)
    for sign, explanation in EXPLANATIONS.items():
        if state.startswith(sign):
            return StoreError(explanation.format(location))
    if state.startswith("XX00"):
        return CorruptError(f"{location} is damaged ({text}): restore a copy")
    if isinstance(error, PoolTimeout):
        return StoreError(
            f"no connection to {location} within {PATIENCE_SECONDS} seconds: check that the server"
            " runs and is not overloaded"
        )
    if "connection to server" in text or "resolve host" in text or "connection timeout" in text:
        return StoreError(f"cannot reach {location} ({text}): check that the server runs")
    if state.startswith(LOST) or (not state and isinstance(error, psycopg.OperationalError)):
        return LostError(
            f"the connection to {location} broke: what was under way is stored whole or not at"
            " all; try again"
        )
    return StoreError(f"{location}: {text}")


def _state(error: BaseException) -> str:
    """Return the SQLSTATE of *error*, guessed from its text if connecting failed."""
    state = getattr(error, "sqlstate", None) or ""
    text = str(error)
    if not state and "FATAL" in text:
        state = next((state for sign, state in SIGNS.items() if sign in text), "")
    return state


def _first_line(error: BaseException) -> str:
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    return safe_message(text.removeprefix("connection failed: "))
