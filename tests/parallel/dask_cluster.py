"""A real Dask scheduler with real workers, each a process of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Cluster(NamedTuple):
    """A running cluster: the address of its scheduler, and its workers."""

    address: str
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def running_cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """Run a scheduler with *workers* workers of one thread each; their files are in *folder*."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    file = folder / "scheduler.json"

    def start(*words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]]
        with (folder / "log.txt").open("ab") as log:
            return subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)

    scheduler = start(
        "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
        "--scheduler-file", str(file),
    )  # fmt: skip
    processes = [scheduler]
    try:
        _wait_until(file.exists)
        common = ("--scheduler-file", str(file), "--nthreads", "1", "--no-dashboard")
        processes += [start("dask_worker", *common) for _ in range(workers)]
        address = _address(file)
        _wait_until(lambda: _count(address) == workers)
        yield Cluster(address, processes[1:])
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


def _wait_until(holds: "object") -> None:
    end = time.monotonic() + 60
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < end, "the cluster does not start"
        time.sleep(0.05)
