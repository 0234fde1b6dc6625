"""The ledger: append events to a game, read them back, and verify that none was altered."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, urandom
from typing import TYPE_CHECKING, Self

from nomoledger.errors import (
    ConflictError,
    CorruptError,
    LostError,
    MovedError,
    StoreError,
    UnconfirmedError,
    UnknownError,
    UsageError,
)
from nomoledger.events import Entry, Event, Input
from nomoledger.events.codec import Encoded, decode, encoded
from nomoledger.ledger.chain import (
    Head,
    Link,
    first_number,
    hash_records,
    hash_within,
    make_chain_rows,
    origin,
)
from nomoledger.ledger.rollup import Cell, units_of, units_of_encoded
from nomoledger.ledger.stores.news import News
from nomoledger.ledger.stores.open_store import open_store
from nomoledger.ledger.stores.pointer import Pointer
from nomoledger.ledger.stores.store import Store, Writer

__all__ = ["Encoded", "Head", "Ledger", "Transaction"]

if TYPE_CHECKING:
    from nomoledger.ledger.verification import Auditor, Verdict

#: Attempts to store a batch before a broken connection is reported.
TRIES_MAX = 3
#: The secret of a game has at least so many bytes: nobody can guess it.
SECRET_BYTES_MIN = 16
#: What a broken connection leaves open.
UNDER_WAY = "the connection broke: what was under way is stored whole or not at all"


class Ledger:
    """Many games in one store; each is a list of events, numbered from 0, that only grows.

    All methods raise StoreError if the database fails; those with a parameter *game* raise
    UnknownError if there is no such game, and MovedError if it has moved to another place.
    """

    def __init__(self, store: Store) -> None:
        """Use *store*, for example a `nomoledger.ledger.stores.memory.MemoryStore`."""
        self.store = store

    @classmethod
    def open(
        cls, location: str | PathLike[str], create: bool = False, *, program: str = ""
    ) -> Self:
        """Open the ledger at *location*: a path, `sqlite:///path`, or `postgresql://…`.

        *program* is the name under which a database server lists the connections.

        Raises:
            UnknownError: the ledger does not exist, and *create* is False.
            UsageError: *location* is of an unknown kind.
            StoreError: the ledger exists but cannot be used.
        """
        return cls(open_store(location, create=create, program=program))

    def news(self) -> News | None:
        """Return what hears of appended events at once, whoever appends; None for a file.

        Raises:
            StoreError: the database does not let this program listen.
        """
        return self.store.news()

    def close(self) -> None:
        """Release the database; the end of a `with` block does so, too."""
        self.store.close()

    def __enter__(self) -> Self:
        """Begin a block that closes the ledger at its end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the ledger."""
        self.close()

    def games(self) -> list[str]:
        """Return the names of the games, sorted."""
        return self.store.games()

    def pointers(self) -> list[Pointer]:
        """Return the pointers to games that are elsewhere, sorted by the names of the games."""
        return self.store.pointers()

    def unlisted(self) -> list[str]:
        """Return the games that have records but are not in `games`; none in a sound ledger."""
        return self.store.unlisted()

    def foreign_objects(self) -> list[str]:
        """Return what the database holds that nomoledger did not put there, a phrase for each."""
        return self.store.foreign_objects()

    def add_game(self, game: str, secret: bytes | None = None) -> None:
        """Add *game*; its *secret* (32 random bytes unless given) salts the commitments.

        Raises:
            UsageError: the game exists already, its name is not one line of text, or its secret is
                too short.
        """
        with self.transaction() as transaction:
            transaction.add_game(game, secret)

    def secret(self, game: str) -> bytes:
        """Return the secret of *game*."""
        return _require(game, self.store.secret(game), self.store, self.store.location)

    def head(self, game: str) -> Head:
        """Return the stored head of *game*; its number is -1 while there are no events."""
        secret, tail = self.store.secret_and_tail(game)
        _require(game, secret, self.store, self.store.location)
        return _head(game, tail)

    def stored_head(self, game: str) -> Head:
        """Return the head of the records of *game* that are stored here, wherever the game is."""
        return _head(game, self.store.tail(game))

    def head_at(self, game: str, number: int) -> Head:
        """Return the head that *game* had when event *number* was its last.

        Number -1 stands for the time before the first event.

        Raises:
            UnknownError: there is no such event yet.
        """
        return _head_at(self.store, self.store.location, game, number)

    def had_head(self, game: str, head: Head) -> bool:
        """Return whether the records of *game* that are stored here had *head* at some time."""
        try:
            return self.head_at(game, head.number) == head
        except UnknownError:
            return False

    def append(self, game: str, bodies: Sequence[Event], *, expected: int | Head) -> Head:
        """Append *bodies* after number *expected*, all or none, and return the new head.

        If *expected* is a head, everything before must be what it was at that head.

        A retry is harmless: if the batch begins with an input and is already stored after
        *expected*, this stores nothing and returns the head after the batch. If the connection to
        the database breaks, this retries by itself and stores nothing twice.

        Raises:
            ConflictError: *expected* is not the last number: another writer appended first.
            CorruptError: there are records after the end of the chain.
            LostError: the database is out of reach, and *bodies* may be stored.
            StoreError: the head *expected* belongs to another history (see `other_history`).
            UnconfirmedError: *bodies* are stored, but not yet on the standby of the server.
        """
        for attempt in range(1, TRIES_MAX + 1):
            try:
                with self.transaction() as transaction:
                    return transaction.append(game, bodies, expected=expected, retry=attempt > 1)
            except LostError:
                if attempt == TRIES_MAX:
                    raise
            except (ConflictError, CorruptError, UnconfirmedError):
                raise
            except StoreError as error:
                if attempt == 1:
                    raise
                raise LostError(f"{error}; {UNDER_WAY}") from error
        raise AssertionError

    def confirm(self) -> None:
        """Wait until all that is recorded is on the standby of the server, too, if it has one.

        Raises:
            UnconfirmedError: the standby has not confirmed that within some seconds.
        """
        self.store.confirm()

    @contextmanager
    def transaction(self) -> Iterator["Transaction"]:
        """Open a transaction: all changes are stored at the end of the block, or none."""
        with self.store.writing() as writer:
            yield Transaction(writer, self.store.location)

    @contextmanager
    def side_tables(self, game: str) -> Iterator[Writer]:
        """Open a transaction for the side tables of *game*: snapshots, seals and roll-up."""
        with self.store.writing() as writer:
            _require(game, writer.secret(game), writer, self.store.location)
            yield writer

    def read(self, game: str, after: int = -1, upto: int | None = None) -> Iterator[Entry]:
        """Yield the events of *game* numbered *after* + 1 to *upto*, in order.

        If *upto* is None, this reads up to the event that is the last one now.

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
        """Return the number of the input with that *id*, or None."""
        self.secret(game)
        for number, topic, state in self.store.containing(game, id):
            body = _entry(game, number, topic, state).body
            if isinstance(body, Input) and body.id == id:
                return number
        return None

    def verify(
        self,
        game: str,
        head: Head | None = None,
        audit: "Auditor | None" = None,
        secret: bytes | None = None,
    ) -> "Verdict":
        """Hash all records of *game* again and return whether each is what was written.

        *head* is one that was saved or published elsewhere; only *head* can reveal a cut-off tail
        or a rewritten chain. *audit* checks the events themselves in the same pass. *secret* is
        tried instead of the one in the ledger.
        """
        # Imported late: most commands verify nothing.
        from nomoledger.ledger.verification import unlisted_verdict, verify

        known = self.store.secret(game)
        if known is None and game in self.unlisted():
            return unlisted_verdict(game)
        own = _require(game, known, self.store, self.store.location)
        with self.store.evidence(game) as evidence:
            return verify(game, secret or own, evidence, head, audit)


