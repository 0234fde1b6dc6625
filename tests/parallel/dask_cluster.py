"""A real Dask scheduler with real workers, each a process of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Cluster(NamedTuple):
    """A running cluster: the address of its scheduler, and its workers."""

    address: str
    workers: list[subprocess.Popen[bytes]]
    start_worker: Callable[[], subprocess.Popen[bytes]]

    def replace_dead(self) -> None:
        """Start a worker for each that has died, and wait until all are there."""
        for place, worker in enumerate(self.workers):
            if worker.poll() is not None:
                self.workers[place] = self.start_worker()
        _wait_until(lambda: _count(self.address) == len(self.workers))


@contextmanager
def running_cluster(folder: Path, workers: int, found_first: str = "") -> Iterator[Cluster]:
    """Run a scheduler with *workers* workers of one thread each; their files are in *folder*.

    Workers find modules in the folder *found_first* before all others.
    """
    file = folder / "scheduler.json"

    def start(*words: str) -> subprocess.Popen[bytes]:
        first = found_first if words[0] == "dask_worker" else ""
        path = os.pathsep.join(path for path in (first, *sys.path) if path)
        environment = os.environ | {"PYTHONPATH": path}
        command = [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]]
        with (folder / "log.txt").open("ab") as log:
            process = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)
        processes.append(process)
        return process

    def start_worker() -> subprocess.Popen[bytes]:
        common = ("--scheduler-file", str(file), "--nthreads", "1", "--no-dashboard")
        return start("dask_worker", *common)

    processes: list[subprocess.Popen[bytes]] = []
    start(
        "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
        "--scheduler-file", str(file),
    )  # fmt: skip
    try:
        _wait_until(file.exists)
        started = [start_worker() for _ in range(workers)]
        address = _address(file)
        _wait_until(lambda: _count(address) == workers)
        yield Cluster(address, started, start_worker)
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


def _address(file: Path) -> str:
    import json

    return str(json.loads(file.read_text())["address"])


def _count(address: str) -> int:
    from distributed import Client

    with Client(address, timeout=10, set_as_default=False) as client:
        return len(client.nthreads())


def _wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "the cluster does not start"
        time.sleep(0.05)
