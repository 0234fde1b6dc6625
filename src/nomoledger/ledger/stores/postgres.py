"""The store for many: a PostgreSQL database, on eventsourcing's pool and table of events.

The tables are described in `docs/postgresql.md`. Whoever writes to a game holds the lock of that
game, and of no other, until the transaction ends.
"""

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

import psycopg
from psycopg.errors import UniqueViolation

from nomoledger.errors import CorruptError, LostError
from nomoledger.ledger.chain import Link
from nomoledger.ledger.rollup import NO_UNITS, Cell
from nomoledger.ledger.stores.location import redacted
from nomoledger.ledger.stores.postgres_link import (
    TRIES_MAX,
    PostgresConnections,
    address_of,
    connected,
    explained,
)
from nomoledger.ledger.stores.postgres_schema import prepare
from nomoledger.ledger.stores.postgres_side_tables import (
    SELECT_CELLS,
    PostgresSideTables,
    PostgresSideTableWriter,
    add_units,
    found_cells,
)
from nomoledger.ledger.stores.store import Evidence, Row

Connection = psycopg.Connection[Any]

PAGE = 1000
#: From so many rows on they are copied in bulk.
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
SELECT_GAME = f"""SELECT secret, number, commitments, hash FROM nomoledger.games
    LEFT JOIN ({SELECT_TAIL}) AS tail ON true WHERE game = %s"""
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
EVENTS = "nomoledger.stored_events (originator_id, originator_version, topic, state)"
CHAIN = "nomoledger.chain (game, number, commitments, hash)"
COPY_EVENTS = f"COPY {EVENTS} FROM STDIN (FORMAT BINARY)"
INSERT_LINKS = f"""INSERT INTO {CHAIN}
    SELECT %s, * FROM unnest(%b::bigint[], %b::bytea[], %b::bytea[])"""
INSERT = f"""WITH events AS (INSERT INTO {EVENTS}
    SELECT %s, * FROM unnest(%b::bigint[], %b::text[], %b::bytea[])) {INSERT_LINKS}"""


class PostgresStore(PostgresSideTables):
    """The `nomoledger.ledger.stores.Store` in the database at an address, which is not shown in full."""

    def __init__(self, location: str, *, create: bool = False, lock_timeout: int = 5) -> None:
        self.location = redacted(location)
        address = address_of(location)
        with connected(address, self.location) as connection:
            prepare(connection, self.location, create)
        self.datastore = PostgresConnections(address, lock_timeout=lock_timeout)

    def close(self) -> None:
        """Let go of the connections."""
        self.datastore.close()

    def games(self) -> list[str]:
        """The games in it, sorted."""
        return [game for (game,) in self._fetch(SELECT_GAMES)]

    def unlisted(self) -> list[str]:
        """As `nomoledger.ledger.stores.Store.unlisted`."""
        return sorted(game for (game,) in self._fetch(SELECT_UNLISTED))

    def secret(self, game: str) -> bytes | None:
        """The secret of *game*; None when there is no such game."""
        found = self._fetch(SELECT_SECRET, game)
        return found[0][0] if found else None

    def tail(self, game: str) -> Link | None:
        """The last row of the chain of *game*; None when it has none."""
        found = self._fetch(SELECT_TAIL, game)
        return found[0] if found else None

    def link(self, game: str, number: int) -> Link | None:
        """The first row of the chain of *game* that ends at *number* or later; or None."""
        found = self._fetch(SELECT_LINK, game, number)
        return found[0] if found else None

    def rows(self, game: str, after: int, upto: int) -> Iterator[Row]:
        """The records of *game* numbered above *after*, up to and with *upto*, in order."""
        return self._pages(SELECT_ROWS, game, after, upto)

    def states(self, game: str, topics: Collection[str], upto: int) -> Iterator[bytes]:
        """As `nomoledger.ledger.stores.Store.states`."""
        for _, state in self._pages(SELECT_STATES, game, -1, upto, list(topics)):
            yield state

    def count(self, game: str, upto: int) -> int:
        """How many records *game* has from number 0 up to and with *upto*."""
        return int(self._fetch(SELECT_COUNT, game, upto)[0][0])

    def containing(self, game: str, text: str) -> Iterator[Row]:
        """The records of *game* whose state has the bytes of *text* somewhere, in order."""
        return self._pages(SELECT_CONTAINING, game, -1, text.encode())

    @contextmanager
    def evidence(self, game: str) -> Iterator[Evidence]:
        """Everything stored of *game* at one moment, for verifying it."""
        with self._connection() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            with (
                closing(_streamed(connection, "contents", SELECT_CONTENTS, game)) as contents,
                closing(_streamed(connection, "links", SELECT_CHAIN, game)) as links,
                closing(_streamed(connection, "cells", SELECT_CELLS, game)) as cells,
            ):
                yield Evidence(contents, links, found_cells(cells))

    @contextmanager
    def writing(self) -> Iterator["PostgresWriter"]:
        """A transaction: committed at the end of the block, or not at all."""
        with self._connection() as connection, connection.transaction():
            yield PostgresWriter(connection, self.location)

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        with explained(self.location), self.datastore.living_connection() as connection:
            yield connection

    def _fetch(self, query: str, *values: Any) -> list[Any]:
        """All rows that *query* gives, put anew where the connection breaks."""
        for tried in range(1, TRIES_MAX + 1):
            try:
                with self._connection() as connection:
                    return _rows(connection, query, *values)
            except LostError:
                if tried == TRIES_MAX:
                    raise
        raise AssertionError

    def _pages(self, query: str, game: str, after: int, *rest: Any) -> Iterator[Any]:
        """Rows page by page: no transaction stays open between one row and the next."""
        while True:
            page = self._fetch(f"{query} LIMIT {PAGE}", game, after, *rest)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1][0]


