"""The store for many writers: a PostgreSQL database, with eventsourcing's pool and events table.

`docs/postgresql.md` describes the tables. A writer locks each game that it writes to, and no
other, until its transaction ends.
"""

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

import psycopg
from psycopg.errors import UniqueViolation

from nomoledger.errors import CorruptError, LostError
from nomoledger.ledger.chain import Link
from nomoledger.ledger.rollup import NO_UNITS, Cell
from nomoledger.ledger.stores.location import safe_location
from nomoledger.ledger.stores.postgres_audits import PostgresAudits, PostgresAuditWriter
from nomoledger.ledger.stores.postgres_hosts import has_several_hosts
from nomoledger.ledger.stores.postgres_link import (
    TRIES_MAX,
    PostgresConnections,
    address_of,
    direct_connection,
    plain_errors,
)
from nomoledger.ledger.stores.postgres_news import PostgresNews, announce
from nomoledger.ledger.stores.postgres_objects import foreign_objects
from nomoledger.ledger.stores.postgres_pointers import PostgresPointers, PostgresPointerWriter
from nomoledger.ledger.stores.postgres_schema import prepare
from nomoledger.ledger.stores.postgres_side_tables import (
    SELECT_CELLS,
    PostgresSideTables,
    PostgresSideTableWriter,
    add_units,
    raw_cells,
)
from nomoledger.ledger.stores.postgres_standby import (
    confirmed_transaction,
    require_standby,
    warn_if_alone,
)
from nomoledger.ledger.stores.store import Evidence, Row

Connection = psycopg.Connection[Any]

PAGE = 1000
#: Batches of at least so many rows are sent with COPY.
BULK = 20

LOCK = (
    "SELECT pg_advisory_xact_lock(hashtextextended(%s, 'nomoledger.games'::regclass::oid::bigint))"
)
SELECT_GAMES = 'SELECT game FROM nomoledger.games ORDER BY game COLLATE "C"'
SELECT_UNLISTED = """SELECT DISTINCT originator_id FROM nomoledger.stored_events
    UNION SELECT DISTINCT game FROM nomoledger.chain EXCEPT SELECT game FROM nomoledger.games"""
SELECT_SECRET = "SELECT secret FROM nomoledger.games WHERE game = %s"
SELECT_LINKS = "SELECT number, commitments, hash FROM nomoledger.chain WHERE game = %s"
SELECT_TAIL = f"{SELECT_LINKS} ORDER BY number DESC LIMIT 1"
SELECT_CHAIN = f"{SELECT_LINKS} ORDER BY number"
SELECT_LINK = f"{SELECT_LINKS} AND number >= %s ORDER BY number LIMIT 1"
SELECT_GAME = f"""SELECT secret, number, commitments, hash FROM (VALUES (1)) AS one
    LEFT JOIN nomoledger.games ON game = %s LEFT JOIN ({SELECT_TAIL}) AS tail ON true"""
SELECT_ROWS = """SELECT originator_version, topic, state FROM nomoledger.stored_events
    WHERE originator_id = %s AND originator_version > %s AND originator_version <= %s
    ORDER BY originator_version"""
SELECT_STATES = """SELECT originator_version, state FROM nomoledger.stored_events
    WHERE originator_id = %s AND originator_version > %s AND originator_version <= %s
    AND topic = ANY(%b) ORDER BY originator_version"""
SELECT_COUNT = """SELECT count(*) FROM nomoledger.stored_events
    WHERE originator_id = %s AND originator_version BETWEEN 0 AND %s"""
SELECT_CONTAINING = """SELECT originator_version, topic, state FROM nomoledger.stored_events
    WHERE originator_id = %s AND originator_version > %s AND position(%b::bytea IN state) > 0
    ORDER BY originator_version"""
SELECT_CONTENTS = """SELECT originator_version, convert_to(coalesce(topic, ''), 'UTF8'),
    coalesce(state, '') FROM nomoledger.stored_events
    WHERE originator_id = %s ORDER BY originator_version"""
SELECT_SIZES = """SELECT originator_id, sum(octet_length(state))::bigint
    FROM nomoledger.stored_events GROUP BY originator_id"""
SELECT_PROGRAMS = """SELECT application_name FROM pg_stat_activity
    WHERE datname = current_database() ORDER BY application_name"""
EVENTS = "nomoledger.stored_events (originator_id, originator_version, topic, state)"
CHAIN = "nomoledger.chain (game, number, commitments, hash)"
COPY_EVENTS = f"COPY {EVENTS} FROM STDIN (FORMAT BINARY)"
INSERT_LINKS = f"""INSERT INTO {CHAIN}
    SELECT %s, * FROM unnest(%b::bigint[], %b::bytea[], %b::bytea[])"""
INSERT = f"""WITH events AS (INSERT INTO {EVENTS}
    SELECT %s, * FROM unnest(%b::bigint[], %b::text[], %b::bytea[])) {INSERT_LINKS}"""


