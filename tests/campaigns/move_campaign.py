"""Campaign: a game moves while others write to it, and the mover is killed at random moments.

python tests/campaigns/move_campaign.py --trials 25                 # each pair of kinds
python tests/campaigns/move_campaign.py --trials 1 --seed 7 --from postgres --to sqlite

In each trial two processes write to the game until they are told where it is. The mover is killed
(SIGKILL) once to four times, and then let alone. After each kill at most one place takes records.
In the end the new place has every write that was acknowledged, once, and the head of the old place.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import moves
from command_kills import Forker
from postgres_server import PostgresServer

from nomoledger.events import ClockAdvanced
from nomoledger.ledger.ledger import Ledger

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
KINDS = ("postgres", "sqlite")
EVENTS = 1500


def filled(location: str) -> str:
    """Make a game with many events at *location*."""
    events = [
        ClockAdvanced(period=1, received_at=NOON, recorded_at=NOON, id=f"first-{number}")
        for number in range(EVENTS)
    ]
    with Ledger.open(location, create=True) as ledger:
        ledger.add_game(moves.GAME)
        ledger.append(moves.GAME, events, expected=-1)
    return location


def tried(server: PostgresServer, kinds: tuple[str, str], seeds: range) -> int:
    """Make a trial per seed, print what was seen, and return the failures."""
    counts: Counter[str] = Counter()
    begun, longest = time.monotonic(), 0.0
    for seed in (None, *seeds):
        with tempfile.TemporaryDirectory() as folder:
            forker = Forker(Path(folder))
            places = [
                server.new_database() if kind == "postgres" else f"{folder}/{number}.db"
                for number, kind in enumerate(kinds)
            ]
            try:
                old, new = filled(places[0]), places[1]
                if seed is None:  # how long does it take?
                    longest = moves.move(forker, old, new).seconds
                    continue
                chance = random.Random(f"{kinds} {seed}")
                result = moves.move(forker, old, new, chance, longest)
                counts["writes"] += result.acknowledged
                counts.update(f"kills that left {state} open" for state in result.states)
            except Exception as error:
                counts["failed"] += 1
                print(f"  {kinds} {seed}: {error!r:.500}", flush=True)
            finally:
                forker.close()
    seen = ", ".join(f"{what} {count}" for what, count in sorted(counts.items()))
    took = time.monotonic() - begun
    print(f"{kinds[0]} to {kinds[1]}, {len(seeds)} trials: {seen} ({took:.0f} s)", flush=True)
    return counts["failed"]


def main() -> None:
    """Try what was asked for; exit with 1 if a trial failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=1, help="trials of each pair")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--from", dest="old", choices=KINDS, help="only from this kind of store")
    parser.add_argument("--to", dest="new", choices=KINDS, help="only to this kind of store")
    options = parser.parse_args()
    server, failed = PostgresServer(), 0
    try:
        for old in KINDS:
            for new in KINDS:
                if options.old in (None, old) and options.new in (None, new):
                    seeds = range(options.seed, options.seed + options.trials)
                    failed += tried(server, (old, new), seeds)
    finally:
        server.remove()
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
