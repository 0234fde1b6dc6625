"""Campaign: workers are killed in the middle of forecasts and audits, and nothing may be lost.

python tests/campaigns/worker_campaign.py --trials 40              # 40 trials of each kind
python tests/campaigns/worker_campaign.py --trials 5 --seed 7      # others

Each trial plays a forecast with a change, or audits every period of a game, on a pool of two
processes or on a Dask cluster of two workers, and kills a worker (SIGKILL) at a random moment. With
--season, the game is the real season, and else a small one, which takes a tenth of the time.
The result must be that of an undisturbed run in one process. A cluster gets a new worker after each
trial.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from forecasts.tossing import START, played
from parallel.dask_cluster import Cluster, running_cluster

from nomoledger.events.rules import Amend
from nomoledger.game import recorded_games
from nomoledger.game.forecast import ForecastPlan, forecast
from nomoledger.game.game import Game
from nomoledger.game.ledger_audit import audit_periods, periods_of
from nomoledger.game.records import import_record
from nomoledger.ledger.ledger import Ledger
from nomoledger.parallel import Pool, open_pool

WORKERS = 2
#: For each game, the forecast.
PLANS = {
    "tosses": ForecastPlan(
        periods=4, futures=300, changes=(Amend(number="2", parameters={"prize": 20}),)
    ),
    "weekly-vote-season": ForecastPlan(
        futures=120, changes=(Amend(number="X.3", parameters={"dollars_per_number": 6}),)
    ),
}
PERIODS = 12
#: How the command of a process of the pool looks like.
FORKSERVER = b"multiprocessing.forkserver"


def forecast_of(location: str, pool: Pool) -> Any:
    """Return a forecast of the game."""
    with Ledger.open(location) as ledger:
        (game,) = ledger.games()
        return forecast(ledger, game, PLANS[game], pool)


def audit_of(location: str, pool: Pool) -> Any:
    """Return the audit of all periods of the game."""
    return sorted(audit_periods(periods_of(location), pool), key=lambda pair: pair[0])


WORK: dict[str, Callable[[str, Pool], Any]] = {"forecast": forecast_of, "audit": audit_of}


class Killing:
    """Kills one worker at a moment between *after* and half as much again, if there is one then.

    Attributes:
        killed: the number of the process that was killed; 0 if none was there.
    """

    def __init__(self, workers: Callable[[], list[int]], after: float, place: int) -> None:
        self._workers, self._after, self._place = workers, after, place
        self.killed = 0
        self._thread = threading.Thread(target=self._kill, daemon=True)
        self._thread.start()

    def _kill(self) -> None:
        time.sleep(self._after)
        workers = self._workers()
        if workers:
            self.killed = workers[self._place % len(workers)]
            with suppress(ProcessLookupError):
                os.kill(self.killed, signal.SIGKILL)

    def ended(self) -> bool:
        """Wait, and return whether a worker was killed."""
        self._thread.join()
        return bool(self.killed)


def processes_of_pool() -> list[int]:
    """Return the workers of the pool of this process: the children of its fork server."""
    return [
        worker
        for server in children(os.getpid())
        if FORKSERVER in command(server)
        for worker in children(server)
    ]


def children(process: int) -> list[int]:
    """Return the children of *process*."""
    with suppress(OSError):
        path = Path(f"/proc/{process}/task/{process}/children")
        return [int(child) for child in path.read_text().split()]
    return []


def command(process: int) -> bytes:
    """Return the command line of *process*."""
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


def on_pool(
    location: str, work: Callable[[str, Pool], Any], chance: random.Random, seconds: float
) -> tuple[Any, bool]:
    """Return the result on a pool of which a worker is killed, and whether one was killed."""
    with open_pool(WORKERS) as pool:
        killing = Killing(processes_of_pool, chance.uniform(0, seconds), chance.randrange(8))
        return work(location, pool), killing.ended()


def on_cluster(
    location: str,
    work: Callable[[str, Pool], Any],
    chance: random.Random,
    seconds: float,
    cluster: Cluster,
) -> tuple[Any, bool]:
    """Return the same of a cluster, which gets a new worker for the killed one afterwards."""
    with open_pool(scheduler=cluster.address) as pool:
        alive = [worker.pid for worker in cluster.workers if worker.poll() is None]
        after, place = chance.uniform(0, seconds), chance.randrange(8)
        killing = Killing(lambda: alive, after, place)
        result = work(location, pool), killing.ended()
    for worker in cluster.workers:
        if worker.pid == killing.killed:
            worker.wait()
    cluster.replace_dead()
    return result


def record_season(location: str) -> None:
    """Record the real season."""
    with Ledger.open(location, create=True) as ledger:
        import_record(ledger, recorded_games.find("weekly-vote-season"))


def record_tosses(location: str) -> None:
    """Record a small game."""
    with played(Path(location), "Ann", "Bob", "Cleo") as ledger:
        game = Game(ledger)
        for week in range(1, PERIODS):
            at = START + timedelta(weeks=week)
            for name in ("Ann", "Bob", "Cleo"):
                game.submit(name, "toss", {}, at=at + timedelta(hours=1))
            game.close(at=at + timedelta(weeks=1))


def undisturbed(location: str) -> Iterator[tuple[str, Any]]:
    """Yield each kind of work with its result in this process."""
    for name, work in WORK.items():
        with open_pool(1) as pool:
            yield name, work(location, pool)


def timed(act: Callable[[], object]) -> float:
    """Return how long *act* takes."""
    begin = time.monotonic()
    act()
    return time.monotonic() - begin


def trials(location: str, folder: Path, seeds: range) -> int:
    """Print what the trials of each kind came to, and return how many failed."""
    expected, failed = dict(undisturbed(location)), 0
    with running_cluster(folder, WORKERS) as cluster:
        for name, work in WORK.items():
            with open_pool(WORKERS) as pool:
                seconds = timed(lambda: work(location, pool))  # noqa: B023
            for where in ("pool", "cluster"):
                counts: Counter[str] = Counter()
                begin = time.monotonic()
                for seed in seeds:
                    chance = random.Random(f"{name} {where} {seed}")
                    try:
                        result, was_killed = (
                            on_pool(location, work, chance, seconds)
                            if where == "pool"
                            else on_cluster(location, work, chance, seconds, cluster)
                        )
                    except Exception as error:
                        counts[f"failed with {error!r:.200}"] += 1
                        failed += 1
                        continue
                    counts["a worker killed" if was_killed else "no worker there to kill"] += 1
                    if result != expected[name]:
                        counts["RESULT DIFFERS"] += 1
                        failed += 1
                told = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
                print(f"{name}, {where}: {told} ({time.monotonic() - begin:.0f} s)", flush=True)
    return failed


def main() -> None:
    """Try what was asked for; exit with 1 if a trial failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=2, help="trials of each kind")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--season", action="store_true", help="the real season")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        location = str(Path(folder) / "game.db")
        record_season(location) if options.season else record_tosses(location)
        seeds = range(options.seed, options.seed + options.trials)
        failed = trials(location, Path(folder), seeds)
    print(f"{failed} trials failed" if failed else "every result is that of an undisturbed run")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
