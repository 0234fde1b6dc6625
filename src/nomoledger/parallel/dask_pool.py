"""A pool on a Dask cluster: workers on several machines, which a scheduler hands their items.

The scheduler and its workers run as the user who started them and trust each other. They belong
into a network that nobody else reaches.
"""

import pickle
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from itertools import islice
from time import monotonic
from typing import Any
from uuid import uuid4

from nomoledger.errors import PoolError, UsageError
from nomoledger.parallel.pool import (
    ITEMS_PER_WORKER,
    SCHEDULER_ADDRESS,
    TRIES_MAX,
    Item,
    Result,
    Task,
)

#: How long the scheduler may take to answer, in seconds.
CONNECT_SECONDS = 5
#: How long a cluster may be without workers, and how often they are counted, in seconds.
LOST_SECONDS, COUNT_SECONDS = 30.0, 2.0
PACKAGE = "nomoledger"
VERSION = version_of(PACKAGE)


class DaskPool:
    """Carries out items on the workers of a Dask scheduler.

    Attributes:
        workers: the number of threads of all workers together.
    """

    def __init__(self, scheduler: str) -> None:
        """Connect to *scheduler*, an address such as "tcp://host:8786".

        Raises:
            UsageError: Dask is not installed, *scheduler* is no address, nothing answers there, the
                cluster has no workers, or a worker has another version of nomoledger, or none.
        """
        try:
            from distributed import Client
        except ImportError:
            raise UsageError("a cluster needs Dask: pip install 'nomoledger[cluster]'") from None
        if not SCHEDULER_ADDRESS.fullmatch(scheduler):
            raise UsageError(
                f"{scheduler!r} is no address of a scheduler: write one like tcp://127.0.0.1:8786"
            )
        try:
            self._client: Any = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise UsageError(
                f"no Dask scheduler answers at {scheduler} ({reason}): start one with `dask"
                " scheduler`, or leave out --scheduler"
            ) from None
        self.workers = sum(self._client.nthreads().values())
        if not self.workers:
            self.close()
            raise UsageError(
                f"the scheduler {scheduler} has no workers: start some with `dask worker"
                f" {scheduler} --nthreads 1`"
            )
        self._check_versions()

    def _check_versions(self) -> None:
        """Ask each worker for its version; a function of ours could not be called without it."""
        found = self._client.run(version_of, PACKAGE, on_error="return")
        for worker, version in found.items():
            is_missing = isinstance(version, PackageNotFoundError)
            if is_missing or (isinstance(version, str) and version != VERSION):
                self.close()
                has = "lacks nomoledger" if is_missing else f"has nomoledger {version}"
                raise UsageError(
                    f"the worker {worker} of the cluster {has}, and this is {VERSION}: install one"
                    " version everywhere"
                )

    def map(
        self, task: Task[Item, Result], shared: tuple[Any, ...], items: Iterable[Item]
    ) -> Iterator[tuple[int, Result]]:
        """Yield the place and the result of each of *items*; see `Pool.map`."""
        from distributed import as_completed

        # Data scattered to a worker would be lost with it, so each item brings the job along.
        job, name = pickle.dumps((task, shared)), uuid4().hex
        waiting = enumerate(items)
        places: dict[Any, int] = {}
        finished: Any = as_completed(loop=self._client.loop)

        def submit(most: int) -> None:
            for place, item in islice(waiting, most):
                future = self._client.submit(
                    _carry_out, VERSION, name, job, item,
                    pure=False, retries=TRIES_MAX,
                )  # fmt: skip
                places[future.key] = place
                finished.add(future)

        submit(self.workers * ITEMS_PER_WORKER)
        with self._watched(finished) as is_lost:
            try:
                for future in finished:
                    result = self._result_of(future, is_lost)
                    submit(1)
                    yield places.pop(future.key), result
            finally:
                self._client.cancel([*finished.futures])

    @contextmanager
    def _watched(self, finished: Any) -> Iterator[threading.Event]:
        """Cancel the futures in *finished* if all workers are gone; then the event is set.

        Otherwise the items would wait for ever, because a scheduler waits for other workers.
        """
        is_over, is_lost = threading.Event(), threading.Event()

        def count() -> None:
            seen = monotonic()
            while not is_over.wait(COUNT_SECONDS):
                if self._client.nthreads():
                    seen = monotonic()
                elif monotonic() - seen > LOST_SECONDS:
                    is_lost.set()
                    self._client.cancel([*finished.futures])
                    return

        counting = threading.Thread(target=count, daemon=True)
        counting.start()
        try:
            yield is_lost
        finally:
            is_over.set()
            counting.join()

    def _result_of(self, future: Any, is_lost: threading.Event) -> Any:
        from distributed import CancelledError, KilledWorker

        try:
            return future.result()
        except KilledWorker:
            raise PoolError(
                "the workers of the cluster died over the same work: there may be too little memory"
            ) from None
        except CancelledError:
            if is_lost.is_set():
                raise PoolError(
                    f"the cluster has had no workers for {LOST_SECONDS:.0f} seconds: start some"
                    " with `dask worker`, and try again"
                ) from None
            raise PoolError("the connection to the Dask scheduler broke") from None

    def close(self) -> None:
        """Release the cluster, which goes on for others."""
        self._client.close()


class _PreparedThread(threading.local):
    """What this thread of a worker was prepared for last."""

    name: str = ""
    carry_out: Callable[[Any], Any]


_PREPARED = _PreparedThread()


def _carry_out(version: str, name: str, job: bytes, item: Any) -> Any:
    """Carry out *item* of the pickled *job*, which has that *name*.

    Raises:
        UsageError: this worker has another version of nomoledger.
    """
    if version != VERSION:
        raise UsageError(
            f"a worker of the cluster has nomoledger {VERSION}, and this is"
            f" {version}: install one version everywhere"
        )
    if _PREPARED.name != name:
        task, shared = pickle.loads(job)
        _PREPARED.carry_out = task(*shared)
        _PREPARED.name = name
    return _PREPARED.carry_out(item)
