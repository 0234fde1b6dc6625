"""What every pool of workers can do."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
#: Makes the function that carries out items. Each worker calls it once, with what all items share.
#: It stands at the top level of a module, as other processes import it by name.
Task = Callable[..., Callable[[Item], Result]]

#: The address of a Dask scheduler.
SCHEDULER_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9A-Fa-f:.]+\]|[\w.-]+):[0-9]{1,5}")
#: How many items are under way per worker: one runs, and the next waits beside it.
ITEMS_PER_WORKER = 2
#: How often an item is tried when its worker dies.
TRIES_MAX = 3


class Pool(Protocol):
    """Workers that carry out tasks.

    Attributes:
        workers: how many items run at the same time.
    """

    @property
    def workers(self) -> int:
        """How many items run at the same time."""

    def map(
        self, task: Task[Item, Result], shared: tuple[Any, ...], items: Iterable[Item]
    ) -> Iterator[tuple[int, Result]]:
        """Yield the place and the result of each of *items*, in the order in which they finish.

        Each worker calls `task(*shared)` once, and what this returns with each item. *items* are
        taken only as workers get free, so that memory does not grow with their number. An item
        whose worker dies is tried again on another worker.

        Raises:
            PoolError: items keep killing their workers, or the workers cannot be reached.
            Exception: whatever *task* raises for an item; the other items are given up.
        """
