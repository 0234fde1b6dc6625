"""Synchronises tables with a ledger: once, or continuously."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from eventsourcing.persistence import IntegrityError
from eventsourcing.projection import BaseProjectionRunner

from nomoledger.errors import ConflictError, CorruptError, MovedError, StoreError
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.location import is_postgres
from nomoledger.views.sql.runner import read_progress, start_runner
from nomoledger.views.sql.sql_views import ConcurrentWriteError, Views, table_heads
from nomoledger.views.sql.table import SqlTable

Runner = BaseProjectionRunner[Any]
Tables = Sequence[type[SqlTable]]

#: How often a run is repeated because another writer committed part of a page.
TRIES_MAX = 10
#: How often an unreachable database is tried, and the time between two tries.
REACHES_MAX = 8
WAIT_SECONDS = 2.0
#: The time without a fault after which the count of faults starts again.
WELL_SECONDS = 30.0
#: The time between two checks for new games and for faults.
LOOK_SECONDS = 0.5


class SyncResult(NamedTuple):
    """A *game*, the number of *events* in its tables, and how many of them are *new*."""

    game: str
    events: int
    new: int


def events_behind(ledger: Ledger, views: Views, tables: Tables, game: str) -> int:
    """Return the number of events of *game* that at least one of *tables* does not hold yet.

    Raises:
        UsageError: The tables were made from another ledger.
    """
    return read_progress(views, tables, ledger, game).behind(tables)


def sync_tables(
    ledger: Ledger,
    views: Views,
    tables: Tables,
    games: Sequence[str],
    done: Callable[[int], None],
) -> Iterator[SyncResult]:
    """Bring *tables* of *games* to the head. Calls *done* with the number of events of each page.

    Raises:
        StoreError: A database failed.
        UsageError: The tables were made from another ledger.
    """
    for game in games:
        new = events_behind(ledger, views, tables, game)
        if new:
            start = partial(start_runner, views, ledger, game, tables, is_endless=False, done=done)
            _run_to_head(start)
        yield SyncResult(game, _events_in_all(views, tables, game), new)


def _events_in_all(views: Views, tables: Tables, game: str) -> int:
    """Return the number of events that all of *tables* hold."""
    heads = table_heads(views, tables, game)
    counts = (heads[table].number + 1 if table in heads else 0 for table in tables)
    return min(counts, default=0)


def _run_to_head(start: Callable[[], Runner]) -> None:
    for tries in range(1, TRIES_MAX + 1):
        try:
            with start() as runner:
                runner.run_forever()
            return
        except (ConcurrentWriteError, IntegrityError):
            if tries == TRIES_MAX:
                raise StoreError(
                    "another program writes the same tables all the time: end it there or try again"
                ) from None


class Follower:
    """Keeps tables of *games* up to date until it is stopped. If *games* is None, of all games.

    Retries an unreachable database for a while, and calls *warn* with a line each time.
    """

    def __init__(
        self,
        ledger: Ledger,
        views: Views,
        tables: Tables,
        games: Sequence[str] | None,
        warn: Callable[[str], None],
    ) -> None:
        self._ledger = ledger
        self._views = views
        self._tables = tables
        self._games = games
        self._warn = warn
        self._runners: dict[str, Runner] = {}
        self._fault_count = 0
        self._last_fault = 0.0

    def follow(self, seconds: float | None = None) -> None:
        """Follow the ledger, for at most *seconds* if given.

        Raises:
            StoreError: A database was unreachable for too long.
            UsageError: The tables were made from another ledger.
        """
        end = None if seconds is None else time.monotonic() + seconds
        with ExitStack() as stack:
            stack.callback(self._stop)
            while end is None or time.monotonic() < end:
                try:
                    self._check_runners()
                except (ConcurrentWriteError, IntegrityError):
                    continue
                except StoreError as error:
                    self._wait_after(error)
                time.sleep(LOOK_SECONDS)

    def _check_runners(self) -> None:
        """Start a runner for each new game, and for each game whose runner has ended."""
        for location in (self._ledger.store.location, self._views.location):
            _check_exists(location)
        for game in self._games or self._ledger.games():
            runner = self._runners.get(game)
            if runner is not None and runner.is_interrupted.is_set():
                del self._runners[game]
                with runner:
                    runner.run_forever()
                runner = None
            if runner is None:
                self._runners[game] = start_runner(
                    self._views, self._ledger, game, self._tables,
                    is_endless=True, done=lambda count: None,
                )  # fmt: skip

    def _wait_after(self, error: StoreError) -> None:
        """Wait before the next try, or raise *error* after too many tries."""
        now = time.monotonic()
        self._fault_count = 1 if now - self._last_fault > WELL_SECONDS else self._fault_count + 1
        self._last_fault = now
        is_final = isinstance(error, CorruptError | ConflictError | MovedError)
        if is_final or self._fault_count >= REACHES_MAX:
            raise error
        self._warn(f"{error} (trying again)")
        time.sleep(WAIT_SECONDS)

    def _stop(self) -> None:
        for runner in self._runners.values():
            runner.stop()
        for runner in self._runners.values():
            with suppress(StoreError, ConcurrentWriteError, IntegrityError), runner:
                pass
        self._runners.clear()


def _check_exists(location: str) -> None:
    """Raise StoreError if a file was removed: an open file would still work, but nobody sees it."""
    if not is_postgres(location) and not Path(location.removeprefix("sqlite:///")).exists():
        raise StoreError(f"{location} is gone: put it back, or end this")
