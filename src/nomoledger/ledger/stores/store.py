"""The protocols that every store implements.

A store stores rows durably, all rows of a transaction or none. It knows nothing of events or
hashing.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from nomoledger.ledger.chain import Link
from nomoledger.ledger.rollup import NO_UNITS, Cell, Delta, RawCell
from nomoledger.ledger.stores.last_audit import LastAudit
from nomoledger.ledger.stores.news import News
from nomoledger.ledger.stores.pointer import Pointer

#: A stored record: number, topic, state.
Row = tuple[int, str, bytes]
#: A stored record as raw bytes: number, topic, state. The topic may not be valid text.
Content = tuple[int, bytes, bytes]
#: A stored seal: period, number of its last event, encoded seal.
Seal = tuple[int, int, bytes]
#: The place of a snapshot: number of the event after which it was taken, and the period closed.
Place = tuple[int, int]

#: The largest integer that every database can store.
NUMBER_MAX = 2**63 - 1


def limit(number: int | None) -> int:
    """Return *number*, or no limit if None, as an integer that every database can store."""
    return NUMBER_MAX if number is None else max(min(number, NUMBER_MAX), -NUMBER_MAX)


class Writer(Protocol):
    """One transaction.

    No other transaction writes to a game after this one first reads or writes it.
    """

    def create_game(self, game: str, secret: bytes) -> None:
        """Add *game*, which must not exist yet."""

    def replace_secret(self, game: str, secret: bytes) -> None:
        """Replace the secret of *game*, which exists."""

    def secret(self, game: str) -> bytes | None:
        """Return the secret of *game*, or None if there is no such game."""

    def pointer(self, game: str) -> Pointer | None:
        """Return where *game* is instead of here, or None if nothing says so."""

    def set_pointer(self, pointer: Pointer) -> None:
        """Note where the game of *pointer* is. From now on there is no such game here.

        Its records stay. A pointer that the game has already is replaced.
        """

    def set_audit(self, audit: LastAudit) -> None:
        """Keep *audit* as the last one of its game."""

    def drop_pointer(self, game: str) -> None:
        """Make *game*, which has a pointer, a game of this store again, with the same secret."""

    def tail(self, game: str) -> Link | None:
        """Return the last chain row of *game*, or None."""

    def link(self, game: str, number: int) -> Link | None:
        """Return the first chain row of *game* that ends at *number* or later, or None."""

    def rows(self, game: str, after: int, upto: int) -> list[Row]:
        """Return the records of *game* numbered *after* + 1 to *upto*, in order."""

    def insert(
        self,
        game: str,
        rows: Sequence[Row],
        links: Sequence[Link],
        units: Mapping[Cell, int] = NO_UNITS,
    ) -> None:
        """Add records with their chain rows, and add *units* to cells of the roll-up.

        Raises:
            CorruptError: a record with that number exists already.
        """

    def replace_rollup(self, game: str, units: Mapping[Cell, int]) -> None:
        """Replace the whole roll-up of *game* by *units*."""

    def add_snapshot(
        self, game: str, fold: str, place: Place, root: bytes, parts: Mapping[bytes, bytes]
    ) -> None:
        """Store a snapshot made by *fold*: its *root*, and the *parts* not stored yet."""

    def drop_snapshots(self, game: str) -> None:
        """Delete all snapshots of *game*, whatever fold made them."""

    def add_seal(self, game: str, period: int, number: int, seal: bytes) -> None:
        """Store the *seal* of *period*, whose last event is *number*.

        Raises:
            CorruptError: the period is sealed already.
        """


class Evidence(NamedTuple):
    """Everything stored of one game at one moment, in order, as found and unchecked."""

    contents: Iterator[Content]
    links: Iterator[Link]
    cells: Iterator[RawCell]


class Store(Protocol):
    """A place that stores the ledgers of many games.

    Every method raises StoreError when the database cannot be read or written.
    """

    location: str

    def news(self) -> News | None:
        """Return what hears of appended records at once; None if nothing tells of them."""

    def games(self) -> list[str]:
        """Return the names of the games, sorted."""

    def unlisted(self) -> list[str]:
        """Return the games that have records or chain rows but no row in `games`, sorted.

        Games that have moved are left out. The list is empty in a sound ledger.
        """

    def pointers(self) -> list[Pointer]:
        """Return the pointers to games that are elsewhere, sorted by the names of the games."""

    def pointer(self, game: str) -> Pointer | None:
        """Return where *game* is instead of here, or None if nothing says so."""

    def secret(self, game: str) -> bytes | None:
        """Return the secret of *game*, or None if there is no such game."""

    def tail(self, game: str) -> Link | None:
        """Return the last chain row of *game*, or None."""

    def audits(self) -> list[LastAudit]:
        """Return the last audit of each game that was audited here, sorted by the games."""

    def sizes(self) -> dict[str, int]:
        """Return the bytes of the records by game, without what is stored beside them."""

    def programs(self) -> list[str] | None:
        """Return the names of the programs that use the database now; None if nothing tells."""

    def secret_and_tail(self, game: str) -> tuple[bytes | None, Link | None]:
        """Return `secret` and `tail` of *game* as they are at one moment."""

    def link(self, game: str, number: int) -> Link | None:
        """Return the first chain row of *game* that ends at *number* or later, or None."""

    def rows(self, game: str, after: int, upto: int) -> Iterator[Row]:
        """Return the records of *game* numbered *after* + 1 to *upto*, in order."""

    def states(self, game: str, topics: Collection[str], upto: int) -> Iterator[bytes]:
        """Return the states of the records of *game* with *topics*, up to number *upto*, in order.

        The database skips all other records.
        """

    def count(self, game: str, upto: int) -> int:
        """Return the number of records of *game* from number 0 to *upto*."""

    def containing(self, game: str, text: str) -> Iterator[Row]:
        """Return the records of *game* whose state contains the bytes of *text*, in order."""

    def deltas(self, game: str, effective: int | None, recorded: int | None) -> Iterator[Delta]:
        """Return what was posted for periods up to *effective* in periods up to *recorded*.

        None means all periods. The deltas come in the order of the effective periods. One account
        and commodity may have several; the caller adds them up.
        """

    def snapshots(
        self,
        game: str,
        fold: str,
        upto: int | None = None,
        period: int | None = None,
        count: int | None = None,
    ) -> list[Place]:
        """Return the places of the snapshots of *game* made by *fold*, in order.

        Only the last *count* of those up to event *upto* and the close of *period*; None means no
        limit. A snapshot of another history, whose hash is not in the chain, is left out.
        """

    def snapshot(self, game: str, fold: str, number: int) -> bytes | None:
        """Return the root of the snapshot after event *number*, or None."""

    def parts(self, game: str, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """Return the snapshot parts stored under *keys*; missing keys are left out."""

    def seals(self, game: str) -> list[Seal]:
        """Return the seals of *game*, in the order of the periods."""

    def foreign_objects(self) -> list[str]:
        """Return what the database holds beside our tables, or different from them.

        A phrase for each, such as "the view 'cakes'"; none in a sound ledger.
        """

    def evidence(self, game: str) -> AbstractContextManager[Evidence]:
        """Open everything stored of *game* at one moment, for verification."""

    def writing(self) -> AbstractContextManager[Writer]:
        """Open a transaction: everything is committed at the end of the block, or nothing."""

    def confirm(self) -> None:
        """Wait until all that is recorded is also on the standby, if the database has one.

        Raises:
            StoreError, UnconfirmedError: the standby is missing.
        """

    def close(self) -> None:
        """Release the database."""
