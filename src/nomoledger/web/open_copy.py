"""A copy of a game as this server has it: a ledger of its own, brought up to the common version."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from nomoledger.errors import ConflictError, NomoledgerError
from nomoledger.game.desk.copied_records import (
    add_records,
    records_after,
    records_before,
    write_anew,
)
from nomoledger.game.keepers import Keepers
from nomoledger.game.writer import Outcome
from nomoledger.ledger.ledger import Ledger
from nomoledger.people.copies import CopyVersion, StoredCopies, StoredCopy

T = TypeVar("T")
#: How many readings of a copy are kept for pages that are asked for again.
READINGS_MAX = 200
#: How often a request is made anew because somebody played at another server meanwhile.
TRIES_MAX = 5


class OpenCopy:
    """A copy that is played on. Several threads may use it: one after the other.

    Its ledger takes nothing back. So it has a game for each time that the copy was written anew:
    somebody went back, or what was played here came too late. The last of them is the copy.
    """

    def __init__(self, copy: StoredCopy, stored: StoredCopies, build: Callable[[], Path]) -> None:
        """Show *copy*, which is *stored*; *build* makes its ledger as it was in the beginning."""
        self._copy = copy
        self._stored = stored
        self._build = build
        self._path: Path | None = None
        self._awake: tuple[Ledger, Keepers] | None = None
        #: In which game of its ledger the copy stands, and how many games were begun in it.
        self._name, self._written = copy.game, 1
        #: The version that the ledger has; None if it has what is not stored.
        self._version: CopyVersion | None = CopyVersion(0, copy.base.number)
        self._kept: dict[tuple[Any, ...], Any] = {}
        self._lock = threading.RLock()

    @property
    def is_awake(self) -> bool:
        """Whether the copy has a process of its own."""
        return self._awake is not None

    def sleep(self, *, waits: bool) -> None:
        """End the process of the copy; if somebody uses it, only if this *waits* for that."""
        if self._lock.acquire(blocking=waits):
            try:
                if self._awake is not None:
                    ledger, keepers = self._awake
                    self._awake = None
                    keepers.close()
                    ledger.close()
            finally:
                self._lock.release()

    def read(self, reading: Callable[..., T], *given: Any, kind: type[T]) -> T:
        """Return what *reading* makes of the copy and *given*."""
        with self._lock:
            keepers = self._catch_up()[1]
            key = (self._name, self._version, reading, *map(repr, given))
            found: T | None = self._kept.get(key)
            if found is None:
                found = keepers.read(self._name, reading, *given, kind=kind)
                if len(self._kept) >= READINGS_MAX:
                    self._kept.clear()
                self._kept[key] = found
            return found

    def request(self, request: Callable[..., Outcome], *given: Any, id: str) -> Outcome:
        """Make *request* where the copy stands, and store what comes of it.

        Raises:
            ConflictError: others were faster, again and again.
            UsageError: the request makes no sense, or the copy is full.
        """
        with self._lock:
            for _ in range(TRIES_MAX):
                ledger, keepers = self._catch_up()
                outcome, error = None, None
                try:
                    outcome = keepers.request(self._name, request, *given, id=id)
                except NomoledgerError as why:  # Something may be recorded, nevertheless.
                    error = why
                if not self._store(ledger):
                    continue
                if outcome is None:
                    assert error is not None
                    raise error
                return outcome
        raise ConflictError("many play in this copy at the same time: try again")

    def go_back(self, before: int, last: int) -> None:
        """Take back everything from event *before* on; *last* is the last event.

        Raises:
            UsageError: see `copied_records.records_before`.
        """
        with self._lock:
            keepers = self._catch_up()[1]
            since = self._copy.base.number
            left = keepers.read(self._name, records_before, before, since, last, kind=bytes)
            assert self._version is not None
            self._stored.go_back(self._copy.id, self._version, before - 1, since + 1, left)

    # --- inside

    def _store(self, ledger: Ledger) -> bool:
        """Store what was played here; return False if somebody else has gone on meanwhile."""
        version, self._version = self._version, None
        assert version is not None
        last = ledger.head(self._name).number
        if last > version.last:
            records = records_after(ledger, self._name, version.last)
            if not self._stored.go_on(self._copy.id, version, last, records):
                return False
        self._version = CopyVersion(version.back, last)
        return True

    def _catch_up(self) -> tuple[Ledger, Keepers]:
        """Bring the ledger to the version that is stored, and return it with its keepers."""
        ledger, keepers = self._wake()
        since, known = self._copy.base.number, self._version
        after = since if known is None else known.last
        version, batches = self._stored.played(self._copy.id, after)
        if version == known:
            return ledger, keepers
        self._version = None
        if known is not None and version.back == known.back and version.last > known.last:
            last = keepers.read(self._name, add_records, batches, kind=int)
        else:
            version, batches = self._stored.played(self._copy.id, since)
            self._written += 1
            name = f"{self._copy.game} ({self._written})"
            last = keepers.read(self._name, write_anew, name, since, batches, kind=int)
            self._name = name
        assert last == version.last
        self._version = version
        return ledger, keepers

    def _wake(self) -> tuple[Ledger, Keepers]:
        if self._path is None:
            self._path = self._build()
        if self._awake is None:
            self._awake = Ledger.open(self._path), Keepers(self._path, most=1)
        return self._awake
