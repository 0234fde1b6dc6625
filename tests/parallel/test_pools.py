"""Every pool gives the same results, replaces dead workers, and leaves no process behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from nomoledger.errors import PoolError, RuleFault, UsageError
from nomoledger.parallel import Pool, open_pool
from parallel.dask_cluster import Cluster, running_cluster
from parallel.some_tasks import deadly, failing, multiplier, process_namer, sleepless

Found = TypeVar("Found", int, Path)
POOLS = ("serial", "processes", pytest.param("dask", marks=pytest.mark.slow))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("dask"), workers=2) as cluster:
        yield cluster


@pytest.fixture
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    kind = request.param
    scheduler = request.getfixturevalue("cluster").address if kind == "dask" else None
    with open_pool({"serial": 1, "processes": 2, "dask": None}[kind], scheduler) as pool:
        yield pool


every_pool = pytest.mark.parametrize("pool", POOLS, indirect=True)
every_pool_with_workers = pytest.mark.parametrize("pool", POOLS[1:], indirect=True)


@every_pool
def test_each_item_gives_its_result_with_its_place(pool: Pool) -> None:
    results = dict(pool.map(multiplier, (3,), range(10, 60)))
    assert results == {place: 3 * (place + 10) for place in range(50)}


@every_pool
def test_no_items_give_no_results(pool: Pool) -> None:
    assert list(pool.map(multiplier, (3,), [])) == []


@every_pool
def test_one_pool_carries_out_one_task_after_another(pool: Pool) -> None:
    for factor in (2, 5):
        assert dict(pool.map(multiplier, (factor,), [1, 2])) == {0: factor, 1: 2 * factor}


@every_pool
def test_items_are_taken_only_as_workers_get_free(pool: Pool) -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = pool.map(multiplier, (1,), items())
    next(results)
    assert len(taken) <= 2 * pool.workers + 1


@every_pool
def test_an_error_of_a_task_arrives_as_it_was_raised(pool: Pool) -> None:
    with pytest.raises(RuleFault, match="no such square") as caught:
        list(pool.map(failing, (), range(20)))
    assert caught.value.rule == "V.1"


@every_pool_with_workers
def test_an_item_whose_worker_is_killed_is_tried_again(pool: Pool, tmp_path: Path) -> None:
    results = dict(pool.map(deadly, (str(tmp_path), 2), range(12)))
    assert results == {number: number * number for number in range(12)}
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("pool", ["processes"], indirect=True)
def test_an_item_that_always_kills_its_worker_is_an_error(pool: Pool, tmp_path: Path) -> None:
    with pytest.raises(PoolError, match="died 3 times over the same work"):
        list(pool.map(deadly, (str(tmp_path), 99), range(12)))


@pytest.mark.parametrize("pool", ["processes"], indirect=True)
def test_processes_are_others_than_this_one(pool: Pool) -> None:
    assert os.getpid() not in {process for _, process in pool.map(process_namer, (), range(8))}


def test_no_worker_outlives_a_killed_program(tmp_path: Path) -> None:
    program = (
        "from parallel.some_tasks import sleepless; from nomoledger.parallel import open_pool\n"
        "import sys\n"
        "if __name__ == '__main__':\n"
        "    with open_pool(2) as pool: list(pool.map(sleepless, (sys.argv[1],), range(4)))\n"
    )
    path = os.pathsep.join(sys.path)
    command = [sys.executable, "-c", program, str(tmp_path)]
    running = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path})
    workers = _wait_for(lambda: [int(file.name) for file in tmp_path.iterdir()], 2)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert _wait_for(lambda: [pid for pid in workers if not _is_running(pid)], 2) == workers


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nomoledger.parallel.dask_pool.CONNECT_SECONDS", 0.2)
    with (
        pytest.raises(UsageError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"),
        open_pool(scheduler="tcp://127.0.0.1:9"),
    ):
        pass


@pytest.mark.parametrize("scheduler", ["here", "http://host:8786", "tcp://host", "tcp://a b:1"])
def test_what_is_no_address_of_a_scheduler_is_a_clear_error(scheduler: str) -> None:
    with (
        pytest.raises(UsageError, match=r"write one like tcp://127\.0\.0\.1:8786"),
        open_pool(scheduler=scheduler),
    ):
        pass


@pytest.mark.slow
def test_a_cluster_without_workers_is_a_clear_error(tmp_path: Path) -> None:
    with (
        running_cluster(tmp_path, workers=0) as cluster,
        pytest.raises(UsageError, match="has no workers: start some with `dask worker tcp://"),
        open_pool(scheduler=cluster.address),
    ):
        pass


@pytest.mark.slow
def test_a_cluster_that_loses_all_its_workers_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nomoledger.parallel.dask_pool.LOST_SECONDS", 1.0)
    (begun := tmp_path / "begun").mkdir()
    with (
        running_cluster(tmp_path, workers=1) as cluster,
        open_pool(scheduler=cluster.address) as pool,
    ):
        results = pool.map(sleepless, (str(begun),), range(4))
        kill = threading.Thread(target=_kill_once_begun, args=(cluster, begun))
        kill.start()
        with pytest.raises(PoolError, match="the cluster has had no workers for 1 seconds: start"):
            list(results)
        kill.join()


def _kill_once_begun(cluster: Cluster, begun: Path) -> None:
    """Kill the workers of *cluster*, and the nannies that would start them again."""
    _wait_for(begun.iterdir, 1)
    for worker in cluster.workers:
        children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()
        worker.kill()
        for child in children:
            os.kill(int(child), signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_with_another_version_or_none_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other" / "nomoledger-0.0.1.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: nomoledger\nVersion: 0.0.1\n")
    with running_cluster(tmp_path, workers=1, found_first=str(other.parent)) as cluster:
        message = r"the worker tcp://\S+ of the cluster has nomoledger 0\.0\.1, and this is"
        with pytest.raises(UsageError, match=message), open_pool(scheduler=cluster.address):
            pass
        monkeypatch.setattr("nomoledger.parallel.dask_pool.PACKAGE", "not-installed-anywhere")
        message = r"the worker tcp://\S+ of the cluster lacks nomoledger, and this is"
        with pytest.raises(UsageError, match=message), open_pool(scheduler=cluster.address):
            pass


def _wait_for(read: Callable[[], Iterable[Found]], count: int) -> list[Found]:
    end = time.monotonic() + 20
    while len(found := sorted(read())) < count:
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
