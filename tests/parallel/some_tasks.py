"""Tasks for the tests of pools. Workers import them by name."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from nomoledger.errors import RuleFault


def multiplier(factor: int) -> Callable[[int], int]:
    """Return a function that multiplies by *factor*."""
    return lambda number: number * factor


def process_namer() -> Callable[[int], int]:
    """Return a function that returns the number of its process."""
    return lambda item: os.getpid()


def failing() -> Callable[[int], int]:
    """Return a function that raises a fault of a rule at item 7."""

    def carry_out(item: int) -> int:
        if item == 7:
            raise RuleFault("rule V.1: no such square", rule="V.1")
        return item

    return carry_out


def deadly(folder: str, deaths: int) -> Callable[[int], int]:
    """Return a function that kills its process at item 3, *deaths* times in all."""

    def carry_out(item: int) -> int:
        known = Path(folder)
        count = len(list(known.iterdir()))
        if item == 3 and count < deaths:
            (known / str(count)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return item * item

    return carry_out


def sleepless(folder: str) -> Callable[[int], int]:
    """Return a function that writes down its process, and never ends."""

    def carry_out(item: int) -> int:
        (Path(folder) / str(os.getpid())).touch()
        signal.pause()
        return item

    return carry_out
