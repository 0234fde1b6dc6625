"""What the roll-up and snapshots cost and give: `python benchmarks/rollup.py [EVENTS [FEW]]`.

Appending with chain and roll-up stands beside storing the same events, with the same durability and
in turns, with nothing beside them: by the bare driver, and by the library we build on. Then one
asks the same of a small ledger and of a large one: how a period stood, also as known earlier.
PostgreSQL is started for it, as for the tests.
"""

import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import psycopg
from eventsourcing.persistence import ApplicationRecorder, StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore
from psycopg.conninfo import conninfo_to_dict

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from postgres_server import PostgresServer

from nomoledger import events as e
from nomoledger.events.codec import tag_of
from nomoledger.events.rules import Commodity, Rule
from nomoledger.game.rebuild import rebuild
from nomoledger.ledger.as_of import as_known, as_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.rollup_queries import posted_balances, posted_balances_by_period

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
GAME = "benchmark"
BATCH = 500
WEEKS = 52
SMALL = 10_000
ACCOUNTS = [f"player:{number}" for number in range(50)]
COMMODITIES = ("$", "paint", "chains", "tickets")
#: One payment in so many puts an earlier week right.
LATE = 50
TURN = 10
PLAIN = "plain"

ENCODE = msgspec.msgpack.Encoder().encode

Act = Callable[[], object]


