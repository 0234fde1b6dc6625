"""A pool of processes on this machine.

`concurrent.futures` starts the workers from a fresh interpreter. What this adds: no worker outlives
the process that started it, workers that died are replaced, and items are taken as they are needed.
"""

import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import islice
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from typing import Any

from nomoledger.errors import PoolError
from nomoledger.parallel.pool import ITEMS_PER_WORKER, TRIES_MAX, Item, Result, Task


class ProcessPool:
    """Carries out items in processes.

    Attributes:
        workers: the number of processes.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._running: list[_Workers] = []

    def map(
        self, task: Task[Item, Result], shared: tuple[Any, ...], items: Iterable[Item]
    ) -> Iterator[tuple[int, Result]]:
        """Yield the place and the result of each of *items*; see `Pool.map`."""
        job = pickle.dumps((task, shared))
        waiting = enumerate(items)
        lost = list(islice(waiting, self.workers))
        count, tries = len(lost), 0
        while lost:
            workers = _Workers(count, job)
            self._running.append(workers)
            try:
                for place, result in workers.carry_out(lost, waiting):
                    tries = 0
                    yield place, result
                return
            except BrokenProcessPool:
                tries += 1
                if tries == TRIES_MAX:
                    raise PoolError(
                        f"a worker process died {tries} times over the same work: there may be too"
                        " little memory; use fewer --workers"
                    ) from None
            finally:
                lost = [*workers.under_way.values()]
                self._running.remove(workers)
                workers.end()

    def close(self) -> None:
        """End all processes."""
        for workers in self._running:
            workers.end()


class _Workers:
    """The processes of one `map`, until one of them dies."""

    def __init__(self, count: int, job: bytes) -> None:
        watched, self._lifeline = Pipe(duplex=False)
        self._watched = watched
        self._executor = ProcessPoolExecutor(
            count, get_context("forkserver"), initializer=_prepare, initargs=(job, watched)
        )
        self._most = count * ITEMS_PER_WORKER
        self.under_way: dict[Future[Any], tuple[int, Any]] = {}

    def carry_out(
        self, first: list[tuple[int, Item]], then: Iterator[tuple[int, Item]]
    ) -> Iterator[tuple[int, Any]]:
        """Carry out the items of *first*, and those of *then* as workers get free."""
        for place, item in first:
            self._submit(place, item)
        while True:
            for place, item in islice(then, max(self._most - len(self.under_way), 0)):
                self._submit(place, item)
            if not self.under_way:
                return
            done, _ = wait(self.under_way, return_when=FIRST_COMPLETED)
            for future in done:
                result = future.result()
                place, _ = self.under_way.pop(future)
                yield place, result

    def _submit(self, place: int, item: Any) -> None:
        try:
            future = self._executor.submit(_carry_out, item)
        except BrokenProcessPool:
            # The item is lost with the workers, and carried out by the next ones.
            self.under_way[Future()] = place, item
            raise
        self.under_way[future] = place, item

    def end(self) -> None:
        """End the processes, whatever they are doing."""
        if self.under_way:
            self._lifeline.close()
        self._executor.shutdown(cancel_futures=True)
        self._lifeline.close()
        self._watched.close()


class _Worker:
    """What this process was prepared for."""

    job: bytes
    carry_out: Callable[[Any], Any] | None = None


def _prepare(job: bytes, watched: Connection) -> None:
    """Make this process a worker, which ends as soon as the other end of *watched* is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Worker.job = job
    threading.Thread(target=_end_with, args=(watched,), daemon=True).start()


def _end_with(watched: Connection) -> None:
    with suppress(EOFError, OSError):
        watched.recv_bytes()
    os._exit(1)


def _carry_out(item: Any) -> Any:
    if _Worker.carry_out is None:
        task, shared = pickle.loads(_Worker.job)
        _Worker.carry_out = task(*shared)
    return _Worker.carry_out(item)
