"""How fast a ledger is read, folded and verified: `python benchmarks/reading.py [PAYMENTS ...]`.

A made-up year of payments on both stores, against the floor: the driver and msgspec on the same
rows. Reading decodes every event. Folding adds up what is in each account, which the floor does by
hand, or makes the whole state of the game. Verifying hashes every record again, and follows the
chain and the roll-up.
PostgreSQL is started for it, as for the tests.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
from floor import Floor, PostgresFloor, SqliteFloor
from made import GAME, PERIODS, by_turns, fill, sizes

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from postgres_server import PostgresServer

from nomoledger import events as e
from nomoledger.events.codec import EVENTS
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.raw_sums import summed_balances
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

ROUNDS = 3


def summed_by_hand(events: Iterator[e.Event]) -> dict[tuple[str, str], int]:
    """What is in each account."""
    units: dict[tuple[str, str], int] = {}
    for event in events:
        if type(event) is e.Posted:
            for posting in event.postings:
                key = posting.account, posting.commodity
                units[key] = units.get(key, 0) + posting.amount
    return units


def world_of(events: Iterator[e.Event]) -> World:
    """The state that *events* make."""
    world = World()
    for event in events:
        apply(world, event)
    return world


def measure(ledger: Ledger, floor: Floor, clock: Callable[[], float]) -> None:
    """Print all about one store."""
    decoders = {tag: msgspec.msgpack.Decoder(kind).decode for tag, kind in EVENTS.items()}

    def barely() -> Iterator[e.Event]:
        for topic, state in floor.read(GAME):
            yield decoders[topic](state)

    def consumed(events: Iterator[object]) -> None:
        for _ in events:
            pass

    asked: dict[str, Callable[[], object]] = {
        "the floor: read": lambda: consumed(barely()),
        "read": lambda: consumed(ledger.read(GAME)),
        "the floor: fold balances": lambda: summed_by_hand(barely()),
        "fold balances": lambda: summed_balances(ledger, GAME, PERIODS),
        "fold balances, event by event": lambda: summed_by_hand(
            entry.body for entry in ledger.read(GAME)
        ),
        "the floor: fold the world": lambda: world_of(barely()),
        "fold the world": lambda: world_of(entry.body for entry in ledger.read(GAME)),
        "verify": lambda: ledger.verify(GAME),
    }
    took = by_turns(asked, ROUNDS, clock)
    count = ledger.head(GAME).number + 1
    for what, seconds in took.items():
        bare = took.get(f"the floor: {what.partition(',')[0]}", took["the floor: read"])
        ratios = f"{seconds / bare:6.2f} x the floor {seconds / took['read']:6.2f} x read"
        print(f"  {what:<32}{seconds:9.3f} s {seconds / count * 1e6:7.2f} µs an event {ratios}")


def main(counts: list[int]) -> None:
    """Print a section for each store and number of payments."""
    for payments in counts:
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder) / "ledger.db")
            with Ledger.open(file, create=True) as ledger, closing(SqliteFloor(file)) as floor:
                print(f"SQLite, {payments:,} payments")
                fill(ledger, payments)
                measure(ledger, floor, time.process_time)
        server = PostgresServer(durable=True)
        try:
            url = server.new_database()
            with Ledger.open(url, create=True) as ledger, closing(PostgresFloor(url)) as bare:
                print(f"PostgreSQL, {payments:,} payments")
                fill(ledger, payments)
                measure(ledger, bare, time.perf_counter)  # a server works, too
        finally:
            server.remove()


if __name__ == "__main__":
    main(sizes([10_000]))
