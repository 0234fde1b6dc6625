"""The write path: everything that is appended to a game goes through `Commit`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Protocol

from nomoledger import events as e
from nomoledger.engine.agenda import Batch
from nomoledger.events.codec import Encoded
from nomoledger.ledger.chain import Head
from nomoledger.ledger.ledger import Ledger, Transaction
from nomoledger.ledger.snapshots import SnapshotObserver
from nomoledger.state.reducer import apply
from nomoledger.state.world import World


class CloseObserver(Protocol):
    """Follows the closes of a game, to store its snapshots or its seals."""

    def closed(self, world: World | None) -> None:
        """React to closes that were committed.

        *world* is the state right after the only new close, if it is available.
        """


class Commit:
    """The write path of one game: play, opening, import, simulation, settlement and copying.

    A batch of events is one transaction. The roll-up changes in the same transaction. Snapshots and
    seals follow each close after its transaction. If the database fails then, only time is lost,
    and the next close makes up for it.

    *world* is the state after the last event of the game; each batch is applied to it. Records that
    are copied from elsewhere are not applied, and need no *world*.
    """

    def __init__(self, ledger: Ledger, game: str, world: World | None = None) -> None:
        """Append to *game* of *ledger*."""
        self.ledger = ledger
        self.game = game
        self._world = world
        self._transaction: Transaction | None = None
        #: The head that *world* is the state of, if it is known.
        self.head: Head | None = None
        self._has_closed = False

    # --- events

    def append(self, batch: Batch) -> None:
        """Append *batch*, as one transaction or as part of the one that was begun.

        Raises:
            ConflictError: another writer appended first.
            StoreError: the database failed; nothing of *batch* is stored.
        """
        assert self._world is not None
        expected = self.head or self._world.head
        if self._transaction is None:
            self.head = self.ledger.append(self.game, batch, expected=expected)
        else:
            self.head = self._transaction.append(self.game, batch, expected=expected)
        for event in batch:
            apply(self._world, event)
        self._has_closed |= any(isinstance(event, e.PeriodClosed) for event in batch)
        if self._transaction is None:
            self._notify(self._world)

    @contextmanager
    def together(self, secret: bytes | None = None) -> Iterator[None]:
        """Append all batches of the block as one transaction, or none of them.

        With a *secret* the transaction begins by creating the game. Where the block fails, the
        world of this object is ahead of the ledger and must not be used any more.
        """
        with self.ledger.transaction() as transaction:
            self.begin(transaction, secret)
            yield
        self._transaction = None
        self._notify(None)

    def begin(self, transaction: Transaction, secret: bytes | None = None) -> None:
        """Append to *transaction* from now on; with a *secret*, create the game in it."""
        self._transaction = transaction
        if secret is not None:
            transaction.add_game(self.game, secret)

    # --- records as they are stored elsewhere: an export, or another ledger

    def append_records(self, records: Sequence[Encoded]) -> Head:
        """Append *records* as they are to the transaction that was begun; return the new head."""
        assert self._transaction is not None
        number = -1 if self.head is None else self.head.number
        self.head = self._transaction.append_encoded(self.game, records, expected=number)
        return self.head

    def observe_records(self) -> None:
        """Take the snapshots and make the seals of committed records.

        The records may hold anything. What cannot be folded has no snapshots and no seals, and
        `verify` names it.
        """
        self._transaction = None
        self._has_closed = True
        with suppress(Exception):
            self._notify(None)

    # --- observers

    def _notify(self, world: World | None) -> None:
        """Notify the observers, if a period has closed since the last time."""
        if self._has_closed:
            self._has_closed = False
            for observer in self._observers:
                observer.closed(world)

    @cached_property
    def _observers(self) -> Sequence[CloseObserver]:
        # Only a process that closes a period needs to sign: importing that takes time.
        from nomoledger.proof.seal_observer import SealObserver

        return SnapshotObserver(self.ledger, self.game), SealObserver(self.ledger, self.game)
