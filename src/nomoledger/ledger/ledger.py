"""The ledger: append events to a game, read them back, and verify that none was touched."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, urandom
from typing import Self

from nomoledger.errors import ConflictError, CorruptError, LostError, UnknownError, UsageError
from nomoledger.events import Entry, Event, Input
from nomoledger.events.codec import Encoded, decode, encoded
from nomoledger.ledger.chain import Head, Link, chain_rows, chained, first_of, hash_within, origin
from nomoledger.ledger.rollup import Cell, units_of, units_of_encoded
from nomoledger.ledger.stores.open_store import open_store
from nomoledger.ledger.stores.store import Store, Writer
from nomoledger.ledger.verification import Auditor, Verdict, unlisted, verify

__all__ = ["Encoded", "Head", "Ledger", "Transaction", "Verdict"]

#: How often a batch is put anew when the connection to the database breaks.
TRIES_MAX = 3


class Ledger:
    """Many games in one store; each is a list of events, numbered from 0, that only grows.

    All methods raise StoreError when the database fails, and those that take a *game*
    raise UnknownError when it is not there.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    @classmethod
    def open(cls, location: str | PathLike[str], create: bool = False) -> Self:
        """The ledger at *location* (see `nomoledger.ledger.stores.open_store` for kinds and errors)."""
        return cls(open_store(location, create=create))

    def close(self) -> None:
        """Let go of the database; also at the end of a `with` block."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def games(self) -> list[str]:
        """The games in it, sorted."""
        return self.store.games()

    def unlisted(self) -> list[str]:
        """Of what games there are records that are none of its games: none, if it is sound."""
        return self.store.unlisted()

    def add_game(self, game: str, secret: bytes | None = None) -> None:
        """Add *game*; its *secret* (32 random bytes unless given) salts the commitments.

        Raises:
            UsageError: the game is there already, or its name is no line of text.
        """
        with self.transaction() as transaction:
            transaction.add_game(game, secret)

    def secret(self, game: str) -> bytes:
        """The secret of *game*."""
        return _known(game, self.store.secret(game), self.store.location)

    def head(self, game: str) -> Head:
        """The head of *game* as it is stored; its number is -1 while there are no events."""
        tail = self.store.tail(game)
        if tail is None:
            self.secret(game)
        return _head(game, tail)

    def head_at(self, game: str, number: int) -> Head:
        """The head of *game* as it was when event *number* was its last.

        Raises:
            UnknownError: it has no such event yet.
        """
        return _head_at(self.store, self.store.location, game, number)

    def append(self, game: str, bodies: Sequence[Event], *, expected: int) -> Head:
        """Append *bodies* after number *expected*, all or none, and return the new head.

        A batch that begins with an input and is stored at that very place already is not
        stored twice: the head it led to is returned, so that a retry is harmless. Where the
        connection to the database breaks, this retries by itself, and stores nothing twice.

        Raises:
            ConflictError: *expected* is not the last number: somebody else appended first.
            CorruptError: there are records that the chain does not know.
        """
        for tried in range(1, TRIES_MAX + 1):
            try:
                with self.transaction() as transaction:
                    return transaction.append(game, bodies, expected=expected, again=tried > 1)
            except LostError:
                if tried == TRIES_MAX:
                    raise
        raise AssertionError

    @contextmanager
    def transaction(self) -> Iterator["Transaction"]:
        """Several changes at once: all are stored at the end of the block, or none."""
        with self.store.writing() as writer:
            yield Transaction(writer, self.store.location)

    def read(self, game: str, after: int = -1, upto: int | None = None) -> Iterator[Entry]:
        """The events of *game* numbered above *after*, up to and with *upto*, one by one.

        Without *upto*, what is appended while reading is not included.

        Raises (while reading):
            CorruptError: a record is missing or unreadable.
        """
        last = self.head(game).number
        return self._entries(game, after, last if upto is None else min(upto, last))

    def _entries(self, game: str, after: int, upto: int) -> Iterator[Entry]:
        expected = max(after + 1, 0)
        for number, topic, state in self.store.rows(game, after, upto):
            if number != expected:
                break
            yield _entry(game, number, topic, state)
            expected += 1
        if expected <= upto:
            raise CorruptError(f"game {game!r} has no record #{expected}: verify it")

    def find_input(self, game: str, id: str) -> int | None:
        """The number of the input called *id*; None when there is none."""
        self.secret(game)
        for number, topic, state in self.store.containing(game, id):
            body = _entry(game, number, topic, state).body
            if isinstance(body, Input) and body.id == id:
                return number
        return None

    def verify(self, game: str, head: Head | None = None, audit: Auditor | None = None) -> Verdict:
        """Whether every record of *game* is what was written, re-hashing all content.

        *head* is one kept or published elsewhere; only with it can a cut-off tail or a
        rewritten chain be told. An *audit* looks at what the events say, as they go by.
        """
        secret = self.store.secret(game)
        if secret is None and game in self.unlisted():
            return unlisted(game)
        secret = _known(game, secret, self.store.location)
        with self.store.evidence(game) as evidence:
            return verify(game, secret, evidence, head, audit)


class Transaction:
    """Changes to a ledger that are stored together; made by `Ledger.transaction`."""

    def __init__(self, writer: Writer, location: str) -> None:
        self._writer = writer
        self._location = location

    def add_game(self, game: str, secret: bytes | None = None) -> None:
        """As `Ledger.add_game`."""
        if not game.strip() or not game.isprintable():
            raise UsageError(f"{game!r} is no name for a game: give one line of text")
        if secret == b"":
            raise UsageError(f"the secret of game {game!r} is empty: give at least a byte")
        if self._writer.secret(game) is not None:
            raise UsageError(f"there is a game {game!r} already: choose another name")
        self._writer.create_game(game, urandom(32) if secret is None else secret)

    def append(
        self, game: str, bodies: Sequence[Event], *, expected: int, again: bool = False
    ) -> Head:
        """As `Ledger.append`; *again* where this very batch may be stored already."""
        records = encoded(bodies)
        try:
            return self._append(game, records, units_of(bodies), expected)
        except ConflictError:
            retry = bool(bodies) and (again or isinstance(bodies[0], Input))
            if not (retry and self._stored(game, records, expected)):
                raise
        return _head_at(self._writer, self._location, game, expected + len(records))

    def append_encoded(self, game: str, records: Sequence[Encoded], *, expected: int) -> Head:
        """Append events that are encoded already; a repeated batch is a conflict."""
        return self._append(game, records, units_of_encoded(records), expected)

    def _append(
        self, game: str, records: Sequence[Encoded], units: dict[Cell, int], expected: int
    ) -> Head:
        secret = _known(game, self._writer.secret(game), self._location)
        tail = self._writer.tail(game)
        head = _head(game, tail)
        if head.number != expected:
            raise ConflictError(
                f"game {game!r} is at #{head.number}, not at #{expected}:"
                " somebody else appended; read what is new and try again"
            )
        last = origin(game) if tail is None else tail[2]
        rows = [(n, topic, state) for n, (topic, state) in enumerate(records, expected + 1)]
        links = chain_rows(expected + 1, *chained(secret, last, rows))
        self._writer.insert(game, rows, links, units)
        return _head(game, links[-1] if links else tail)

    def _stored(self, game: str, records: Sequence[Encoded], expected: int) -> bool:
        """Whether just these *records* follow *expected* already."""
        found = self._writer.rows(game, expected, expected + len(records))
        return [(topic, state) for _, topic, state in found] == list(records)


def _known(game: str, secret: bytes | None, location: str) -> bytes:
    if secret is None:
        raise UnknownError(f"no game {game!r} in {location}: list the games to see their names")
    return secret


def _head(game: str, tail: Link | None) -> Head:
    return Head(-1, origin(game).hex()) if tail is None else Head(tail[0], tail[2].hex())


def _head_at(store: Store | Writer, location: str, game: str, number: int) -> Head:
    row = store.link(game, number)
    if row is None or number < first_of(row):
        raise UnknownError(f"game {game!r} in {location} has no event #{number}")
    if row[0] == number:
        return _head(game, row)
    before = store.link(game, first_of(row) - 1) if first_of(row) else None
    return Head(number, hash_within(row, before[2] if before else origin(game), number).hex())


def _entry(game: str, number: int, topic: str, state: bytes) -> Entry:
    try:
        return Entry(game, number, decode(topic, state))
    except (CorruptError, TypeError) as error:
        raise CorruptError(f"game {game!r}, #{number}: {error}") from error
