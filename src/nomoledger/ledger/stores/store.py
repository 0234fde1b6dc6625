"""Where ledgers are kept: the small interface behind which a database hides.

A store keeps rows and makes them durable, all or none; it knows nothing of events or hashing.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from nomoledger.ledger.chain import Link
from nomoledger.ledger.rollup import NO_UNITS, Cell, Delta, FoundCell

#: A stored record: number, topic, state.
Row = tuple[int, str, bytes]
#: The same as it is found, whether or not its topic is text.
Content = tuple[int, bytes, bytes]
#: A seal: the period, the number of its last event, and what was sealed.
Seal = tuple[int, int, bytes]
#: Where a snapshot stands: number of the event after which it was taken, the period that closed.
Place = tuple[int, int]


#: The largest number that every database takes.
NUMBER_MAX = 2**63 - 1


def limit(number: int | None) -> int:
    """*number* as an upper limit that every database takes; None is no limit."""
    return NUMBER_MAX if number is None else max(min(number, NUMBER_MAX), -NUMBER_MAX)


class Writer(Protocol):
    """One transaction; nobody else writes to a game from when it was first looked at here."""

    def create_game(self, game: str, secret: bytes) -> None:
        """Add *game*, which is not there yet."""

    def secret(self, game: str) -> bytes | None:
        """The secret of *game*; None when there is no such game."""

    def tail(self, game: str) -> Link | None:
        """The last row of the chain of *game*; None when it has none."""

    def link(self, game: str, number: int) -> Link | None:
        """The first row of the chain of *game* that ends at *number* or later; or None."""

    def rows(self, game: str, after: int, upto: int) -> list[Row]:
        """The records of *game* numbered above *after*, up to and with *upto*, in order."""

    def insert(
        self,
        game: str,
        rows: Sequence[Row],
        links: Sequence[Link],
        units: Mapping[Cell, int] = NO_UNITS,
    ) -> None:
        """Add records with their rows of the chain, and *units* to cells of the roll-up.

        Raises:
            CorruptError: a record of that number is there already.
        """

    def replace_rollup(self, game: str, units: Mapping[Cell, int]) -> None:
        """Make the roll-up of *game* anew."""

    def add_snapshot(
        self, game: str, fold: str, place: Place, root: bytes, parts: Mapping[bytes, bytes]
    ) -> None:
        """Keep a snapshot made by that *fold*: its *root*, and *parts* that are not there yet."""

    def drop_snapshots(self, game: str) -> None:
        """Remove all snapshots of *game*, whatever fold made them."""

    def add_seal(self, game: str, period: int, number: int, seal: bytes) -> None:
        """Add the *seal* of *period*, whose last event is *number*.

        Raises:
            CorruptError: that period is sealed already.
        """


class Evidence(NamedTuple):
    """What is kept of one game at one moment, in order, whatever somebody has put in it."""

    contents: Iterator[Content]
    links: Iterator[Link]
    cells: Iterator[FoundCell]


class Store(Protocol):
    """A database that holds the ledgers of many games.

    Every method raises StoreError when the database cannot be read or written.
    """

    location: str

    def games(self) -> list[str]:
        """The games in it, sorted."""

    def unlisted(self) -> list[str]:
        """Of what games there are records, or rows of the chain, that are none of these; sorted."""

    def secret(self, game: str) -> bytes | None:
        """The secret of *game*; None when there is no such game."""

    def tail(self, game: str) -> Link | None:
        """The last row of the chain of *game*; None when it has none."""

    def link(self, game: str, number: int) -> Link | None:
        """The first row of the chain of *game* that ends at *number* or later; or None."""

    def rows(self, game: str, after: int, upto: int) -> Iterator[Row]:
        """The records of *game* numbered above *after*, up to and with *upto*, in order."""

    def states(self, game: str, topics: Collection[str], upto: int) -> Iterator[bytes]:
        """The states of the records of *game* under *topics*, up to and with *upto*, in order.

        For a pass over all of them: the rest is passed over by the database.
        """

    def count(self, game: str, upto: int) -> int:
        """How many records *game* has from number 0 up to and with *upto*."""

    def containing(self, game: str, text: str) -> Iterator[Row]:
        """The records of *game* whose state has the bytes of *text* somewhere, in order."""

    def deltas(self, game: str, effective: int | None, recorded: int | None) -> Iterator[Delta]:
        """What was posted for periods up to *effective* in periods up to *recorded*, by period.

        None is all. There may be several for one account and commodity, to be added up.
        """

    def snapshots(
        self,
        game: str,
        fold: str,
        upto: int | None = None,
        period: int | None = None,
        count: int | None = None,
    ) -> list[Place]:
        """The snapshots of *game* that this *fold* made, in order.

        Of those up to event *upto* and to the close of *period* the last *count*; None is all.
        """

    def snapshot(self, game: str, fold: str, number: int) -> bytes | None:
        """The root of the snapshot after event *number*; None where there is none."""

    def parts(self, game: str, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """The parts of snapshots under *keys*, as far as they are there."""

    def seals(self, game: str) -> list[Seal]:
        """The seals of *game*, in the order of the periods."""

    def evidence(self, game: str) -> AbstractContextManager[Evidence]:
        """Everything stored of *game*, for verifying it."""

    def writing(self) -> AbstractContextManager[Writer]:
        """A transaction: committed at the end of the block, or not at all."""

    def close(self) -> None:
        """Let go of the database."""
