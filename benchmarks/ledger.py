"""How fast the ledger is on both stores: `python benchmarks/ledger.py [EVENTS]`.

Each measurement stands beside its floor: the same rows in the same tables with the same durability,
written and read in the same run with nothing but the driver and msgspec; no chain is computed,
nothing is checked. A ratio of 1 is the floor; each is the median of rounds taken in turns.
PostgreSQL is started for it, as for the tests.
"""

import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import msgspec
import psycopg

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from postgres_server import PostgresServer

from nomoledger import events as e
from nomoledger.chain import commit, link, origin
from nomoledger.codec import EVENTS, tag_of
from nomoledger.ledger import Ledger
from nomoledger.reducer import apply
from nomoledger.world import World

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PERIOD = 500
TURN = 10
ROUNDS = 5
SINGLES = 1000
GAME = "benchmark"
PLAIN = "plain"

Rows = list[tuple[Any, ...]]
Act = Callable[[], object]


def event(number: int) -> e.Event:
    """A payment, as most events are; now and then the end of an attempt."""
    if number % TURN == TURN - 1:
        return e.AttemptDone(
            period=1, received_at=NOON, recorded_at=NOON, cause=0, rules=(), attempt=str(number)
        )
    postings = (e.Posting("Ann", "$", -number), e.Posting("Bob", "$", number))
    return e.Posted(
        period=1, received_at=NOON, recorded_at=NOON, cause=0, rules=("IV.4@1",),
        postings=postings, why="rent",
    )  # fmt: skip


# --- the floor ----------------------------------------------------------------------------------


class Floor(Protocol):
    """The bare driver."""

    def write(self, events: Rows, links: Rows) -> None:
        """Store the rows in one durable transaction."""

    def read(self, game: str = PLAIN) -> Iterator[tuple[str, bytes]]:
        """Topic and state of every event of *game*."""


class SqliteFloor:
    """The module sqlite3."""

    def __init__(self, file: str) -> None:
        self.connection = sqlite3.connect(file, isolation_level=None)

    def write(self, events: Rows, links: Rows) -> None:
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany("INSERT INTO stored_events VALUES (?,?,?,?)", events)
        self.connection.executemany("INSERT INTO chain VALUES (?,?,?,?)", links)
        self.connection.execute("COMMIT")

    def read(self, game: str = PLAIN) -> Iterator[tuple[str, bytes]]:
        return self.connection.execute(
            "SELECT topic, state FROM stored_events WHERE originator_id=?"
            " ORDER BY originator_version", (game,)
        )  # fmt: skip

    def close(self) -> None:
        self.connection.close()


class PostgresFloor:
    """psycopg: COPY for many rows, INSERT for one, a server-side cursor for reading."""

    TABLES = (
        ("stored_events (originator_id, originator_version, topic, state)", "text"),
        ("chain", "bytea"),
    )

    def __init__(self, url: str) -> None:
        self.connection = psycopg.connect(url, autocommit=True)
        self.connection.execute("SET search_path = nomoledger")

    def write(self, events: Rows, links: Rows) -> None:
        with self.connection.transaction():
            for (table, kind), rows in zip(self.TABLES, (events, links), strict=True):
                if len(rows) == 1:
                    statement = f"INSERT INTO {table} VALUES (%s, %s, %s, %s)".encode()
                    self.connection.execute(statement, rows[0], prepare=True)
                    continue
                statement = f"COPY {table} FROM STDIN (FORMAT BINARY)".encode()
                with self.connection.cursor().copy(statement) as copy:
                    copy.set_types(["text", "int8", kind, "bytea"])
                    for row in rows:
                        copy.write_row(row)

    def read(self, game: str = PLAIN) -> Iterator[tuple[str, bytes]]:
        with self.connection.transaction(), self.connection.cursor("floor") as cursor:
            cursor.itersize = 1000
            cursor.execute(
                "SELECT topic, state FROM stored_events WHERE originator_id=%s"
                " ORDER BY originator_version", (game,), binary=True
            )  # fmt: skip
            yield from cursor

    def close(self) -> None:
        self.connection.close()


# --- measuring ----------------------------------------------------------------------------------


def seconds(act: Act) -> float:
    """How long *act* takes."""
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


