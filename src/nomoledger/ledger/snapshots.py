"""Snapshots: the state at each close, stored so that a reader need not fold all events.

Snapshots only save time. Each is stored under the version of the reducer that made it, so a program
with another reducer does not see it. Any or all of them may be missing.

The labels of a snapshot (event, period, reducer) are under its hash: a snapshot that was put under
another label is not used, and `verify` names it.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from pathlib import Path

from nomoledger import events as e
from nomoledger.errors import CorruptError, StoreError
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.store import Place, Store
from nomoledger.state.reducer import apply
from nomoledger.state.snapshot_codec import (
    check_parts,
    collect_parts,
    decode_snapshot,
    encode_snapshot,
)
from nomoledger.state.world import World

#: The packages that define a world and the effects of events. Their source is the version of the
#: reducer.
REDUCER_PACKAGES = ("events", "state")
#: How snapshots are stored; another text makes those of the older form invisible.
_FORM = "labelled"
#: Bytes of the digest after the content of a snapshot.
_DIGEST = 32
#: Folding fewer events than this is faster than reading the snapshot after them.
LONG = 300


@cache
def fold_version() -> str:
    """Return the version of the reducer: a hash of its source, which changes with every edit."""
    return hash_of_source(REDUCER_PACKAGES, _FORM)


def hash_of_source(packages: Iterable[str], start: str = "") -> str:
    """Return 16 hexadecimal digits: the hash of *start* and the source of *packages*."""
    digest = sha256(start.encode())
    for package in packages:
        for path in sorted((Path(__file__).parents[1] / package).glob("*.py")):
            digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def label(content: bytes, fold: str, place: Place) -> bytes:
    """Return *content*, a snapshot, and a digest of it with its reducer *fold* and its *place*."""
    return content + _digest(content, fold, place)


def unlabel(stored: object, fold: str, place: Place) -> bytes:
    """Return the content of the snapshot *stored* under these labels.

    Raises:
        CorruptError: it was stored under other labels, or is no snapshot.
    """
    if isinstance(stored, bytes):
        content, digest = stored[:-_DIGEST], stored[-_DIGEST:]
        if digest == _digest(content, fold, place):
            return content
    raise CorruptError(f"the snapshot after #{place[0]} is not the one that was stored there")


def _digest(content: bytes, fold: str, place: Place) -> bytes:
    number, period = place
    return sha256(f"{fold} {number} {period} ".encode() + content).digest()


def store_snapshot(ledger: Ledger, game: str, world: World) -> None:
    """Store a snapshot of *world*, whose last event closed a period.

    The snapshot is a transaction of its own, after that of the close. Where it fails (the disk is
    full, or a value cannot be encoded), only time is lost.
    """
    place = world.head, world.period - 1
    try:
        snapshot = encode_snapshot(world)
        with ledger.side_tables(game) as writer:
            root = label(snapshot.root, fold_version(), place)
            writer.add_snapshot(game, fold_version(), place, root, snapshot.parts)
    except (StoreError, TypeError):
        world.forget_frozen()


def load_nearest(
    ledger: Ledger, game: str, upto: int | None = None, period: int | None = None
) -> World:
    """Return the world of the last snapshot up to event *upto*, or up to the close of *period*.

    Unreadable snapshots are skipped. The world is empty if there is no snapshot.
    """
    while places := ledger.store.snapshots(game, fold_version(), upto, period, count=1):
        (place,) = places
        with suppress(CorruptError):
            return _read(ledger, game, place)
        upto = place[0] - 1
    return World()


def _read(ledger: Ledger, game: str, place: Place) -> World:
    world = decode_snapshot(_root(ledger.store, game, place), partial(ledger.store.parts, game))
    if (world.head, world.period - 1) != place:
        raise CorruptError(f"the snapshot after #{place[0]} of game {game!r} holds another state")
    return world


def _root(store: Store, game: str, place: Place) -> bytes:
    """Return the root of the snapshot at *place*.

    Raises:
        CorruptError: there is no such snapshot, or it was stored under other labels.
    """
    return unlabel(store.snapshot(game, fold_version(), place[0]), fold_version(), place)


class StoredSnapshots:
    """Reads the snapshots of one game in order, and no part of them twice.

    Attributes:
        places: number of the closing event of each period that has a snapshot, by period.
    """

    def __init__(self, ledger: Ledger, game: str) -> None:
        """List the snapshots of *game*."""
        self._store = ledger.store
        self._game = game
        self._read: set[bytes] = set()
        places = self._store.snapshots(game, fold_version())
        self.places = {period: number for number, period in places}
        self._periods = dict(places)

    def content(self, number: int) -> tuple[bytes, dict[bytes, bytes]]:
        """Return the root of the snapshot after event *number*, and its parts not read before.

        Raises:
            CorruptError: there is no such snapshot, or a part of it is missing or altered.
        """
        if number not in self._periods:
            raise CorruptError(f"game {self._game!r} has no snapshot after #{number}")
        root = _root(self._store, self._game, (number, self._periods[number]))
        parts = collect_parts(root, partial(self._store.parts, self._game), self._read)
        self._read |= parts.keys()
        return root, parts


def worthwhile(places: dict[int, int], head: int, period: int | None) -> int | None:
    """Return the event that closed *period* (or the last period), if reading its snapshot pays.

    *places* are those of `StoredSnapshots`. None if that event is less than `LONG` events after
    event *head*: folding is faster then.
    """
    period = max(places, default=0) if period is None else period
    number = places.get(period, -1)
    return number if number - head >= LONG else None


class SnapshotObserver:
    """Stores a snapshot of one game at each close; an observer of the write path."""

    def __init__(self, ledger: Ledger, game: str) -> None:
        """Follow the closes of *game*."""
        self._ledger = ledger
        self._game = game

    def closed(self, world: World | None) -> None:
        """Store a snapshot of *world*, or all that are missing if *world* is None."""
        if world is None:
            take_snapshots(self._ledger, self._game)
        else:
            store_snapshot(self._ledger, self._game, world)


class SnapshotCheck:
    """Compares the snapshots of one game with the worlds that its events fold to."""

    def __init__(self, ledger: Ledger, game: str) -> None:
        """List the snapshots of *game*."""
        self._store = ledger.store
        self._game = game
        self._left = dict(self._store.snapshots(game, fold_version()))
        self._checked: set[bytes] = set()

    def wrong(self, world: World) -> str | None:
        """Describe what is wrong with the snapshot of *world*, whose last event closed a period.

        None if the snapshot is right, or missing.
        """
        period = self._left.pop(world.head, None)
        if period is None:
            return None
        why = self._why(world, period)
        return why and f"the snapshot of its close: {why}; nomoledger rebuild makes it anew"

    def _why(self, world: World, period: int) -> str | None:
        if period != world.period - 1:
            return f"it is stored as that of period {period}"
        try:
            root = _root(self._store, self._game, (world.head, period))
            if root != encode_snapshot(world).root:
                return "it differs from the state then"
            check_parts(root, partial(self._store.parts, self._game), self._checked)
        except CorruptError as error:
            return str(error)
        return None

    def left(self) -> str | None:
        """Describe a snapshot after an event that closed no period; None if there is none."""
        if not self._left:
            return None
        number = min(self._left)
        return (
            f"there is a snapshot after #{number}, which closed no period; nomoledger rebuild"
            " removes it"
        )


def take_snapshots(ledger: Ledger, game: str) -> None:
    """Store snapshots of *game* for all closes after its last snapshot.

    Imported games, and games folded by another version, have none. An event that does not fit the
    state ends this silently: only time is lost, and `verify` reports the event.
    """
    with suppress(Exception):  # the records may hold anything
        for _ in fold_and_snapshot(ledger, game, load_nearest(ledger, game)):
            pass


def fold_and_snapshot(ledger: Ledger, game: str, world: World) -> Iterator[e.Event]:
    """Apply the events after *world*, store a snapshot at every close, and yield each event."""
    for entry in ledger.read(game, after=world.head):
        apply(world, entry.body)
        if isinstance(entry.body, e.PeriodClosed):
            store_snapshot(ledger, game, world)
        yield entry.body
