"""One `map` for tasks that do not depend on each other: here, on all cores, or on a cluster.

Replays of many periods, mutants of a rulebook and futures of a game are such tasks. `open_pool`
chooses where they run. The results do not depend on where.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nomoledger.parallel.pool import Pool, Task

__all__ = ["Pool", "Task", "open_pool"]


@contextmanager
def open_pool(workers: int | None = None, scheduler: str | None = None) -> Iterator[Pool]:
    """Yield a pool; at the end of the block, its workers are released.

    *workers* is the number of processes on this machine, as many as it has cores by default; with
    1, everything runs in this process. *scheduler* is the address of a Dask scheduler, such as
    "tcp://host:8786", whose workers are used instead.

    Raises:
        UsageError: Dask is not installed, or nothing answers at *scheduler*.
    """
    pool: Any
    if scheduler is not None:
        from nomoledger.parallel.dask_pool import DaskPool

        pool = DaskPool(scheduler)
    elif (count := workers or os.cpu_count() or 1) == 1:
        from nomoledger.parallel.serial_pool import SerialPool

        pool = SerialPool()
    else:
        from nomoledger.parallel.process_pool import ProcessPool

        pool = ProcessPool(count)
    try:
        yield pool
    finally:
        pool.close()
