"""Writes to a game until it has moved, in a process of its own: `… LEDGER GAME NAME`.

It prints the id of each event that is stored, and `moved` when it is told that the game has gone.
What somebody else appended first, or a busy database, makes it try again.
"""

import sys
import time
from datetime import UTC, datetime

from nomoledger.errors import ConflictError, MovedError, StoreError
from nomoledger.events import ClockAdvanced
from nomoledger.ledger.ledger import Ledger

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PAUSE_SECONDS = 0.003


def append(ledger: Ledger, game: str, id: str) -> None:
    """Append an event with that *id* at the end, wherever that is by then."""
    event = ClockAdvanced(period=1, received_at=NOON, recorded_at=NOON, id=id)
    expected: int | None = None
    while True:
        try:
            expected = ledger.head(game).number if expected is None else expected
            ledger.append(game, [event], expected=expected)
            return
        except ConflictError:
            expected = None
        except MovedError:
            raise
        except StoreError as error:  # the same again: what is stored already is not stored twice
            print(f"# {error}", flush=True)


def main(location: str, game: str, name: str) -> None:
    """Append, and say so."""
    with Ledger.open(location) as ledger:
        print("ready", flush=True)
        number = 0
        try:
            while True:
                append(ledger, game, f"{name}-{number}")
                print(f"{name}-{number}", flush=True)
                number += 1
                time.sleep(PAUSE_SECONDS)
        except MovedError as error:
            print(f"moved {error}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