class PostgresWriter(PostgresSideTableWriter):
    """The `nomoledger.ledger.stores.Writer` of a database; it locks a game when it first looks at it."""

    def __init__(self, connection: Connection, location: str) -> None:
        self._connection = connection
        self._location = location
        self._locked: dict[str, tuple[bytes | None, Link | None]] = {}

    def create_game(self, game: str, secret: bytes) -> None:
        """Add *game*, which is not there yet."""
        self._lock(game)
        values = (game, secret)
        self._connection.execute("INSERT INTO nomoledger.games VALUES (%s, %s)", values)
        self._locked[game] = (secret, None)

    def secret(self, game: str) -> bytes | None:
        """The secret of *game*; None when there is no such game."""
        return self._lock(game)[0]

    def tail(self, game: str) -> Link | None:
        """The last row of the chain of *game*; None when it has none."""
        return self._lock(game)[1]

    def link(self, game: str, number: int) -> Link | None:
        """The first row of the chain of *game* that ends at *number* or later; or None."""
        found = _rows(self._connection, SELECT_LINK, game, number)
        return found[0] if found else None

    def rows(self, game: str, after: int, upto: int) -> list[Row]:
        """The records of *game* numbered above *after*, up to and with *upto*, in order."""
        return _rows(self._connection, SELECT_ROWS, game, after, upto)

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
        """Lock *game* unless that is done, and give its secret and the last row of its chain."""
        if game not in self._locked:
            self._connection.execute(LOCK, (game,), prepare=True)
            found = _rows(self._connection, SELECT_GAME, game, game)
            secret, number, commitments, hash_ = found[0] if found else (None, None, b"", b"")
            tail = None if number is None else (number, commitments, hash_)
            self._locked[game] = (secret, tail)
        return self._locked[game]


def _columns(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _rows(connection: Connection, query: str, *values: Any) -> list[Any]:
    return connection.execute(query.encode(), values, prepare=True, binary=True).fetchall()


def _streamed(
    connection: Connection, name: str, query: str, game: str
) -> Generator[Any, None, None]:
    """The rows that *query* gives, fetched from the server a page at a time."""
    with connection.cursor(name) as cursor:
        cursor.itersize = PAGE
        cursor.execute(query.encode(), (game,), binary=True)
        yield from cursor
