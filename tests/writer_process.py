"""Appends batches to a game in a process of its own: `writer_process.py LEDGER GAME NAME BATCHES`.

It begins when it is told to on standard input, and prints the number of each batch that is
stored. What somebody else appended first, or a database that is away, makes it try again, for
some seconds.
"""

import sys
import time
from datetime import UTC, datetime

from nomoledger.errors import ConflictError, StoreError
from nomoledger.events import ClockAdvanced, Event
from nomoledger.ledger.ledger import Ledger

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SIZE = 5
SECONDS = 15


def batch(name: str, number: int) -> list[Event]:
    """What is appended as one; each event knows which it is."""
    return [
        ClockAdvanced(period=1, received_at=NOON, recorded_at=NOON, id=f"{name}-{number}-{n}")
        for n in range(SIZE)
    ]


def append(ledger: Ledger, game: str, bodies: list[Event]) -> None:
    """Append *bodies* at the end, wherever that is by then."""
    give_up = time.monotonic() + SECONDS
    expected: int | None = None
    while True:
        try:
            expected = ledger.head(game).number if expected is None else expected
            ledger.append(game, bodies, expected=expected)
            return
        except ConflictError:
            expected = None
        except StoreError as error:  # the same again: what is stored already is not stored twice
            if time.monotonic() > give_up:
                raise
            print(f"# {error}", flush=True)
            time.sleep(0.1)


def main(location: str, game: str, name: str, batches: str) -> None:
    """Append, and say so."""
    with Ledger.open(location, create=True) as ledger:
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(int(batches)):
            append(ledger, game, batch(name, number))
            print(number, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
