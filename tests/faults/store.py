"""A store that fails on purpose: before a transaction, within it, at its end, or just after."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any, cast

from nomoledger.errors import LostError, StoreError
from nomoledger.ledger.chain import Link
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.store import Row, Store, Writer


class Killed(BaseException):
    """The process is gone: nobody handles this."""


class Shaky:
    """A real *store* of which each transaction may fail, as *chance* has it.

    Attributes:
        likely: how probable it is that a transaction fails. other: what somebody else does when
            they are faster. seen: how often each fault came up.
    """

    FAULTS = ("away", "full", "lost before", "lost after", "killed within", "killed before commit",
              "killed after", "overtaken", "unreadable")  # fmt: skip

    def __init__(self, store: Store, chance: Random, other: Callable[[], None]) -> None:
        self._store = store
        self._chance = chance
        self.other = other
        self.likely = 0.0
        self.seen: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def rows(self, game: str, after: int, upto: int) -> Iterator[Row]:
        """As `Store.rows`; the database may be away before the first, or between two of them."""
        rows = self._store.rows(game, after, upto)
        if self._chance.random() < self.likely / 8:
            self.seen["unreadable"] += 1
            yield from (next(rows) for _ in range(self._chance.randint(0, max(0, upto - after))))
            raise StoreError("the database went away while it was read")
        yield from rows

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """As `Store.writing`, but for one transaction in some."""
        fault = self._chance.choice(self.FAULTS) if self._chance.random() < self.likely else ""
        self.seen[fault] += 1
        if fault == "overtaken":
            with self.spared():
                self.other()
        if fault == "away":
            raise StoreError("the database is away")
        with self._store.writing() as writer:
            within = self._chance.randint(0, 5) if fault == "killed within" else None
            yield writer if within is None else cast(Writer, _Halting(writer, within))
            if fault == "full":
                raise StoreError("no room left on the disk: nothing was written")
            if fault == "lost before":
                raise LostError("the connection broke before the commit")
            if fault == "killed before commit":
                raise Killed
        if fault == "lost after":
            raise LostError("the connection broke after the commit")
        if fault == "killed after":
            raise Killed

    @contextmanager
    def spared(self) -> Iterator[None]:
        """No faults in here."""
        likely, self.likely = self.likely, 0.0
        try:
            yield
        finally:
            self.likely = likely


class _Halting:
    """A writer under which the process dies when so many rows are in."""

    def __init__(self, writer: Writer, rows: int) -> None:
        self._writer = writer
        self._rows = rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)

    def insert(self, game: str, rows: Sequence[Row], links: Sequence[Link], *more: Any) -> None:
        self._writer.insert(game, rows[: self._rows], links[: self._rows], *more)
        raise Killed


def shaky(location: str, chance: Random, other: Callable[[], None], create: bool = False) -> Ledger:
    """The ledger at *location*, on a store that fails."""
    ledger = Ledger.open(location, create=create)
    ledger.store = cast(Store, Shaky(ledger.store, chance, other))
    return ledger
