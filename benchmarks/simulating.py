"""How long a simulated season takes: `python benchmarks/simulating.py [WEEKS]`.

Bots play weekly-vote, the longest rulebook, into a new ledger on disk; then every week is replayed,
as `nomoledger simulate` does. A bot tries what it might ask for before it asks: the attempts that
are tried and rolled back are by far the most.
"""

import sys
import tempfile
import time
from pathlib import Path

from nomoledger.game.replay import replay
from nomoledger.game.simulation.season import Plan, simulate
from nomoledger.ledger.ledger import Ledger

AIM = 20


def main(weeks: int = 40) -> None:
    """Measure and print."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.open(Path(folder) / "season.db", create=True) as ledger,
    ):
        begin = time.perf_counter()
        season = simulate(ledger, "weekly-vote", Plan(periods=weeks))
        played = time.perf_counter()
        exact = sum(replay(ledger, season.game, week + 1).exact for week in range(weeks))
        replayed = time.perf_counter()
    print(f"{weeks} weeks: {season.requests} requests, {season.events} events")
    print(f"  played   {played - begin:7.1f} s (aim for 40 weeks: at most {AIM} s)")
    print(f"  replayed {replayed - played:7.1f} s, {exact} weeks exactly")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
