"""A progress bar for work that takes longer than a second, on standard error of a terminal.

A timer's signal draws the bar, so that no thread runs beside the work.
"""

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from nomoledger.ledger.ledger import Ledger
    from nomoledger.ledger.stores.store import Evidence, Row, Store

Advance = Callable[[int], None]
AFTER_SECONDS = 1.0
EVERY_SECONDS = 0.1


def no_advance(count: int) -> None:
    """Do nothing: the progress bar is not shown."""


@contextmanager
def progress(title: str, total: int = 0) -> Iterator[Advance]:
    """Show a bar with *title* while the block runs; yield the function that advances it.

    Yields `no_advance` if standard error is not a terminal.
    """
    is_main_thread = threading.current_thread() is threading.main_thread()
    if not (sys.stderr.isatty() and is_main_thread):
        yield no_advance
        return
    bar = _Bar(title, total)
    handler = signal.signal(signal.SIGALRM, lambda *_: bar.draw())
    signal.setitimer(signal.ITIMER_REAL, AFTER_SECONDS or EVERY_SECONDS, EVERY_SECONDS)
    try:
        if not AFTER_SECONDS:
            bar.draw()
        yield bar.advance
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        bar.progress.stop()


class _Bar:
    """A progress bar of rich that is drawn only by `draw`."""

    def __init__(self, title: str, total: int) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self.done = 0
        self._is_drawing = False
        console = Console(stderr=True)
        text = TextColumn("{task.description}")
        self.progress = Progress(
            text, BarColumn(), TimeElapsedColumn(), TimeRemainingColumn(), console=console,
            auto_refresh=False, transient=True,
        )  # fmt: skip
        self.task = self.progress.add_task(title, total=total or None)

    def advance(self, count: int) -> None:
        """Add *count* to what is done; the next `draw` shows the sum."""
        self.done += count

    def draw(self) -> None:
        """Draw the bar, unless the timer interrupted an earlier `draw`."""
        if self._is_drawing:
            return
        self._is_drawing = True
        with suppress(OSError):
            self.progress.start()
            self.progress.update(self.task, completed=self.done)
            self.progress.refresh()
        self._is_drawing = False


# --- sources that advance a bar -----------------------------------------------------------------


def counting(ledger: "Ledger", advance: Advance) -> "Ledger":
    """Return *ledger*, wrapped so that every record read from it calls *advance*."""
    from nomoledger.ledger.ledger import Ledger

    if advance is no_advance:
        return ledger
    return Ledger(cast("Store", _CountingStore(ledger.store, advance)))


def count_records(ledger: "Ledger", games: list[str]) -> int:
    """Return roughly how many records *games* have; the ledger may be damaged."""
    tails = (ledger.store.tail(game) for game in games)
    return sum(tail[0] + 1 for tail in tails if tail is not None and isinstance(tail[0], int))


def open_counting(file: str, advance: Advance) -> io.BufferedReader:
    """Open *file* so that every read calls *advance* with the number of bytes."""
    return io.BufferedReader(_CountingFile(file, advance))


def file_size(file: str) -> int:
    """Return the size of *file* in bytes; 0 if it is unknown."""
    with suppress(OSError):
        return os.stat(file).st_size
    return 0


class _CountingFile(io.FileIO):
    def __init__(self, file: str, advance: Advance) -> None:
        super().__init__(file)
        self._advance = advance

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer) or 0
        self._advance(count)
        return count


class _CountingStore:
    """A store that counts the records read from it, and delegates everything else."""

    def __init__(self, store: "Store", advance: Advance) -> None:
        self._store = store
        self._advance = advance

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def rows(self, game: str, after: int, upto: int) -> Iterator["Row"]:
        return self._counted(self._store.rows(game, after, upto))

    @contextmanager
    def evidence(self, game: str) -> Iterator["Evidence"]:
        with self._store.evidence(game) as evidence:
            yield evidence._replace(contents=self._counted(evidence.contents))

    def _counted(self, rows: Iterator[Any]) -> Iterator[Any]:
        for row in rows:
            self._advance(1)
            yield row