def season(events: int) -> Iterator[e.Event]:
    """About so many events: payments, some of them late, over 52 weeks that are closed."""
    chance = random.Random(1)
    yield e.GameOpened(id="open", game=GAME, rulebook="none", **_common(1))
    rule = Rule(number="1", commodities={each: Commodity() for each in COMMODITIES})
    yield e.RuleEnacted(rule=rule, source="rulebook", cause=0, **_common(1))
    yield e.AttemptDone(attempt="open", cause=0, **_common(1))
    for week in range(1, WEEKS + 1):
        for number in range(events // WEEKS):
            if number % TURN:
                yield _payment(chance, week)
            else:
                yield e.AttemptDone(attempt=str(number), cause=0, **_common(week))
        yield e.PeriodClosed(cause=0, digest="", seed="", commitment="", **_common(week))


def _payment(chance: random.Random, week: int) -> e.Posted:
    payer, payee = chance.sample(ACCOUNTS, 2)
    commodity, units = chance.choice(COMMODITIES), chance.randrange(1, 100)
    late = chance.randrange(LATE) == 0
    return e.Posted(
        postings=(e.Posting(payer, commodity, -units), e.Posting(payee, commodity, units)),
        why="rent",
        effective=max(1, week - chance.randint(1, 6)) if late else None,
        cause=0,
        rules=("IV.4@1",),
        **_common(week),
    )


def _common(week: int) -> dict[str, Any]:
    at = NOON + timedelta(weeks=week)
    return {"period": week, "received_at": at, "recorded_at": at}


def seconds(act: Act) -> float:
    """How long *act* takes."""
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


# --- appending ----------------------------------------------------------------------------------


class Driver:
    """The bare driver, which stores the events and nothing else."""

    def __init__(self, location: str) -> None:
        self._is_file = "://" not in location
        self.connection: Any
        if self._is_file:
            self.connection = sqlite3.connect(location, isolation_level=None)
        else:
            self.connection = psycopg.connect(location, autocommit=True)

    def append(self, first: int, bodies: list[e.Event]) -> None:
        """Store *bodies* from number *first* on, in one durable transaction."""
        rows = [(PLAIN, n, tag_of(body), ENCODE(body)) for n, body in enumerate(bodies, first)]
        if self._is_file:
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.executemany("INSERT INTO stored_events VALUES (?,?,?,?)", rows)
            self.connection.execute("COMMIT")
            return
        statement = (
            "COPY nomoledger.stored_events (originator_id, originator_version, topic, state)"
            " FROM STDIN (FORMAT BINARY)"
        )
        with (
            self.connection.transaction(),
            self.connection.cursor() as cursor,
            cursor.copy(statement.encode()) as copy,
        ):
            copy.set_types(["text", "int8", "text", "bytea"])
            for row in rows:
                copy.write_row(row)

    def close(self) -> None:
        """Let go of the database."""
        self.connection.close()


class Library:
    """eventsourcing's own recorder, with our bytes: what an application of it appends with."""

    def __init__(self, location: str) -> None:
        self._recorder: ApplicationRecorder
        if "://" not in location:
            self.close = self._open_file(f"{location}.plain").close
        else:
            self.close = self._open_database(location).close

    def _open_file(self, location: str) -> SQLiteDatastore:
        store = SQLiteDatastore(f"file:{location}?mode=rwc", originator_id_type="text")
        recorder = SQLiteApplicationRecorder(store)
        recorder.create_table()
        self._recorder = recorder
        return store

    def _open_database(self, url: str) -> PostgresDatastore:
        where = conninfo_to_dict(url)
        dbname, host, port, user = (
            str(where.get(each, "")) for each in ("dbname", "host", "port", "user")
        )
        store = PostgresDatastore(dbname, host, port, user, "", originator_id_type="text")
        recorder = PostgresApplicationRecorder(store, events_table_name="library")
        recorder.create_table()
        self._recorder = recorder
        return store

    def append(self, first: int, bodies: list[e.Event]) -> None:
        """Store *bodies* from number *first* on, in one durable transaction."""
        events = [
            StoredEvent(PLAIN, number, tag_of(body), ENCODE(body))
            for number, body in enumerate(bodies, first)
        ]
        self._recorder.insert_events(events)


def appended(location: str, bodies: list[e.Event]) -> None:
    """Append *bodies* in batches, with chain and roll-up, in turns with the plain ways."""
    with (
        Ledger.open(location, create=True) as ledger,
        closing(Driver(location)) as driver,
        closing(Library(location)) as library,
    ):
        ledger.create_game(GAME)
        ways: dict[str, Callable[[int, list[e.Event]], object]] = {
            "chain and roll-up": lambda at, few: ledger.append(GAME, few, expected=at - 1),
            "the bare driver": driver.append,
            "the library": library.append,
        }
        took: dict[str, list[float]] = {name: [] for name in ways}
        for start in range(0, len(bodies) - BATCH + 1, BATCH):
            few = bodies[start : start + BATCH]
            for name, way in ways.items():
                took[name].append(seconds(partial(way, start, few)))
    ours = took.pop("chain and roll-up")
    print(f"  append {BATCH} with chain and roll-up: {median(ours) / BATCH * 1e6:.1f} µs an event")
    for name, each in took.items():
        ratio = median(one / other for one, other in zip(ours, each, strict=True))
        plainly = f"{median(each) / BATCH * 1e6:.1f} µs an event"
        print(f"    plainly by {name:<20}{plainly:>20}   {ratio:.2f} x")


# --- asking -------------------------------------------------------------------------------------


def asked(small: str, large: str) -> None:
    """Put the same questions to both ledgers."""
    questions: dict[str, Callable[[Ledger], object]] = {
        "week 26, from its snapshot": lambda ledger: as_of(ledger, GAME, 26),
        "week 26, as known in week 30": lambda ledger: as_known(ledger, GAME, 26, 30).known,
        "posted up to week 26, as known in 30": lambda ledger: posted_balances(
            ledger, GAME, 26, 30
        ),
        "posted, all 52 weeks": lambda ledger: sum(1 for _ in posted_balances_by_period(ledger, GAME)),
    }
    with Ledger.open(small) as one, Ledger.open(large) as other:
        for what, ask in questions.items():
            pairs = [(seconds(partial(ask, one)), seconds(partial(ask, other))) for _ in range(9)]
            few, many = (median(each) * 1e3 for each in zip(*pairs, strict=True))
            print(f"  {what:<38}{few:8.1f} ms, {many:8.1f} ms   {many / few:5.2f} x")


def filled(location: str, bodies: Iterator[e.Event]) -> str:
    """A ledger with *bodies* in it, and the snapshots of its closes."""
    with Ledger.open(location, create=True) as ledger:
        ledger.create_game(GAME)
        batch: list[e.Event] = []
        last = -1
        for body in bodies:
            batch.append(body)
            if len(batch) == BATCH:
                last, batch = ledger.append(GAME, batch, expected=last).number, []
        events = ledger.append(GAME, batch, expected=last).number + 1
        took = seconds(lambda: rebuild(ledger, GAME))
        print(f"  rebuilt from {events} events: {took / events * 1e6:.1f} µs an event")
    return location


def measure(name: str, new: Callable[[str], str], events: int, few: int) -> None:
    """All measurements on one kind of store."""
    print(f"{name}: {few} and {events} events, {WEEKS} weeks")
    appended(new("append"), list(season(5 * few)))
    asked(filled(new("small"), season(few)), filled(new("large"), season(events)))


def main(events: int = 1_000_000, few: int = SMALL) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        measure("SQLite", lambda name: str(Path(folder) / f"{name}.db"), events, few)
    server = PostgresServer(durable=True)
    try:
        measure("PostgreSQL", lambda name: server.new_database(), events, few)
    finally:
        server.remove()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
