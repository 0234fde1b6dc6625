"""How long forecasts take, and where: `python benchmarks/forecasting.py [FUTURES [ROUNDS]]`.

Futures of one week of the real season are played in this process, on a pool of two processes, and
on a Dask cluster of two workers, by turns, so that other work on the machine slows all of them
down. Then as many futures as asked for, and ten times fewer, are played on the pool, without a
change and with one, and the memory of all processes together is compared.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from made import python

from nomoledger.events.rules import Amend, Change
from nomoledger.game import recorded_games
from nomoledger.game.forecast import ForecastPlan, forecast
from nomoledger.game.records import import_record
from nomoledger.ledger.ledger import Ledger
from nomoledger.parallel import open_pool

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from parallel.dask_cluster import running_cluster

WORKERS = 2
#: What a round plays, as a part of all futures.
PART = 2
CHANGE = (Amend(number="X.3", parameters={"dollars_per_number": 6}),)
AIMS = {"pool": 1.8, "cluster": 1.3}
SECONDS_AIM = 60
CODE = """
import sys
from nomoledger.cli import main
sys.argv[0] = "nomoledger"
main()
"""


class Played(NamedTuple):
    """How long a forecast took from start to end, and the futures per second once it had begun."""

    seconds: float
    rate: float


def played(
    ledger: Ledger,
    futures: int,
    workers: int | None,
    scheduler: str | None = None,
    changes: tuple[Change, ...] = (),
) -> Played:
    """Play *futures* futures somewhere."""
    times: list[tuple[float, int]] = []

    def done(count: int) -> None:
        times.append((time.perf_counter(), count))

    begin = time.perf_counter()
    with open_pool(workers, scheduler) as pool:
        plan = ForecastPlan(futures=futures, changes=changes)
        forecast(ledger, ledger.games()[0], plan, pool, done=done)
    seconds = time.perf_counter() - begin
    # The first futures of each worker wait for the compilation of the rules.
    late = times[len(times) // 3 :]
    rate = sum(count for _, count in late[1:]) / max(late[-1][0] - late[0][0], 1e-9)
    return Played(seconds, rate)


def compare(ledger: Ledger, address: str, futures: int, rounds: int) -> None:
    """Print how the sides compare, which go by turns."""
    sides: dict[str, tuple[int | None, str | None]] = {
        "in this process": (1, None),
        f"on {WORKERS} processes": (WORKERS, None),
        f"on a cluster of {WORKERS} workers": (None, address),
    }
    found: dict[str, list[Played]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, (workers, scheduler) in sides.items():
            found[name].append(played(ledger, futures, workers, scheduler))
    print(f"{futures} futures of one week, {rounds} rounds by turns, load {load()}")
    for name, runs in found.items():
        seconds = sum(run.seconds for run in runs) / rounds
        rate = sum(run.rate for run in runs) / rounds
        print(f"  {name:<28}{seconds:7.1f} s {rate:7.1f} futures a second once begun")
    serial, pool, cluster = found.values()
    times_faster = _ratios([b.rate / a.rate for a, b in zip(serial, pool, strict=True)])
    print(f"  pool against this process   {times_faster} (aim: {AIMS['pool']} times faster)")
    slower = _ratios([b.seconds / a.seconds for a, b in zip(pool, cluster, strict=True)])
    print(f"  cluster against pool        {slower} (aim: at most {AIMS['cluster']} times the time)")


def _ratios(ratios: list[float]) -> str:
    """Return the median of *ratios*, and all of them."""
    each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    return f"{sorted(ratios)[len(ratios) // 2]:.2f} (each round: {each})"


def whole(ledger: Ledger, futures: int) -> None:
    """Print how long all futures take on the pool."""
    for name, changes in (("without a change", ()), ("with and without a change", CHANGE)):
        run = played(ledger, futures, WORKERS, changes=changes)
        aim = f" (aim for 1,000: at most {SECONDS_AIM} s)"
        print(f"{futures} futures {name:<28}{run.seconds:7.1f} s{aim}, load {load()}")


def memory(location: str, futures: int) -> None:
    """Print the peak memory of all processes of forecasts of two sizes."""
    for count in (futures // 10, futures):
        words = ["forecast", location, "--futures", str(count), "--workers", str(WORKERS)]
        print(f"{count} futures: {peak(python(CODE, *words)) >> 20} MB in all processes together")


def peak(words: list[str]) -> int:
    """Return the largest memory in bytes that a command and its processes share and have."""
    largest = 0
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        while process.poll() is None:
            largest = max(largest, _memory_of(process.pid))
            time.sleep(0.2)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        raise SystemExit(f"the forecast failed: {process.returncode}")
    return largest


def _memory_of(session: int) -> int:
    """Return the proportional memory of all processes of *session* in bytes."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, StopIteration):
            if (folder / "stat").read_text().rpartition(")")[2].split()[3] == str(session):
                lines = (folder / "smaps_rollup").read_text().splitlines()
                total += 1024 * int(next(x for x in lines if x.startswith("Pss:")).split()[1])
    return total


def load() -> str:
    """Return how busy the machine was in the last minute, with this work."""
    return f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def main(futures: int = 1000, rounds: int = 3) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        location = str(Path(folder) / "season.db")
        with Ledger.open(location, create=True) as ledger:
            import_record(ledger, recorded_games.find("weekly-vote-season"))
        with (
            Ledger.open(location) as ledger,
            running_cluster(Path(folder), WORKERS) as cluster,
        ):
            compare(ledger, cluster.address, max(futures // PART, 1), rounds)
            whole(ledger, futures)
        memory(location, futures)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