class Transaction:
    """Changes to a ledger that are stored together; see `Ledger.transaction`."""

    def __init__(self, writer: Writer, location: str) -> None:
        """Write through *writer*; messages name *location*."""
        self._writer = writer
        self._location = location

    def add_game(self, game: str, secret: bytes | None = None) -> None:
        """Add *game*; see `Ledger.add_game`."""
        if not game.strip() or not game.isprintable():
            raise UsageError(f"{game!r} is not a valid name of a game: give one line of text")
        if secret is not None and len(secret) < SECRET_BYTES_MIN:
            raise UsageError(
                f"the secret of game {game!r} has {len(secret)} bytes, so it can be guessed:"
                f" give at least {SECRET_BYTES_MIN} random bytes"
            )
        if self._writer.secret(game) is not None:
            raise UsageError(f"there is a game {game!r} already: choose another name")
        _check_not_elsewhere(game, self._writer, self._location)
        self._writer.create_game(game, urandom(32) if secret is None else secret)

    def replace_secret(self, game: str, secret: bytes) -> None:
        """Replace the secret of *game*; the caller knows that its records fit *secret*."""
        self._writer.replace_secret(game, secret)

    def append(
        self, game: str, bodies: Sequence[Event], *, expected: int | Head, retry: bool = False
    ) -> Head:
        """Append *bodies*; *retry* if this batch may be stored already. See `Ledger.append`."""
        records = encoded(bodies)
        number = expected if isinstance(expected, int) else expected.number
        try:
            return self._append(game, records, units_of(bodies), expected)
        except ConflictError:
            may_repeat = bool(bodies) and (retry or isinstance(bodies[0], Input))
            if not (may_repeat and self._is_stored(game, records, number)):
                raise
        return _head_at(self._writer, self._location, game, number + len(records))

    def append_encoded(self, game: str, records: Sequence[Encoded], *, expected: int) -> Head:
        """Append events that are already encoded; a repeated batch is a conflict."""
        return self._append(game, records, units_of_encoded(records), expected)

    # --- moving a game: see `nomoledger.game.move`

    def head(self, game: str) -> Head:
        """Return the head of *game*, which no other program changes until the transaction ends."""
        _require(game, self._writer.secret(game), self._writer, self._location)
        return _head(game, self._writer.tail(game))

    def pointer(self, game: str) -> Pointer | None:
        """Return where *game* is instead of here, or None if nothing says so."""
        return self._writer.pointer(game)

    def set_pointer(self, pointer: Pointer) -> None:
        """Note that the game of *pointer* is elsewhere: nobody can append to it here."""
        self._writer.set_pointer(pointer)

    def drop_pointer(self, game: str) -> None:
        """Make *game*, which has a pointer, a game of this ledger again."""
        self._writer.drop_pointer(game)

    def records(self, game: str, after: int, upto: int) -> list[Encoded]:
        """Return the records of *game* numbered *after* + 1 to *upto*, as they are stored."""
        return [(topic, state) for _, topic, state in self._writer.rows(game, after, upto)]

    def append_arriving(
        self, pointer: Pointer, records: Sequence[Encoded], *, expected: int
    ) -> Head:
        """Append *records* of a game that is on its way to this ledger, as *pointer* says.

        Raises:
            ConflictError: *expected* is not the last number, or the ledger has another pointer.
        """
        if self._writer.pointer(pointer.game) != pointer:
            raise ConflictError(
                f"game {pointer.game!r} is not on its way to {self._location} any more: another"
                " program moves it, too; look where it is (nomoledger league list)"
            )
        units = units_of_encoded(records)
        return self._append(pointer.game, records, units, expected, pointer.secret)

    def _append(
        self,
        game: str,
        records: Sequence[Encoded],
        units: dict[Cell, int],
        expected: int | Head,
        secret: bytes | None = None,
    ) -> Head:
        if secret is None:
            secret = _require(game, self._writer.secret(game), self._writer, self._location)
        tail = self._writer.tail(game)
        head = _head(game, tail)
        number = expected if isinstance(expected, int) else expected.number
        if head.number != number:
            raise ConflictError(
                f"game {game!r} is at #{head.number}, not at #{number}:"
                " another writer appended; read the new events and try again"
            )
        if isinstance(expected, Head) and head != expected:
            raise other_history(game, self._location)
        last = origin(game) if tail is None else tail[2]
        rows = [(n, topic, state) for n, (topic, state) in enumerate(records, number + 1)]
        links = make_chain_rows(number + 1, *hash_records(secret, last, rows))
        self._writer.insert(game, rows, links, units)
        return _head(game, links[-1] if links else tail)

    def _is_stored(self, game: str, records: Sequence[Encoded], expected: int) -> bool:
        """Return whether exactly these *records* are stored after *expected*."""
        rows = self._writer.rows(game, expected, expected + len(records))
        return [(topic, state) for _, topic, state in rows] == list(records)


