"""The way to a PostgreSQL server: its address, the pool of connections, and what errors mean."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic, sleep
from typing import Any

import psycopg
from eventsourcing.persistence import PersistenceError
from eventsourcing.postgres import PostgresDatastore
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import tuple_row
from psycopg_pool import PoolTimeout

from nomoledger.errors import CorruptError, LostError, StoreError, UsageError
from nomoledger.ledger.stores.location import redacted

#: How long to wait for a connection, and for the server to come back, before giving up.
PATIENCE_SECONDS = 5
CONNECTIONS_MAX = 10
#: How often something is tried anew when a connection breaks.
TRIES_MAX = 3
#: A writer that has gone silent with a game locked is cut off after so long.
SILENCE_SECONDS = 300
#: What the address does not say: give up early, and notice when the other side has vanished.
DEFAULTS = {
    "connect_timeout": PATIENCE_SECONDS,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "application_name": "nomoledger",
}
#: Rows are looked up by number, in order: the index is the way, also where no statistics say so.
SETTINGS = (
    "SET enable_bitmapscan = off",
    "SET enable_seqscan = off",
    f"SET idle_in_transaction_session_timeout = '{SILENCE_SECONDS}s'",
)

#: What an error of the server (its SQLSTATE) means; the first that it begins with counts.
EXPLANATIONS = {
    "28": "{} does not let you in: check user and password (PGPASSWORD or ~/.pgpass)",
    "3D000": "there is no database {}: create it (createdb), or check the address",
    "42501": "you may not do this in {}: ask its owner for the right to",
    "25006": "cannot write {}: the server only allows reading",
    "55P03": "the game is locked by another program in {}: end it there or try again",
    "40": "another program was in the way in {}: nothing was written; try again",
    "53100": "no room left on the disk of {}: nothing was written; make room, try again",
    "53300": "{} has too many connections: close some or try again",
    "57P03": "{} is just starting or stopping: try again",
}
#: The same where connecting fails: there is only a text then.
SIGNS = {
    "authentication failed": "28",
    "no password supplied": "28",
    "no pg_hba.conf entry": "28",
    'role "': "28",
    "does not exist": "3D000",
    "too many clients": "53300",
    "connection slots": "53300",
    "starting up": "57P03",
    "shutting down": "57P03",
}
LOST = ("08", "57P01", "57P02", "25P03")


class PostgresConnections(PostgresDatastore):
    """The library's pool of connections, opened by an address with all that it may say."""

    def __init__(self, address: dict[str, Any], *, lock_timeout: int) -> None:
        super().__init__(
            "", "", "", "", "",
            connect_timeout=PATIENCE_SECONDS,
            max_overflow=CONNECTIONS_MAX - 1,
            pool_size=1,
            lock_timeout=lock_timeout,
            originator_id_type="text",
        )  # fmt: skip
        self.pool.kwargs = address | {"row_factory": tuple_row}
        self.pool.reconnect_timeout = PATIENCE_SECONDS

    @contextmanager
    def living_connection(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection that works: where one has broken meanwhile, all that have are replaced."""
        with ExitStack() as stack:
            for _ in range(TRIES_MAX):
                connection = stack.enter_context(self.get_connection())
                try:
                    connection.execute(b"")
                    break
                except psycopg.OperationalError:
                    stack.close()
                    self.pool.check()
            yield connection

    def after_connect_func(self) -> Callable[[psycopg.Connection[Any]], None]:
        """What prepares a new connection; it holds on to nothing of ours."""
        statements = (*SETTINGS, f"SET lock_timeout = '{self.lock_timeout}s'")

        def prepare(connection: psycopg.Connection[Any]) -> None:
            connection.autocommit = True
            connection.execute("; ".join(statements).encode())

        return prepare


def address_of(location: str) -> dict[str, Any]:
    """What the address *location* says, and our defaults for what it does not.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        read = conninfo_to_dict(location)
    except psycopg.Error:
        raise UsageError(
            f"cannot read {redacted(location)}: write postgresql://user@host:port/database, and @ in"
            " a password as %40"
        ) from None
    if "@" in str(read.get("host", "")):
        raise UsageError(f"cannot read {redacted(location)}: write @ in a password as %40")
    return DEFAULTS | {name: value for name, value in read.items() if value is not None}


@contextmanager
def connected(address: dict[str, Any], location: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection of its own, after waiting a little for a server that is just starting."""
    give_up = monotonic() + PATIENCE_SECONDS
    with explained(location):
        while True:
            try:
                connection = psycopg.connect(**address, autocommit=True)
                break
            except psycopg.OperationalError as error:
                if _state(error) != "57P03" or monotonic() > give_up:
                    raise
                sleep(0.1)
        with connection:
            yield connection


@contextmanager
def explained(location: str) -> Iterator[None]:
    """Turn what psycopg or the library raises into a StoreError of one plain line."""
    try:
        yield
    except (psycopg.Error, PersistenceError) as error:
        cause = error.__cause__ if isinstance(error, PersistenceError) else error
        raise _explanation(location, cause or error) from error


def _explanation(location: str, error: BaseException) -> StoreError:
    state, text = _state(error), _first_line(error)
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
    """The SQLSTATE of *error*, guessed where connecting failed."""
    state = getattr(error, "sqlstate", None) or ""
    text = str(error)
    if not state and "FATAL" in text:
        state = next((state for sign, state in SIGNS.items() if sign in text), "")
    return state


def _first_line(error: BaseException) -> str:
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    return redacted(text.removeprefix("connection failed: "))
