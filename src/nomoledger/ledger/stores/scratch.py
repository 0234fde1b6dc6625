"""A scratch store: what it is given stays in memory, over another store that it only reads.

For dry runs: whatever is written here, the other store keeps every byte.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from heapq import merge
from itertools import chain
from operator import itemgetter
from typing import Any

from nomoledger.ledger.chain import Link
from nomoledger.ledger.rollup import NO_UNITS, Cell, Delta, RawCell
from nomoledger.ledger.stores.last_audit import LastAudit
from nomoledger.ledger.stores.memory import MemoryStore, MemoryWriter
from nomoledger.ledger.stores.pointer import Pointer
from nomoledger.ledger.stores.store import Content, Evidence, Place, Row, Seal, Store, limit

_effective = itemgetter(0)


class _Overlay:
    """What a scratch store and its transactions read alike: one store over another.

    Attributes:
        below: the store that is only read.
    """

    def __init__(
        self, below: Store, above: MemoryStore | MemoryWriter, ends: dict[str, Link | None]
    ) -> None:
        """Read what is *above* over what is *below*; *ends* keeps where games end below."""
        self.below = below
        self._over = above
        self._ends = ends

    def end(self, game: str) -> Link | None:
        """Return the last chain row of *game* below, at the first look; None if there is none."""
        if game not in self._ends:
            self._ends[game] = self.below.tail(game)
        return self._ends[game]

    def _last(self, game: str, upto: int | None = None) -> int:
        """Return the last number of *game* below, at most *upto*."""
        end = self.end(game)
        last = -1 if end is None else end[0]
        return last if upto is None else min(upto, last)

    def secret(self, game: str) -> bytes | None:
        """Return the secret of *game*, or None if there is no such game."""
        if self._over.pointer(game) is not None:
            return None
        return self._over.secret(game) or self.below.secret(game)

    def pointer(self, game: str) -> Pointer | None:
        """Return where *game* is instead of here, or None."""
        if self._over.secret(game) is not None:
            return None
        return self._over.pointer(game) or self.below.pointer(game)

    def tail(self, game: str) -> Link | None:
        """Return the last chain row of *game*, or None."""
        return self._over.tail(game) or self.end(game)

    def link(self, game: str, number: int) -> Link | None:
        """Return the first chain row of *game* that ends at *number* or later, or None."""
        if number <= self._last(game):
            return self.below.link(game, number)
        return self._over.link(game, number)


class ScratchStore(_Overlay):
    """The `nomoledger.ledger.stores.store.Store` of a dry run.

    What others write to the store below after the first look at a game is left out.
    """

    def __init__(self, below: Store | None, location: str) -> None:
        """Read from *below*, None if it does not exist yet; messages name *location*."""
        self.location = location
        self._above = MemoryStore()
        super().__init__(MemoryStore() if below is None else below, self._above, {})
        #: The games whose roll-up was replaced, and whose snapshots were dropped.
        self._replaced: set[str] = set()
        self._dropped: set[str] = set()
        #: The snapshots added, by game, fold and number: the period and the root.
        self._added: dict[tuple[str, str, int], tuple[int, bytes]] = {}
        self._parts: dict[str, dict[bytes, bytes]] = {}

    def news(self) -> None:
        """See `nomoledger.ledger.stores.store.Store.news`; a dry run tells nobody."""

    def confirm(self) -> None:
        """See `nomoledger.ledger.stores.store.Store.confirm`; there is no standby."""

    def close(self) -> None:
        """Do nothing: whoever opened the store below closes it."""

    def games(self) -> list[str]:
        """Return the names of the games, sorted."""
        names = {*self.below.games(), *self._above.games()}
        return sorted(names.difference(pointer.game for pointer in self._above.pointers()))

    def pointers(self) -> list[Pointer]:
        """Return the pointers to games that are elsewhere, sorted by the names of the games."""
        places = {pointer.game: pointer for pointer in self.below.pointers()}
        places |= {pointer.game: pointer for pointer in self._above.pointers()}
        here = self._above.games()
        return [pointer for game, pointer in sorted(places.items()) if game not in here]

    def audits(self) -> list[LastAudit]:
        """Return the last audit of each game that was audited here, sorted by the games."""
        found = {audit.game: audit for audit in (*self.below.audits(), *self._above.audits())}
        return [audit for _, audit in sorted(found.items())]

    def sizes(self) -> dict[str, int]:
        """Return the bytes of the records by game; those below as they are now."""
        below, above = self.below.sizes(), self._above.sizes()
        return {game: below.get(game, 0) + above.get(game, 0) for game in sorted({*below, *above})}

    def programs(self) -> list[str] | None:
        """Return the programs that use the store below."""
        return self.below.programs()

    def secret_and_tail(self, game: str) -> tuple[bytes | None, Link | None]:
        """Return the secret and the last chain row of *game*, each or None."""
        return self.secret(game), self.tail(game)

    def unlisted(self) -> list[str]:
        """See `nomoledger.ledger.stores.store.Store.unlisted`."""
        above = (game for game in self._above.unlisted() if self.below.secret(game) is None)
        return sorted({*self.below.unlisted(), *above})

    def rows(self, game: str, after: int, upto: int) -> Iterator[Row]:
        """Return the records of *game* numbered *after* + 1 to *upto*, in order."""
        below = self.below.rows(game, after, self._last(game, upto))
        return chain(below, self._above.rows(game, after, upto))

    def states(self, game: str, topics: Collection[str], upto: int) -> Iterator[bytes]:
        """See `nomoledger.ledger.stores.store.Store.states`."""
        below = self.below.states(game, topics, self._last(game, upto))
        return chain(below, self._above.states(game, topics, upto))

    def count(self, game: str, upto: int) -> int:
        """Return the number of records of *game* from number 0 to *upto*."""
        return self.below.count(game, self._last(game, upto)) + self._above.count(game, upto)

    def containing(self, game: str, text: str) -> Iterator[Row]:
        """Return the records of *game* whose state contains the bytes of *text*, in order."""
        last = self._last(game)
        below = (row for row in self.below.containing(game, text) if row[0] <= last)
        return chain(below, self._above.containing(game, text))

    def deltas(self, game: str, effective: int | None, recorded: int | None) -> Iterator[Delta]:
        """See `nomoledger.ledger.stores.store.Store.deltas`."""
        above = self._above.deltas(game, effective, recorded)
        if game in self._replaced:
            return above
        return merge(self.below.deltas(game, effective, recorded), above, key=_effective)

    def snapshots(
        self,
        game: str,
        fold: str,
        upto: int | None = None,
        period: int | None = None,
        count: int | None = None,
    ) -> list[Place]:
        """See `nomoledger.ledger.stores.store.Store.snapshots`."""
        places = {
            (number, closed)
            for (name, version, number), (closed, _) in self._added.items()
            if (name, version) == (game, fold) and number <= limit(upto) and closed <= limit(period)
        }
        if game not in self._dropped:
            places.update(self.below.snapshots(game, fold, self._last(game, upto), period))
        ordered = sorted(places)
        return ordered if count is None else ordered[max(len(ordered) - count, 0) :]

    def snapshot(self, game: str, fold: str, number: int) -> bytes | None:
        """Return the root of the snapshot after event *number*, or None."""
        if (game, fold, number) in self._added:
            return self._added[game, fold, number][1]
        if game in self._dropped or number > self._last(game):
            return None
        return self.below.snapshot(game, fold, number)

    def parts(self, game: str, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """Return the snapshot parts stored under *keys*; missing keys are left out."""
        own = self._parts.get(game, {})
        added = {key: own[key] for key in keys if key in own}
        below = {} if game in self._dropped else self.below.parts(game, keys)
        return below | added

    def seals(self, game: str) -> list[Seal]:
        """Return the seals of *game*, in the order of the periods."""
        return [*self.below.seals(game), *self._above.seals(game)]

    def foreign_objects(self) -> list[str]:
        """See `nomoledger.ledger.stores.store.Store.foreign_objects`."""
        return self.below.foreign_objects()

    @contextmanager
    def evidence(self, game: str) -> Iterator[Evidence]:
        """Yield everything stored of *game*, for verification."""
        last = self._last(game)
        with self.below.evidence(game) as below, self._above.evidence(game) as above:
            contents = (row for row in below.contents if _is_upto(row, last))
            links = (link for link in below.links if link[0] <= last)
            cells = [*(() if game in self._replaced else below.cells), *above.cells]
            yield Evidence(
                contents=chain(contents, above.contents),
                links=chain(links, above.links),
                cells=iter(_added_up(cells)),
            )

    @contextmanager
    def writing(self) -> Iterator["ScratchWriter"]:
        """Open a transaction: the store below does not change."""
        with self._above.writing() as writer:
            yield ScratchWriter(self, writer, self._ends)

    def replace_below(self, game: str) -> None:
        """Leave out the roll-up of *game* below from now on."""
        self._replaced.add(game)

    def drop_snapshots(self, game: str) -> None:
        """Leave out all snapshots of *game* from now on."""
        self._dropped.add(game)
        self._added = {key: value for key, value in self._added.items() if key[0] != game}
        self._parts.pop(game, None)

    def add_snapshot(
        self, game: str, fold: str, place: Place, root: bytes, parts: Mapping[bytes, bytes]
    ) -> None:
        """Keep a snapshot of *game*."""
        self._added[game, fold, place[0]] = place[1], root
        self._parts.setdefault(game, {}).update(parts)


def _is_upto(row: Content, last: int) -> bool:
    return row[0] <= last


def _added_up(cells: list[RawCell]) -> list[RawCell]:
    """Return *cells* in order, with those of one key added up."""
    units: dict[Any, Any] = {}
    for *key, amount in cells:
        units[tuple(key)] = units.get(tuple(key), 0) + amount
    return [(*key, amount) for key, amount in sorted(units.items())]


class ScratchWriter(_Overlay):
    """The `nomoledger.ledger.stores.store.Writer` of a scratch store."""

    def __init__(
        self, store: ScratchStore, above: MemoryWriter, ends: dict[str, Link | None]
    ) -> None:
        """Write to *above*, which belongs to *store*; *ends* as in the store."""
        super().__init__(store.below, above, ends)
        self._store = store
        self._above = above

    def create_game(self, game: str, secret: bytes) -> None:
        """Add *game*, which must not exist yet."""
        self._above.create_game(game, secret)

    def replace_secret(self, game: str, secret: bytes) -> None:
        """Replace the secret of *game*, which exists."""
        self._above.replace_secret(game, secret)

    def set_pointer(self, pointer: Pointer) -> None:
        """Note where the game of *pointer* is; there is no such game here any more."""
        self._above.set_pointer(pointer)

    def set_audit(self, audit: LastAudit) -> None:
        """Keep *audit* as the last one of its game."""
        self._above.set_audit(audit)

    def drop_pointer(self, game: str) -> None:
        """Make *game*, which has a pointer, a game of this store again."""
        pointer = self.pointer(game)
        assert pointer is not None
        self._above.set_pointer(pointer)
        self._above.drop_pointer(game)

    def rows(self, game: str, after: int, upto: int) -> list[Row]:
        """Return the records of *game* numbered *after* + 1 to *upto*, in order."""
        below = self.below.rows(game, after, self._last(game, upto))
        return [*below, *self._above.rows(game, after, upto)]

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
        self._above.insert(game, rows, links, units)

    def replace_rollup(self, game: str, units: Mapping[Cell, int]) -> None:
        """Replace the whole roll-up of *game* by *units*."""
        self._store.replace_below(game)
        self._above.replace_rollup(game, units)

    def add_snapshot(
        self, game: str, fold: str, place: Place, root: bytes, parts: Mapping[bytes, bytes]
    ) -> None:
        """Store a snapshot made by *fold*: its *root*, and the *parts* not stored yet."""
        if self.link(game, place[0]) is not None:
            self._store.add_snapshot(game, fold, place, root, parts)

    def drop_snapshots(self, game: str) -> None:
        """Delete all snapshots of *game*, whatever fold made them."""
        self._store.drop_snapshots(game)

    def add_seal(self, game: str, period: int, number: int, seal: bytes) -> None:
        """Store the *seal* of *period*, whose last event is *number*."""
        self._above.add_seal(game, period, number, seal)
