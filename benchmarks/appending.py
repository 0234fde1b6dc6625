"""How fast events are appended: `python benchmarks/appending.py [EVENTS]`.

On both stores, in batches of 500 and one by one, each batch in a durable transaction of its own: by
us (with the chain, the roll-up and the lock that orders writers); by the library as it comes (its
mapper with JSON, its recorder, its settings); and by the floor: the driver and msgspec, with the
same events and rows of the chain, but no roll-up, in the same tables with the same durability. They
go by turns. PostgreSQL is started for it, as for the tests.
"""

import gc
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, cast
from uuid import uuid4

import msgspec
from eventsourcing.application import Application
from eventsourcing.domain import DomainEvent
from floor import PLAIN, Floor, PostgresFloor, Rows, SqliteFloor
from psycopg.conninfo import conninfo_to_dict

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from postgres_server import PostgresServer

from nomoledger import events as e
from nomoledger.events.codec import tag_of
from nomoledger.ledger.chain import hash_records, make_chain_rows, origin
from nomoledger.ledger.ledger import Ledger

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
GAME = "benchmark"
ROUNDS = 7
PERIOD = 500
SINGLES = 100
TURN = 10

Act = Callable[[Sequence[e.Event]], None]


def event(number: int) -> e.Event:
    """A payment, as most events are; now and then the end of an attempt."""
    common: dict[str, Any] = {"period": 1, "received_at": NOON, "recorded_at": NOON, "cause": 0}
    if number % TURN == TURN - 1:
        return e.AttemptDone(attempt=str(number), **common)
    postings = (e.Posting("Ann", "$", -number), e.Posting("Bob", "$", number))
    return e.Posted(rules=("IV.4@1",), postings=postings, why="rent", **common)


class Paid(DomainEvent):
    """A payment, as the library would have it."""

    postings: list[list[Any]]
    why: str
    rules: list[str]
    period: int


class Stock:
    """The library's application with its defaults."""

    def __init__(self, settings: dict[str, str]) -> None:
        self.application: Any = Application(env=settings)
        self.id, self.version = uuid4(), 0

    def append(self, bodies: Sequence[e.Event]) -> None:
        """One transaction."""
        now = datetime.now(UTC)
        made = []
        for body in bodies:
            self.version += 1
            postings = [[*msgspec.structs.astuple(each)] for each in _postings(body)]
            fields: dict[str, Any] = {"why": "rent", "rules": list(body.rules), "period": 1}
            place = {"originator_id": self.id, "originator_version": self.version}
            made.append(Paid(**place, timestamp=now, postings=postings, **fields))
        self.application.events.put(made)

    def close(self) -> None:
        """Let go of the database."""
        self.application.close()


def _postings(body: e.Event) -> tuple[e.Posting, ...]:
    return body.postings if isinstance(body, e.Posted) else ()


class Bare:
    """The floor: rows are made and stored, and nothing else; their links were made before."""

    def __init__(self, floor: Floor) -> None:
        self.floor = floor
        self.encode = msgspec.msgpack.Encoder().encode
        self.number, self.last = 0, origin(PLAIN)
        self.links: list[Rows] = []

    def prepare(self, bodies: Sequence[e.Event], size: int) -> None:
        """Make the rows of the chain, which is not measured."""
        self.links, number = [], self.number
        for start in range(0, len(bodies), size):
            few = enumerate(bodies[start : start + size], number)
            records = [(at, tag_of(body), self.encode(body)) for at, body in few]
            commitments, hashes = hash_records(b"s", self.last, records)
            rows = make_chain_rows(number, commitments, hashes)
            self.links.append([(PLAIN, *row) for row in rows])
            number, self.last = number + len(records), hashes[-1]

    def append(self, bodies: Sequence[e.Event]) -> None:
        """One transaction."""
        rows = [
            (PLAIN, number, tag_of(body), self.encode(body))
            for number, body in enumerate(bodies, self.number)
        ]
        self.number += len(rows)
        self.floor.write(rows, self.links.pop(0))


class Ours:
    """The ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.head = ledger, -1
        ledger.add_game(GAME)

    def append(self, bodies: Sequence[e.Event]) -> None:
        """One transaction."""
        self.head = self.ledger.append(GAME, bodies, expected=self.head).number


def compared(what: str, size: int, count: int, ours: Ours, stock: Stock, bare: Bare) -> None:
    """Append *count* events a round in batches of *size*, and print who took how long."""
    took: dict[str, list[float]] = {"ours": [], "the library": [], "the floor": []}
    bodies = [event(number) for number in range(count)]
    for _ in range(ROUNDS):
        bare.prepare(bodies, size)
        acts = {"ours": ours.append, "the library": stock.append, "the floor": bare.append}
        for name, append in acts.items():
            gc.collect()  # what one leaves behind is not for the next to clear away
            begin = time.perf_counter()
            for start in range(0, count, size):
                append(bodies[start : start + size])
            took[name].append(time.perf_counter() - begin)
    floor = took.pop("the floor")
    print(f"  {what:<24}the floor {median(floor) / count * 1e6:8.1f} µs an event", end="")
    for name, rounds in took.items():
        of = median(one / other for one, other in zip(floor, rounds, strict=True))
        print(f"   {name} {median(rounds) / count * 1e6:8.1f} µs, {of:.2f} of it", end="")
    print()


def measure(ledger: Ledger, stock: Stock, floor: Floor, events: int) -> None:
    """Print all about one store."""
    ours, bare = Ours(ledger), Bare(floor)
    share = max(events // ROUNDS // PERIOD, 1) * PERIOD
    compared(f"a period of {PERIOD}", PERIOD, share, ours, stock, bare)
    compared("one event, durable", 1, SINGLES, ours, stock, bare)


def main(events: int = 20_000) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        file, other = (str(Path(folder) / f"{name}.db") for name in ("ours", "stock"))
        settings = {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": other}
        with Ledger.open(file, create=True) as ledger, closing(SqliteFloor(file)) as floor:
            print(f"SQLite, {events} events")
            with closing(Stock(settings)) as stock:
                measure(ledger, stock, floor, events)
    server = PostgresServer(durable=True)
    try:
        url, other = server.new_database(), server.new_database()
        reached = cast(dict[str, str], conninfo_to_dict(other))
        settings = {f"POSTGRES_{name.upper()}": value for name, value in reached.items()} | {
            "PERSISTENCE_MODULE": "eventsourcing.postgres",
            "POSTGRES_PORT": "5432",
            "POSTGRES_PASSWORD": "",
        }
        with Ledger.open(url, create=True) as ledger, closing(PostgresFloor(url)) as bare:
            print(f"PostgreSQL, {events} events")
            with closing(Stock(settings)) as stock:
                measure(ledger, stock, bare, events)
    finally:
        server.remove()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
