"""Ctrl-C during a forecast of the command line: a real signal to all its processes."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli.commands import COMMAND
from parallel.dask_cluster import Cluster, running_cluster

from .tossing import played

MANY = 500_000


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    played(tmp_path / "tosses.db", "Ann", "Bob").close()
    return tmp_path / "tosses.db"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("dask"), workers=2) as cluster:
        yield cluster


def interrupted(ledger: Path, is_playing: Callable[[int], bool], *words: str) -> str:
    """Return the output of a forecast that gets Ctrl-C as soon as it plays futures."""
    command = ["forecast", str(ledger), "--futures", str(MANY), *words]
    running = subprocess.Popen(
        [*COMMAND, *command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        wait_until(lambda: is_playing(running.pid))
        os.killpg(running.pid, signal.SIGINT)
        output, errors = running.communicate(timeout=60)
        assert errors == ""
        assert running.returncode == 130
        wait_until(lambda: not processes_of(running.pid))
        return output
    finally:
        running.kill()
        running.wait()


def wait_until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def processes_of(session: int) -> list[float]:
    """Return the processor time of each process of *session*."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] == str(session) and fields[0] != "Z":
            found.append((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
    return found


def works(session: int) -> bool:
    """Return whether a process that *session* started has worked for a while: it plays futures."""
    return sum(seconds > 0.5 for seconds in processes_of(session)) > 1


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.slow), "2"])
def test_ctrl_c_shows_the_futures_played_so_far(ledger: Path, workers: str) -> None:
    output = interrupted(ledger, works, "--workers", workers)
    assert f" of {MANY:,} futures (interrupted)" in output
    assert "rules that acted" in output


@pytest.mark.slow
def test_ctrl_c_shows_what_a_cluster_has_played_so_far(ledger: Path, cluster: Cluster) -> None:
    def is_playing(session: int) -> bool:
        with Client(cluster.address, set_as_default=False) as client:
            return any(client.processing().values())

    from distributed import Client

    output = interrupted(ledger, is_playing, "--scheduler", cluster.address)
    assert f" of {MANY:,} futures (interrupted)" in output
