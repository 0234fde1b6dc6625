"""Keeping tables: up to the head once, or for as long as one likes."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

from eventsourcing.persistence import IntegrityError
from eventsourcing.projection import BaseProjectionRunner

from nomoledger.errors import ConflictError, CorruptError, StoreError
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.location import is_postgres
from nomoledger.views.sql.runner import runner, stand_in
from nomoledger.views.sql.sql_views import Overtaken, Views, stand
from nomoledger.views.sql.table import SqlTable

Runner = BaseProjectionRunner[Any]
Tables = Sequence[type[SqlTable]]

#: How often a page that somebody else has written part of is begun anew.
TRIES_MAX = 10
#: How often it is tried to reach a database that is away, and how long is waited in between.
REACHES_MAX = 8
WAIT_SECONDS = 2.0
#: Whoever has followed for so long without a fault is well again.
WELL_SECONDS = 30.0
#: How often it is looked for games that are new, and for faults.
LOOK_SECONDS = 0.5


class SyncResult(NamedTuple):
    """A *game*, and the number of events that its tables tell; *new* are those just told."""

    game: str
    events: int
    new: int


def behind(ledger: Ledger, views: Views, tables: Tables, game: str) -> int:
    """How many events of *game* at least one of *tables* does not tell yet; raises as `sync_tables`."""
    return stand_in(views, tables, ledger, game).behind(tables)


def sync_tables(
    ledger: Ledger,
    views: Views,
    tables: Tables,
    games: Sequence[str],
    done: Callable[[int], None],
) -> Iterator[SyncResult]:
    """Bring *tables* of *games* to the head; *done* is told of events dealt with.

    Raises:
        StoreError: a database fails. UsageError: the tables are of another ledger.
    """
    for game in games:
        new = behind(ledger, views, tables, game)
        if new:
            _keep(lambda game=game: runner(  # type: ignore[misc]
                views, ledger, game, tables, is_endless=False, done=done
            ))  # fmt: skip
        yield SyncResult(game, _told(views, tables, game), new)


def _told(views: Views, tables: Tables, game: str) -> int:
    """How many events all of *tables* tell."""
    heads = stand(views, tables, game)
    return min((heads[each].number + 1 if each in heads else 0 for each in tables), default=0)


def _keep(started: Callable[[], Runner]) -> None:
    for tried in range(1, TRIES_MAX + 1):
        try:
            with started() as running:
                running.run_forever()
            return
        except (Overtaken, IntegrityError):
            if tried == TRIES_MAX:
                raise StoreError(
                    "another program writes the same tables all the time: end it there or try again"
                ) from None


class Follower:
    """Keeps tables at the head of all *games* (those there are where None) until it is stopped.

    A database that is away is tried again for a while, and *told* in a line.
    """

    def __init__(
        self,
        ledger: Ledger,
        views: Views,
        tables: Tables,
        games: Sequence[str] | None,
        told: Callable[[str], None],
    ) -> None:
        self._ledger = ledger
        self._views = views
        self._tables = tables
        self._games = games
        self._told = told
        self._running: dict[str, Runner] = {}
        self._failed = 0
        self._failed_at = 0.0

    def follow(self, seconds: float | None = None) -> None:
        """Follow, for so many *seconds* where they are given.

        Raises:
            StoreError: a database was away for too long. UsageError: as `sync_tables`.
        """
        give_up = None if seconds is None else time.monotonic() + seconds
        with ExitStack() as stack:
            stack.callback(self._stop)
            while give_up is None or time.monotonic() < give_up:
                try:
                    self._look()
                except (Overtaken, IntegrityError):
                    continue
                except StoreError as error:
                    self._bear(error)
                time.sleep(LOOK_SECONDS)

    def _look(self) -> None:
        """Begin with games that are new, and anew with those that have come to an end."""
        for location in (self._ledger.store.location, self._views.location):
            _check_there(location)
        for game in self._games or self._ledger.games():
            running = self._running.get(game)
            if running is not None and running.is_interrupted.is_set():
                del self._running[game]
                with running:
                    running.run_forever()
                running = None
            if running is None:
                self._running[game] = runner(
                    self._views, self._ledger, game, self._tables,
                    is_endless=True, done=lambda count: None,
                )  # fmt: skip

    def _bear(self, error: StoreError) -> None:
        """Wait, and let it be tried again, unless that has been done often enough."""
        now = time.monotonic()
        self._failed = 1 if now - self._failed_at > WELL_SECONDS else self._failed + 1
        self._failed_at = now
        if isinstance(error, CorruptError | ConflictError) or self._failed >= REACHES_MAX:
            raise error
        self._told(f"{error} (trying again)")
        time.sleep(WAIT_SECONDS)

    def _stop(self) -> None:
        for running in self._running.values():
            running.stop()
        for running in self._running.values():
            with suppress(StoreError, Overtaken, IntegrityError), running:
                pass
        self._running.clear()


def _check_there(location: str) -> None:
    """A file that was removed can still be used by whoever has it open, and nobody else sees it."""
    if not is_postgres(location) and not Path(location.removeprefix("sqlite:///")).exists():
        raise StoreError(f"{location} is gone: put it back, or end this")
