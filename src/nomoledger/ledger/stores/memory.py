"""The store without a database: plain Python objects, gone when the process ends.

For tests, simulations and scratch games: `Ledger(MemoryStore())`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, pairwise
from operator import itemgetter
from threading import Lock

from msgspec import Struct
from msgspec.structs import replace

from nomoledger.errors import CorruptError, StoreError
from nomoledger.ledger.chain import Link
from nomoledger.ledger.rollup import NO_UNITS, Cell, Delta
from nomoledger.ledger.stores.last_audit import LastAudit
from nomoledger.ledger.stores.pointer import Pointer
from nomoledger.ledger.stores.store import Evidence, Place, Row, Seal, limit

_number = itemgetter(0)


class GameTables(Struct, frozen=True):
    """Everything stored of one game.

    A change replaces a whole table. A reader who has the old one sees what was committed before.

    Attributes:
        secret: None if the game was never created, or is elsewhere.
        pointer: where the game is instead, or None.
        audit: the last audit of the game, or None.
        snapshots: period and root, by fold and event number.
        seals: event number and seal, by period.
    """

    secret: bytes | None = None
    pointer: Pointer | None = None
    audit: LastAudit | None = None
    rows: list[Row] = []
    links: list[Link] = []
    cells: dict[Cell, int] = {}
    snapshots: dict[tuple[str, int], tuple[int, bytes]] = {}
    parts: dict[bytes, bytes] = {}
    seals: dict[int, tuple[int, bytes]] = {}

    @property
    def tail(self) -> Link | None:
        """The last chain row, or None."""
        return self.links[-1] if self.links else None

    def link(self, number: int) -> Link | None:
        """Return the first chain row that ends at *number* or later, or None."""
        index = bisect_left(self.links, number, key=_number)
        return self.links[index] if index < len(self.links) else None

    def between(self, after: int, upto: int) -> list[Row]:
        """Return the records numbered *after* + 1 to *upto*, in order."""
        first = bisect_right(self.rows, after, key=_number)
        return self.rows[first : bisect_right(self.rows, upto, key=_number)]


Games = dict[str, GameTables]
_EMPTY = GameTables()


class MemoryStore:
    """The `nomoledger.ledger.stores.store.Store` in the memory of this process.

    Threads may share it. Closing it releases nothing: another `Ledger` can use it afterwards.

    >>> from nomoledger.ledger.ledger import Ledger
    >>> ledger = Ledger(MemoryStore())
    >>> ledger.add_game("chess")
    >>> ledger.games()
    ['chess']
    """

    def __init__(self, *, lock_timeout: float = 5) -> None:
        """Make an empty store; a writer waits *lock_timeout* seconds for another one."""
        self.location = "memory"
        self._lock_timeout = lock_timeout
        self._turn = Lock()
        self._games: Games = {}

    def news(self) -> None:
        """See `nomoledger.ledger.stores.store.Store.news`; this store tells nobody."""

    def confirm(self) -> None:
        """See `nomoledger.ledger.stores.store.Store.confirm`; there is no standby."""

    def close(self) -> None:
        """Do nothing: the records live as long as this object."""

    def games(self) -> list[str]:
        """Return the names of the games, sorted."""
        return sorted(game for game, tables in self._games.items() if tables.secret is not None)

    def unlisted(self) -> list[str]:
        """See `nomoledger.ledger.stores.store.Store.unlisted`."""
        return sorted(
            game
            for game, tables in self._games.items()
            if tables.secret is None and tables.pointer is None and (tables.rows or tables.links)
        )

    def pointers(self) -> list[Pointer]:
        """Return the pointers to games that are elsewhere, sorted by the names of the games."""
        found = (tables.pointer for _, tables in sorted(self._games.items()))
        return [pointer for pointer in found if pointer is not None]

    def pointer(self, game: str) -> Pointer | None:
        """Return where *game* is instead of here, or None."""
        return self._tables(game).pointer

    def audits(self) -> list[LastAudit]:
        """Return the last audit of each game that was audited here, sorted by the games."""
        found = (tables.audit for _, tables in sorted(self._games.items()))
        return [audit for audit in found if audit is not None]

    def sizes(self) -> dict[str, int]:
        """Return the bytes of the records by game."""
        return {
            game: sum(len(state) for _, _, state in tables.rows)
            for game, tables in self._games.items()
            if tables.rows
        }

    def programs(self) -> list[str] | None:
        """Return None: only this process uses the store."""
        return None

    def secret(self, game: str) -> bytes | None:
        """Return the secret of *game*, or None if there is no such game."""
        return self._tables(game).secret

    def tail(self, game: str) -> Link | None:
        """Return the last chain row of *game*, or None."""
        return self._tables(game).tail

    def secret_and_tail(self, game: str) -> tuple[bytes | None, Link | None]:
        """Return the secret and the last chain row of *game*, each or None."""
        tables = self._tables(game)
        return tables.secret, tables.tail

    def link(self, game: str, number: int) -> Link | None:
        """Return the first chain row of *game* that ends at *number* or later, or None."""
        return self._tables(game).link(number)

    def rows(self, game: str, after: int, upto: int) -> Iterator[Row]:
        """Return the records of *game* numbered *after* + 1 to *upto*, in order."""
        return iter(self._tables(game).between(after, upto))

    def states(self, game: str, topics: Collection[str], upto: int) -> Iterator[bytes]:
        """See `nomoledger.ledger.stores.store.Store.states`."""
        rows = self._tables(game).between(-1, upto)
        return (state for _, topic, state in rows if topic in topics)

    def count(self, game: str, upto: int) -> int:
        """Return the number of records of *game* from number 0 to *upto*."""
        return len(self._tables(game).between(-1, upto))

    def containing(self, game: str, text: str) -> Iterator[Row]:
        """Return the records of *game* whose state contains the bytes of *text*, in order."""
        pattern = text.encode()
        return (row for row in self._tables(game).rows if pattern in row[2])

    def deltas(self, game: str, effective: int | None, recorded: int | None) -> Iterator[Delta]:
        """See `nomoledger.ledger.stores.store.Store.deltas`."""
        latest, known = limit(effective), limit(recorded)
        for cell, units in sorted(self._tables(game).cells.items()):
            if cell[0] <= latest and cell[1] <= known:
                yield cell[0], cell[2], cell[3], units

    def snapshots(
        self,
        game: str,
        fold: str,
        upto: int | None = None,
        period: int | None = None,
        count: int | None = None,
    ) -> list[Place]:
        """See `nomoledger.ledger.stores.store.Store.snapshots`."""
        places = sorted(
            (number, closed)
            for (version, number), (closed, _) in self._tables(game).snapshots.items()
            if version == fold and number <= limit(upto) and closed <= limit(period)
        )
        return places if count is None else places[max(len(places) - count, 0) :]

    def snapshot(self, game: str, fold: str, number: int) -> bytes | None:
        """Return the root of the snapshot after event *number*, or None."""
        snapshot = self._tables(game).snapshots.get((fold, number))
        return None if snapshot is None else snapshot[1]

    def parts(self, game: str, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """Return the snapshot parts stored under *keys*; missing keys are left out."""
        parts = self._tables(game).parts
        return {key: parts[key] for key in keys if key in parts}

    def seals(self, game: str) -> list[Seal]:
        """Return the seals of *game*, in the order of the periods."""
        seals = self._tables(game).seals
        return [(period, number, seal) for period, (number, seal) in sorted(seals.items())]

    def foreign_objects(self) -> list[str]:
        """Return nothing: there are only our tables."""
        return []

    @contextmanager
    def evidence(self, game: str) -> Iterator[Evidence]:
        """Yield everything stored of *game* at one moment, for verification."""
        tables = self._tables(game)
        cells = sorted(tables.cells.items())
        yield Evidence(
            contents=((number, topic.encode(), state) for number, topic, state in tables.rows),
            links=iter(tables.links),
            cells=((*cell[:2], cell[2].encode(), cell[3].encode(), units) for cell, units in cells),
        )

    @contextmanager
    def writing(self) -> Iterator["MemoryWriter"]:
        """Open a transaction: everything is committed at the end of the block, or nothing."""
        if not self._turn.acquire(timeout=self._lock_timeout):
            raise StoreError(f"{self.location} is busy in another thread: try again")
        try:
            writer = MemoryWriter(self._games, self.location)
            yield writer
            self._games = writer.games
        finally:
            self._turn.release()

    def _tables(self, game: str) -> GameTables:
        return self._games.get(game, _EMPTY)


class MemoryWriter:
    """The `nomoledger.ledger.stores.store.Writer` of a memory store.

    Attributes:
        games: the tables of every game, with the changes of this transaction.
    """

    def __init__(self, games: Games, location: str) -> None:
        """Begin a transaction on a copy of *games*."""
        self.games = dict(games)
        self._location = location

    def create_game(self, game: str, secret: bytes) -> None:
        """Add *game*, which must not exist yet."""
        tables = self._tables(game)
        if tables.secret is not None:
            raise StoreError(f"{self._location}: there is a game {game!r} already")
        self.games[game] = replace(tables, secret=secret)

    def replace_secret(self, game: str, secret: bytes) -> None:
        """Replace the secret of *game*, which exists."""
        self.games[game] = replace(self._tables(game), secret=secret)

    def secret(self, game: str) -> bytes | None:
        """Return the secret of *game*, or None if there is no such game."""
        return self._tables(game).secret

    def pointer(self, game: str) -> Pointer | None:
        """Return where *game* is instead of here, or None."""
        return self._tables(game).pointer

    def set_pointer(self, pointer: Pointer) -> None:
        """Note where the game of *pointer* is; there is no such game here any more."""
        tables = self._tables(pointer.game)
        self.games[pointer.game] = replace(tables, secret=None, pointer=pointer)

    def set_audit(self, audit: LastAudit) -> None:
        """Keep *audit* as the last one of its game."""
        self.games[audit.game] = replace(self._tables(audit.game), audit=audit)

    def drop_pointer(self, game: str) -> None:
        """Make *game*, which has a pointer, a game of this store again."""
        tables = self._tables(game)
        assert tables.pointer is not None
        self.games[game] = replace(tables, secret=tables.pointer.secret, pointer=None)

    def tail(self, game: str) -> Link | None:
        """Return the last chain row of *game*, or None."""
        return self._tables(game).tail

    def link(self, game: str, number: int) -> Link | None:
        """Return the first chain row of *game* that ends at *number* or later, or None."""
        return self._tables(game).link(number)

    def rows(self, game: str, after: int, upto: int) -> list[Row]:
        """Return the records of *game* numbered *after* + 1 to *upto*, in order."""
        return self._tables(game).between(after, upto)

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
        tables = self._tables(game)
        for stored, added in ((tables.rows, rows), (tables.links, links)):
            numbers = [row[0] for row in chain(stored[-1:], added)]
            if any(number >= after for number, after in pairwise(numbers)):
                raise CorruptError(
                    f"{self._location}: game {game!r} has a record behind the end of its chain,"
                    " so nothing can be appended: verify it"
                )
        cells = tables.cells
        if units:
            cells = cells | {cell: cells.get(cell, 0) + added for cell, added in units.items()}
        self.games[game] = replace(
            tables, rows=[*tables.rows, *rows], links=[*tables.links, *links], cells=cells
        )

    def replace_rollup(self, game: str, units: Mapping[Cell, int]) -> None:
        """Replace the whole roll-up of *game* by *units*."""
        self.games[game] = replace(self._tables(game), cells=dict(units))

    def add_snapshot(
        self, game: str, fold: str, place: Place, root: bytes, parts: Mapping[bytes, bytes]
    ) -> None:
        """Store a snapshot made by *fold*: its *root*, and the *parts* not stored yet."""
        tables = self._tables(game)
        number, period = place
        snapshots = tables.snapshots
        if tables.link(number) is not None:  # as in a database: none without its chain row
            snapshots = snapshots | {(fold, number): (period, root)}
        self.games[game] = replace(tables, snapshots=snapshots, parts={**parts, **tables.parts})

    def drop_snapshots(self, game: str) -> None:
        """Delete all snapshots of *game*, whatever fold made them."""
        self.games[game] = replace(self._tables(game), snapshots={}, parts={})

    def add_seal(self, game: str, period: int, number: int, seal: bytes) -> None:
        """Store the *seal* of *period*, whose last event is *number*.

        Raises:
            CorruptError: the period is sealed already.
        """
        tables = self._tables(game)
        if period in tables.seals:
            raise CorruptError(
                f"{self._location}: period {period} of game {game!r} is sealed already: verify it"
            )
        self.games[game] = replace(tables, seals=tables.seals | {period: (number, seal)})

    def _tables(self, game: str) -> GameTables:
        return self.games.get(game, _EMPTY)
