"""A pool without workers: this process carries out one item after the other."""

from collections.abc import Iterable, Iterator
from typing import Any

from nomoledger.parallel.pool import Item, Result, Task


class SerialPool:
    """Carries out items in this process, in order."""

    workers = 1

    def map(
        self, task: Task[Item, Result], shared: tuple[Any, ...], items: Iterable[Item]
    ) -> Iterator[tuple[int, Result]]:
        """Yield the place and the result of each of *items*; see `Pool.map`."""
        carry_out = task(*shared)
        for place, item in enumerate(items):
            yield place, carry_out(item)

    def close(self) -> None:
        """Do nothing: there are no workers."""
