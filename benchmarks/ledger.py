"""How fast the ledger is: `python benchmarks/ledger.py [EVENTS]`.

Appends events in batches of ten (about what a turn makes), reads them back and verifies them, next
to the same rows written and read with nothing but sqlite3.
"""

import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from nomoledger import events as e
from nomoledger.codec import encode
from nomoledger.ledger import Ledger

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BATCH = 10
GAME = "benchmark"


def event(number: int) -> e.Event:
    """A payment, as most events are."""
    postings = (e.Posting("Ann", "$", -number), e.Posting("Bob", "$", number))
    return e.Posted(
        period=1, received_at=NOON, recorded_at=NOON, cause=0, rules=("IV.4@1",),
        postings=postings, why="rent",
    )  # fmt: skip


def measured(what: str, events: int, act: Callable[[], object]) -> float:
    """Print how fast *act* handles so many *events*, and give its seconds."""
    begin = time.perf_counter()
    act()
    seconds = time.perf_counter() - begin
    print(f"{what:<40}{events / seconds:10.0f} events/s {seconds / events * 1e6:8.1f} µs each")
    return seconds


def ours(path: Path, bodies: list[e.Event]) -> tuple[float, float]:
    """Append, read and verify; gives the seconds of the first two."""
    with Ledger.open(path, create=True) as ledger:
        ledger.create_game(GAME)

        def append() -> None:
            for first in range(0, len(bodies), BATCH):
                ledger.append(GAME, bodies[first : first + BATCH], expected=first - 1)

        appending = measured("append, ten at a time", len(bodies), append)
        reading = measured("read", len(bodies), lambda: sum(1 for _ in ledger.read(GAME)))
        measured("verify", len(bodies), lambda: ledger.verify(GAME))
    return appending, reading


def theirs(path: Path, bodies: list[e.Event]) -> tuple[float, float]:
    """The same bytes with plain sqlite3: no chain, no checks."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")  # as the ledger has it
        connection.execute("CREATE TABLE events (game TEXT, number INTEGER, state BLOB)")

        def append() -> None:
            for first in range(0, len(bodies), BATCH):
                batch = enumerate(bodies[first : first + BATCH], first)
                rows = [(GAME, number, encode(body)) for number, body in batch]
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany("INSERT INTO events VALUES (?,?,?)", rows)
                connection.execute("COMMIT")

        def read() -> None:
            for _ in connection.execute("SELECT * FROM events ORDER BY number"):
                pass

        appending = measured("append with plain sqlite3", len(bodies), append)
        reading = measured("read rows with plain sqlite3", len(bodies), read)
    return appending, reading


def main(events: int = 20_000) -> None:
    """Measure and print."""
    bodies = [event(number) for number in range(events)]
    with tempfile.TemporaryDirectory() as folder:
        append, read = ours(Path(folder) / "ledger.db", bodies)
        raw_append, raw_read = theirs(Path(folder) / "plain.db", bodies)
    print(f"ratio: append {append / raw_append:.1f}, read {read / raw_read:.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