def other_history(game: str, location: str) -> StoreError:
    """Return the error that *game* is not the one that was read before.

    The server failed over while the standby lacked records, or a backup was restored.
    """
    return StoreError(
        f"game {game!r} in {location} has another history than before, after a fail-over or from"
        " a backup: nothing was recorded; open the ledger again"
    )


def _require(game: str, secret: bytes | None, store: Store | Writer, location: str) -> bytes:
    if secret is None:
        _check_not_elsewhere(game, store, location)
        raise UnknownError(f"no game {game!r} in {location}: list the games to see their names")
    return secret


def _check_not_elsewhere(game: str, store: Store | Writer, location: str) -> None:
    pointer = store.pointer(game)
    if pointer is not None:
        raise moved(pointer, location)


def moved(pointer: Pointer, location: str) -> MovedError:
    """Return the error that says where the game of *pointer*, which is in *location*, is."""
    if pointer.is_arriving:
        return MovedError(
            f"game {pointer.game!r} is on its way from {pointer.place} to {location}: if nobody"
            " moves it now, finish the move (nomoledger league move)"
        )
    return MovedError(
        f"game {pointer.game!r} has moved from {location} to {pointer.place}: give that place"
    )


def _head(game: str, tail: Link | None) -> Head:
    return Head(-1, origin(game).hex()) if tail is None else Head(tail[0], tail[2].hex())


def _head_at(store: Store | Writer, location: str, game: str, number: int) -> Head:
    if number == -1:
        return _head(game, None)
    row = store.link(game, number)
    if row is None or number < first_number(row):
        raise UnknownError(f"game {game!r} in {location} has no event #{number}")
    if row[0] == number:
        return _head(game, row)
    before = store.link(game, first_number(row) - 1) if first_number(row) else None
    return Head(number, hash_within(row, before[2] if before else origin(game), number).hex())


def _entry(game: str, number: int, topic: str, state: bytes) -> Entry:
    try:
        return Entry(game, number, decode(topic, state))
    except (CorruptError, TypeError) as error:
        raise CorruptError(f"game {game!r}, #{number}: {error}") from error
