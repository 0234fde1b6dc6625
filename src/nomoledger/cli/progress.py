"""A progress bar on what takes longer than a second: on standard error, only on a terminal.

It is drawn from a timer's signal, not from a thread, so that a worker process can be forked while
it is there.
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


@contextmanager
def progress(what: str, total: int = 0) -> Iterator[Advance | None]:
    """Show a bar titled *what* while the block takes; it is told what has been done of *total*.

    None stands for a bar that nobody would see.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not (sys.stderr.isatty() and in_main):
        yield None
        return
    bar = _Bar(what, total)
    before = signal.signal(signal.SIGALRM, lambda *_: bar.draw())
    signal.setitimer(signal.ITIMER_REAL, AFTER_SECONDS or EVERY_SECONDS, EVERY_SECONDS)
    try:
        if not AFTER_SECONDS:
            bar.draw()
        yield bar.advance
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        bar.progress.stop()


class _Bar:
    """A bar of rich's, which nobody draws but `draw`."""

    def __init__(self, what: str, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self.done = 0
        self._is_drawing = False
        console = Console(stderr=True)
        text = TextColumn("{task.description}")
        self.progress = Progress(
            text, BarColumn(), TimeElapsedColumn(), console=console, auto_refresh=False,
            transient=True,
        )  # fmt: skip
        self.task = self.progress.add_task(what, total=total or None)

    def advance(self, count: int) -> None:
        """*count* more are done; it shows the next time the bar is drawn."""
        self.done += count

    def draw(self) -> None:
        """Draw it as far as it is, unless this very drawing is what the timer interrupted."""
        if self._is_drawing:
            return
        self._is_drawing = True
        with suppress(OSError):
            self.progress.start()
            self.progress.update(self.task, completed=self.done)
            self.progress.refresh()
        self._is_drawing = False


# --- what tells how far it is -------------------------------------------------------------------


def counting(ledger: "Ledger", advance: Advance | None) -> "Ledger":
    """*ledger*, so that *advance* is told of each record that is read."""
    from nomoledger.ledger.ledger import Ledger

    if advance is None:
        return ledger
    return Ledger(cast("Store", _Counting(ledger.store, advance)))


def records_in(ledger: "Ledger", games: list[str]) -> int:
    """About how many records there are, whatever state the ledger is in."""
    tails = (ledger.store.tail(game) for game in games)
    return sum(tail[0] + 1 for tail in tails if tail is not None and isinstance(tail[0], int))


def watched(file: str, advance: Advance | None) -> io.BufferedReader:
    """*file*, opened so that *advance* is told of the bytes that are read."""
    return io.BufferedReader(_Watched(file, advance or (lambda count: None)))


def size_of(file: str) -> int:
    """How many bytes *file* has; 0 where that cannot be told."""
    with suppress(OSError):
        return os.stat(file).st_size
    return 0


class _Watched(io.FileIO):
    def __init__(self, file: str, advance: Advance) -> None:
        super().__init__(file)
        self._advance = advance

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer) or 0
        self._advance(count)
        return count


class _Counting:
    """A store that counts the records read from it, and else is the store it stands for."""

    def __init__(self, store: "Store", advance: Advance) -> None:
        self._store = store
        self._advance = advance

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def rows(self, game: str, after: int, upto: int) -> Iterator["Row"]:
        return self._counted(self._store.rows(game, after, upto))

    @contextmanager
    def evidence(self, game: str) -> Iterator["Evidence"]:
        with self._store.evidence(game) as found:
            yield found._replace(contents=self._counted(found.contents))

    def _counted(self, rows: Iterator[Any]) -> Iterator[Any]:
        for row in rows:
            self._advance(1)
            yield row
