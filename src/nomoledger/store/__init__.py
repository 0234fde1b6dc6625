"""Where ledgers are kept: the small interface behind which a database hides.

A store keeps rows and makes them durable, all or none; it knows nothing of events or hashing.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from os import PathLike, fspath
from typing import NamedTuple, Protocol

from nomoledger.errors import UsageError
from nomoledger.store.location import is_postgres, shown
from nomoledger.store.versions import Upgrade

#: A stored record: number, topic, state.
Row = tuple[int, str, bytes]
#: The same as it is found, whether or not its topic is text.
Content = tuple[int, bytes, bytes]
#: A row of the chain: number, commitment, hash.
Link = tuple[int, bytes, bytes]


class Writer(Protocol):
    """One transaction; nobody else writes to a game from when it was first looked at here."""

    def create_game(self, game: str, secret: bytes) -> None:
        """Add *game*, which is not there yet."""

    def secret(self, game: str) -> bytes | None:
        """The secret of *game*; None when there is no such game."""

    def tail(self, game: str) -> Link | None:
        """The last row of the chain of *game*; None when it has none."""

    def link(self, game: str, number: int) -> Link | None:
        """The row of the chain of *game* for *number*; None when there is none."""

    def rows(self, game: str, after: int, upto: int) -> list[Row]:
        """The records of *game* numbered above *after*, up to and with *upto*, in order."""

    def insert(self, game: str, rows: Sequence[Row], links: Sequence[Link]) -> None:
        """Add records with their rows of the chain.

        Raises:
            CorruptError: a record of that number is there already.
        """


class Evidence(NamedTuple):
    """All rows of one game at one moment, by number, whatever somebody has put in them."""

    contents: Iterator[Content]
    links: Iterator[Link]


class Store(Protocol):
    """A database that holds the ledgers of many games.

    Every method raises StoreError when the database cannot be read or written.
    """

    location: str

    def games(self) -> list[str]:
        """The games in it, sorted."""

    def secret(self, game: str) -> bytes | None:
        """The secret of *game*; None when there is no such game."""

    def tail(self, game: str) -> Link | None:
        """The last row of the chain of *game*; None when it has none."""

    def rows(self, game: str, after: int, upto: int) -> Iterator[Row]:
        """The records of *game* numbered above *after*, up to and with *upto*, in order."""

    def containing(self, game: str, text: str) -> Iterator[Row]:
        """The records of *game* whose state has the bytes of *text* somewhere, in order."""

    def evidence(self, game: str) -> AbstractContextManager[Evidence]:
        """Everything stored of *game*, for verifying it."""

    def writing(self) -> AbstractContextManager[Writer]:
        """A transaction: committed at the end of the block, or not at all."""

    def close(self) -> None:
        """Let go of the database."""


def open_store(location: str | PathLike[str], *, create: bool = False) -> Store:
    """The store at *location*: a path, `sqlite:///path`, or `postgresql://…`.

    Raises:
        UnknownError: there is none, and it is not to be created.
        UsageError: *location* is of no kind we know.
        StoreError: it is there but cannot be used.
    """
    if is_postgres(fspath(location)):
        from nomoledger.store.postgres import PostgresStore

        return PostgresStore(fspath(location), create=create)
    from nomoledger.store.sqlite import SqliteStore

    return SqliteStore(_file(location), create=create)


def upgrade_store(location: str | PathLike[str]) -> Upgrade:
    """Bring the tables of the store at *location* to the version of this program.

    Raises as `open_store`.
    """
    if is_postgres(fspath(location)):
        from nomoledger.store.postgres_schema import upgrade_database

        return upgrade_database(fspath(location))
    from nomoledger.store.sqlite_file import upgrade_file

    return upgrade_file(_file(location))


def _file(location: str | PathLike[str]) -> str:
    """The path of the file that *location* names."""
    text = fspath(location)
    scheme, separator, rest = text.partition("://")
    if separator and scheme == "sqlite" and rest.startswith("/"):
        text = rest[1:]
    elif separator:
        raise UsageError(
            f"unknown kind of store {shown(text)!r}: give a path, sqlite:///path or postgresql://…"
        )
    if text in ("", ":memory:"):
        raise UsageError(f"{text!r} is not the path of a file: a ledger is kept in a file")
    return text