class PostgresStore(PostgresSideTables, PostgresPointers, PostgresAudits):
    """The `nomoledger.ledger.stores.store.Store` in a database; `location` hides the password."""

    def __init__(
        self, location: str, *, create: bool = False, program: str = "", lock_timeout: int = 5
    ) -> None:
        """Open the database at *location*; wait *lock_timeout* seconds for locked games.

        The server lists the connections under the name *program*, if given.
        """
        self.location = safe_location(location)
        address = address_of(location) | ({"application_name": program} if program else {})
        with direct_connection(address, self.location) as connection:
            prepare(connection, self.location, create)
            if has_several_hosts(address):
                warn_if_alone(connection)
        self._address = address
        self.datastore = PostgresConnections(address, lock_timeout=lock_timeout)

    def news(self) -> PostgresNews:
        """See `nomoledger.ledger.stores.store.Store.news`."""
        return PostgresNews(self._address, self.location, self.datastore)

    def close(self) -> None:
        """Close the connections."""
        self.datastore.close()

    def games(self) -> list[str]:
        """Return the names of the games, sorted."""
        return [game for (game,) in self._fetch(SELECT_GAMES)]

    def unlisted(self) -> list[str]:
        """See `nomoledger.ledger.stores.store.Store.unlisted`."""
        found = {game for (game,) in self._fetch(SELECT_UNLISTED)}
        return sorted(found.difference(pointer.game for pointer in self.pointers()))

    def sizes(self) -> dict[str, int]:
        """Return the bytes of the records by game."""
        return dict(self._fetch(SELECT_SIZES))

    def programs(self) -> list[str] | None:
        """Return the names of the programs that are connected to the database."""
        return [name for (name,) in self._fetch(SELECT_PROGRAMS)]

    def secret(self, game: str) -> bytes | None:
        """Return the secret of *game*, or None if there is no such game."""
        rows = self._fetch(SELECT_SECRET, game)
        return rows[0][0] if rows else None

    def tail(self, game: str) -> Link | None:
        """Return the last chain row of *game*, or None."""
        links = self._fetch(SELECT_TAIL, game)
        return links[0] if links else None

    def secret_and_tail(self, game: str) -> tuple[bytes | None, Link | None]:
        """Return the secret and the last chain row of *game*, each or None."""
        return _secret_and_tail(self._fetch(SELECT_GAME, game, game)[0])

    def link(self, game: str, number: int) -> Link | None:
        """Return the first chain row of *game* that ends at *number* or later, or None."""
        links = self._fetch(SELECT_LINK, game, number)
        return links[0] if links else None

    def rows(self, game: str, after: int, upto: int) -> Iterator[Row]:
        """Return the records of *game* numbered *after* + 1 to *upto*, in order."""
        return self._pages(SELECT_ROWS, game, after, upto)

    def states(self, game: str, topics: Collection[str], upto: int) -> Iterator[bytes]:
        """See `nomoledger.ledger.stores.store.Store.states`."""
        for _, state in self._pages(SELECT_STATES, game, -1, upto, list(topics)):
            yield state

    def count(self, game: str, upto: int) -> int:
        """Return the number of records of *game* from number 0 to *upto*."""
        return int(self._fetch(SELECT_COUNT, game, upto)[0][0])

    def containing(self, game: str, text: str) -> Iterator[Row]:
        """Return the records of *game* whose state contains the bytes of *text*, in order."""
        return self._pages(SELECT_CONTAINING, game, -1, text.encode())

    def foreign_objects(self) -> list[str]:
        """See `nomoledger.ledger.stores.store.Store.foreign_objects`."""
        with self._connection() as connection:
            return foreign_objects(connection)

    @contextmanager
    def evidence(self, game: str) -> Iterator[Evidence]:
        """Yield everything stored of *game* at one moment, for verification."""
        with self._connection() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            with (
                closing(_streamed(connection, "contents", SELECT_CONTENTS, game)) as contents,
                closing(_streamed(connection, "links", SELECT_CHAIN, game)) as links,
                closing(_streamed(connection, "cells", SELECT_CELLS, game)) as cells,
            ):
                yield Evidence(contents, links, raw_cells(cells))

    @contextmanager
    def writing(self) -> Iterator["PostgresWriter"]:
        """Open a transaction: everything is committed at the end of the block, or nothing.

        What the block has read or written is then on the standby, too, if there is one.
        """
        with (
            plain_errors(self.location),
            self.datastore.probed_connection(require_standby) as (connection, names),
        ):
            writer = PostgresWriter(connection, self.location)
            with confirmed_transaction(connection, names):
                yield writer
            announce(connection, writer.appended)

    def confirm(self) -> None:
        """See `nomoledger.ledger.stores.store.Store.confirm`."""
        with self.writing():
            pass

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        with plain_errors(self.location), self.datastore.living_connection() as connection:
            yield connection

    def _fetch(self, query: str, *values: Any) -> list[Any]:
        """Return all rows of *query*; retry when the connection breaks."""
        for attempt in range(1, TRIES_MAX + 1):
            try:
                with self._connection() as connection:
                    return _rows(connection, query, *values)
            except LostError:
                if attempt == TRIES_MAX:
                    raise
        raise AssertionError

    def _pages(self, query: str, game: str, after: int, *values: Any) -> Iterator[Any]:
        """Yield rows a page at a time, so that no transaction stays open between two rows."""
        while True:
            page = self._fetch(f"{query} LIMIT {PAGE}", game, after, *values)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1][0]


