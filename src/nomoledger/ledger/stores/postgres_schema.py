"""The tables of a ledger in a PostgreSQL database: create, check and upgrade them."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import psycopg

from nomoledger.errors import StoreError, UnknownError
from nomoledger.ledger.stores.location import safe_location
from nomoledger.ledger.stores.postgres_link import address_of, direct_connection
from nomoledger.ledger.stores.postgres_objects import check_objects
from nomoledger.ledger.stores.postgres_side_tables import CREATE as CREATE_SIDE_TABLES
from nomoledger.ledger.stores.postgres_side_tables import roll_up_all
from nomoledger.ledger.stores.postgres_standby import confirmed_transaction
from nomoledger.ledger.stores.schema_versions import Upgrade, check_not_newer, check_version

SCHEMA_VERSION = 3

#: As eventsourcing's PostgresApplicationRecorder creates it (a test compares them), except that
#: names of games are compared byte by byte, so that no update of the system's locales matters.
CREATE_EVENTS = """CREATE TABLE nomoledger.stored_events (
    originator_id text COLLATE "C" NOT NULL,
    originator_version bigint NOT NULL,
    topic text,
    state bytea,
    notification_id bigserial,
    PRIMARY KEY (originator_id, originator_version)
) WITH (
    autovacuum_enabled = true,
    autovacuum_vacuum_threshold = 100000000,
    autovacuum_vacuum_scale_factor = 0.5,
    autovacuum_analyze_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.01
)"""
CREATE_LOG = (
    "CREATE UNIQUE INDEX stored_events_notification_id_idx"
    " ON nomoledger.stored_events (notification_id ASC)"
)
CREATE_CHAIN = """CREATE TABLE nomoledger.chain (
    game text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    commitments bytea NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (game, number)
)"""
CREATE_GAMES = """CREATE TABLE nomoledger.games (
    game text COLLATE "C" NOT NULL PRIMARY KEY,
    secret bytea NOT NULL,
    created timestamptz NOT NULL DEFAULT now()
)"""
CREATE_VERSION = "CREATE TABLE nomoledger.schema_version (version integer NOT NULL)"
CREATE = (
    CREATE_EVENTS,
    CREATE_LOG,
    CREATE_CHAIN,
    CREATE_GAMES,
    CREATE_VERSION,
    *CREATE_SIDE_TABLES,
)

Connection = psycopg.Connection[Any]

#: A step of a migration: a statement, or a function that computes what SQL cannot.
Step = str | Callable[[Connection], object]
MIGRATIONS: dict[int, tuple[Step, ...]] = {
    2: (*CREATE_SIDE_TABLES, roll_up_all),
    3: ("ALTER TABLE nomoledger.chain RENAME COLUMN commitment TO commitments",),
}

#: These query the catalogue itself, because to_regclass may answer from an outdated cache.
HAS_SCHEMA = "SELECT 1 FROM pg_namespace WHERE nspname = 'nomoledger'"
HAS_VERSION = (
    "SELECT 1 FROM pg_tables WHERE schemaname = 'nomoledger' AND tablename = 'schema_version'"
)
#: The lock of a program that creates or changes tables.
LOCK = "SELECT pg_advisory_xact_lock(7885643)"


def prepare(connection: Connection, location: str, create: bool) -> None:
    """Check that the database has a ledger we can use; create the tables if missing and *create*.

    Raises:
        UnknownError: there is no ledger, and *create* is False.
        StoreError: there is a ledger that we cannot use.
    """
    if _version(connection) is None:
        if not create:
            raise UnknownError(f"no ledger at {location}: check the address, or create it first")
        with confirmed_transaction(connection):
            connection.execute(LOCK)
            if _version(connection) is None:  # no other program was faster
                _create(connection, location)
    check_version(location, _version(connection) or 0, SCHEMA_VERSION)
    check_objects(connection, location)


def upgrade_database(location: str, *, dry_run: bool = False) -> Upgrade:
    """Upgrade the database at *location*; see `nomoledger.ledger.stores.open_store`."""
    with direct_connection(address_of(location), safe_location(location)) as connection:
        return _upgrade(connection, safe_location(location), dry_run)


def _upgrade(connection: Connection, location: str, dry_run: bool) -> Upgrade:
    """Upgrade the tables to the version of this program in one transaction.

    For a *dry_run*, the transaction is rolled back.

    Raises:
        UnknownError: there is no ledger.
        StoreError: the tables are newer than this program.
    """
    transaction: AbstractContextManager[object]
    if dry_run:
        transaction = connection.transaction(force_rollback=True)
    else:
        transaction = confirmed_transaction(connection)
    with transaction:
        connection.execute(LOCK)
        current = _version(connection)
        if current is None:
            raise UnknownError(f"no ledger at {location}: check the address, or create it first")
        check_not_newer(location, current, SCHEMA_VERSION)
        check_objects(connection, location)
        for version in range(current + 1, SCHEMA_VERSION + 1):
            for step in MIGRATIONS[version]:
                if isinstance(step, str):
                    connection.execute(step.encode())
                else:
                    step(connection)
        connection.execute("UPDATE nomoledger.schema_version SET version = %s", (SCHEMA_VERSION,))
    return Upgrade(current, SCHEMA_VERSION)


def _version(connection: Connection) -> int | None:
    """Return the version of the tables, or None if there are none."""
    if _value(connection, HAS_VERSION) is None:
        return None
    version: int | None = _value(connection, "SELECT max(version) FROM nomoledger.schema_version")
    return version


def _create(connection: Connection, location: str) -> None:
    if _value(connection, "SHOW server_encoding") != "UTF8":
        raise StoreError(f"{location} is not in UTF-8: make a database with createdb -E UTF8")
    if _value(connection, HAS_SCHEMA) is None:
        connection.execute("CREATE SCHEMA nomoledger")
    for statement in CREATE:
        connection.execute(statement.encode())
    connection.execute("INSERT INTO nomoledger.schema_version VALUES (%s)", (SCHEMA_VERSION,))


def _value(connection: Connection, query: str) -> Any:
    row = connection.execute(query.encode()).fetchone()
    return None if row is None else row[0]