def compared(what: str, events: int, ours: list[float], floor: list[float], speed: bool) -> None:
    """Print both; *speed* is how near we come to the floor, else it is how much longer we take."""
    mine, bare = median(ours), median(floor)
    times = median(one / other for one, other in zip(ours, floor, strict=True))
    ratio = f"{1 / times:5.2f} of the floor" if speed else f"{times:5.2f} x the floor"
    each = f"{mine / events * 1e6:9.1f} µs, floor {bare / events * 1e6:9.1f} µs an event"
    print(f"  {what:<34}{each}   {ratio}")


def appended(what: str, ledger: Ledger, floor: Floor, bodies: list[e.Event], size: int) -> None:
    """Append in batches of *size*, in turns with the floor."""
    encode = msgspec.msgpack.Encoder().encode
    start = ledger.head(GAME).number + 1
    last, ours, bare = origin(PLAIN), [], []
    share = len(bodies) // ROUNDS
    for round_ in range(ROUNDS):
        begin = round_ * share
        batches = [range(first, first + size) for first in range(begin, begin + share, size)]
        links: Rows = []
        for number in range(begin, begin + share):
            body = bodies[number]
            commitment = commit(b"s", start + number, tag_of(body).encode(), encode(body))
            last = link(last, start + number, commitment)
            links.append((PLAIN, start + number, commitment, last))

        def plainly(batches: list[range] = batches, links: Rows = links) -> None:
            for batch in batches:
                rows = [(PLAIN, start + n, tag_of(bodies[n]), encode(bodies[n])) for n in batch]
                first = batch.start - batches[0].start
                floor.write(rows, links[first : first + len(batch)])

        def chained(batches: list[range] = batches) -> None:
            for batch in batches:
                expected = start + batch.start - 1
                ledger.append(GAME, bodies[batch.start : batch.stop], expected=expected)

        bare.append(seconds(plainly))
        ours.append(seconds(chained))
    compared(what, share, ours, bare, speed=True)


def read(ledger: Ledger, floor: Floor) -> None:
    """Read everything; then also fold it into the state."""
    decoders = {tag: msgspec.msgpack.Decoder(kind).decode for tag, kind in EVENTS.items()}

    def plainly() -> None:
        for topic, state in floor.read():
            decoders[topic](state)

    def plainly_folded() -> None:
        world = World()
        for topic, state in floor.read():
            apply(world, decoders[topic](state))

    def folded() -> None:
        world = World()
        for entry in ledger.read(GAME):
            apply(world, entry.body)

    events = ledger.head(GAME).number + 1
    pairs: list[tuple[str, Act, Act]] = [
        ("read", lambda: sum(1 for _ in ledger.read(GAME)), plainly),
        ("read and fold", folded, plainly_folded),
    ]
    for what, act, bare in pairs:
        rounds = [(seconds(bare), seconds(act)) for _ in range(3)]
        mine, floors = [each[1] for each in rounds], [each[0] for each in rounds]
        compared(what, events, mine, floors, speed=False)
    took = seconds(lambda: ledger.verify(GAME))
    print(f"  {'verify':<34}{took / events * 1e6:9.1f} µs an event")


def measure(ledger: Ledger, floor: Floor, bodies: list[e.Event]) -> None:
    """All measurements on one store."""
    ledger.create_game(GAME)
    appended(f"append a period of {PERIOD}", ledger, floor, bodies, PERIOD)
    appended("append one, durably", ledger, floor, bodies[:SINGLES], 1)
    read(ledger, floor)


@contextmanager
def opened(location: str) -> Iterator[Ledger]:
    """A new ledger at *location*."""
    with Ledger.open(location, create=True) as ledger:
        yield ledger


def main(events: int = 100_000) -> None:
    """Measure and print."""
    rounded = max(events // (PERIOD * ROUNDS), 1) * PERIOD * ROUNDS
    bodies = [event(number) for number in range(rounded)]
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "ledger.db")
        with opened(file) as ledger, closing(SqliteFloor(file)) as floor:
            print(f"SQLite {sqlite3.sqlite_version}, {rounded} events")
            measure(ledger, floor, bodies)
    server = PostgresServer(durable=True)
    try:
        url = server.new_database()
        with opened(url) as ledger, closing(PostgresFloor(url)) as bare:
            print(f"PostgreSQL {server.execute('SHOW server_version')[0][0]}, {rounded} events")
            measure(ledger, bare, bodies)
    finally:
        server.remove()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