class PostgresWriter(PostgresSideTableWriter, PostgresPointerWriter, PostgresAuditWriter):
    """The `nomoledger.ledger.stores.store.Writer` of a database; locks each game on first use.

    Attributes:
        appended: the games to which records were added.
    """

    def __init__(self, connection: Connection, location: str) -> None:
        """Write within the transaction that is open on *connection*."""
        self.appended: set[str] = set()
        self._connection = connection
        self._location = location
        self._locked: dict[str, tuple[bytes | None, Link | None]] = {}

    def create_game(self, game: str, secret: bytes) -> None:
        """Add *game*, which must not exist yet."""
        self._lock(game)
        values = (game, secret)
        self._connection.execute("INSERT INTO nomoledger.games VALUES (%s, %s)", values)
        self._locked[game] = (secret, None)

    def replace_secret(self, game: str, secret: bytes) -> None:
        """Replace the secret of *game*, which exists."""
        _, tail = self._lock(game)
        query = "UPDATE nomoledger.games SET secret=%s WHERE game=%s"
        self._connection.execute(query, (secret, game))
        self._locked[game] = (secret, tail)

    def secret(self, game: str) -> bytes | None:
        """Return the secret of *game*, or None if there is no such game."""
        return self._lock(game)[0]

    def tail(self, game: str) -> Link | None:
        """Return the last chain row of *game*, or None."""
        return self._lock(game)[1]

    def link(self, game: str, number: int) -> Link | None:
        """Return the first chain row of *game* that ends at *number* or later, or None."""
        links = _rows(self._connection, SELECT_LINK, game, number)
        return links[0] if links else None

    def rows(self, game: str, after: int, upto: int) -> list[Row]:
        """Return the records of *game* numbered *after* + 1 to *upto*, in order."""
        return _rows(self._connection, SELECT_ROWS, game, after, upto)

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
        secret, _ = self._lock(game)
        if not rows:
            return
        try:
            (self._copy if len(rows) >= BULK else self._insert)(game, rows, links)
        except UniqueViolation as error:
            raise CorruptError(
                f"{self._location}: game {game!r} has a record behind the end of its chain,"
                " so nothing can be appended: verify it"
            ) from error
        add_units(self._connection, game, units)
        self._locked[game] = (secret, links[-1])
        self.appended.add(game)

    def _insert(self, game: str, rows: Sequence[Row], links: Sequence[Link]) -> None:
        values = (game, *_columns(rows), game, *_columns(links))
        self._connection.execute(INSERT, values, prepare=True)

    def _copy(self, game: str, rows: Sequence[Row], links: Sequence[Link]) -> None:
        with self._connection.cursor() as cursor, cursor.copy(COPY_EVENTS.encode()) as copy:
            copy.set_types(["text", "int8", "text", "bytea"])
            for row in rows:
                copy.write_row((game, *row))
        self._connection.execute(INSERT_LINKS, (game, *_columns(links)), prepare=True)

    def _lock(self, game: str) -> tuple[bytes | None, Link | None]:
        """Lock *game* unless locked already; return its secret and its last chain row."""
        if game not in self._locked:
            self._connection.execute(LOCK, (game,), prepare=True)
            row = _rows(self._connection, SELECT_GAME, game, game)[0]
            self._locked[game] = _secret_and_tail(row)
        return self._locked[game]

    def _forget(self, game: str) -> None:
        """Read the secret of *game* again when it is next needed; the lock stays."""
        self._locked.pop(game, None)


def _secret_and_tail(row: tuple[Any, ...]) -> tuple[bytes | None, Link | None]:
    secret, number, commitments, hash_ = row
    return secret, None if number is None else (number, commitments, hash_)


def _columns(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _rows(connection: Connection, query: str, *values: Any) -> list[Any]:
    return connection.execute(query.encode(), values, prepare=True, binary=True).fetchall()


def _streamed(
    connection: Connection, name: str, query: str, game: str
) -> Generator[Any, None, None]:
    """Yield the rows of *query*, fetched from the server a page at a time."""
    with connection.cursor(name) as cursor:
        cursor.itersize = PAGE
        cursor.execute(query.encode(), (game,), binary=True)
        yield from cursor
