"""Snapshots: the world as it stood at each close, kept so that nobody has to fold up to there.

They are only a matter of speed. Each is under the version of the fold that made it, so a program
that folds differently does not see it, and any or all of them may be gone.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from importlib.util import find_spec
from typing import Any, cast

from nomoledger import events as e
from nomoledger.errors import CorruptError, StoreError
from nomoledger.ledger.ledger import Ledger
from nomoledger.state.reducer import apply
from nomoledger.state.snapshot_codec import (
    check_parts,
    collect_parts,
    decode_snapshot,
    encode_snapshot,
)
from nomoledger.state.world import World

#: The modules that say what a world is and what events make of it: all that `apply` imports.
FOLD = (
    "errors", "events", "events.consequences", "events.display", "events.edits", "events.event",
    "events.inputs", "events.levels", "events.rules", "state", "state.disputes", "state.precedents", "state.reducer",
    "state.snapshot_codec", "state.world",
)  # fmt: skip
#: Fewer events than these are folded sooner than the snapshot after them is read.
LONG = 300


@cache
def fold_version() -> str:
    """The version of the fold: a hash of its source, which nobody can forget to raise."""
    return hash_of_source(FOLD)


def hash_of_source(modules: Iterable[str], start: str = "") -> str:
    """*start* and what stands in *modules* of nomoledger, hashed: 16 hexadecimal digits."""
    digest = sha256(start.encode())
    for name in modules:
        spec = find_spec(f"nomoledger.{name}")
        assert spec is not None
        source = cast(Any, spec.loader).get_data(spec.origin)
        digest.update(sha256(source).digest())
    return digest.hexdigest()[:16]


def store_snapshot(ledger: Ledger, game: str, world: World) -> None:
    """Keep *world*, in which a period has just closed.

    It is a transaction of its own, after the close is stored: what fails here (no room is left, or
    there is something in the world that cannot be written) costs nothing but speed, and the game is
    not locked for longer.
    """
    place = world.head, world.period - 1
    try:
        frozen = encode_snapshot(world)
        with ledger.store.writing() as writer:
            writer.add_snapshot(game, fold_version(), place, frozen.root, frozen.parts)
    except (StoreError, TypeError):
        world.forget_frozen()


def load_nearest(
    ledger: Ledger, game: str, upto: int | None = None, period: int | None = None
) -> World:
    """The world of the last snapshot up to event *upto*, or up to the close of *period*.

    An empty world where there is none. One that cannot be read is as if it were not there.
    """
    while places := ledger.store.snapshots(game, fold_version(), upto, period, count=1):
        ((number, _),) = places
        with suppress(CorruptError):
            return _read(ledger, game, number)
        upto = number - 1
    return World()


def _read(ledger: Ledger, game: str, number: int) -> World:
    root = ledger.store.snapshot(game, fold_version(), number)
    if root is None:
        raise CorruptError(f"game {game!r} has no snapshot after #{number}")
    world = decode_snapshot(root, partial(ledger.store.parts, game))
    if world.head != number:
        raise CorruptError(f"the snapshot after #{number} of game {game!r} is another one")
    return world


class StoredSnapshots:
    """The snapshots of *game*, read in order; what was read before is not read again.

    Attributes:
        places: the number of the event of each close that has one, by period.
    """

    def __init__(self, ledger: Ledger, game: str) -> None:
        self._store = ledger.store
        self._game = game
        self._read: set[bytes] = set()
        self.places = {
            period: number for number, period in self._store.snapshots(game, fold_version())
        }

    def worthwhile(self, head: int, period: int | None) -> int | None:
        """The close of *period* (the last one where None), if that is far enough from event *head*.

        What is near is folded sooner than it is read.
        """
        period = max(self.places, default=0) if period is None else period
        number = self.places.get(period, -1)
        return number if number - head >= LONG else None

    def content(self, number: int) -> tuple[bytes, dict[bytes, bytes]]:
        """The root of the snapshot after event *number*, and its parts that were not read before.

        Raises:
            CorruptError: there is none, or a part of it is missing or altered.
        """
        root = self._store.snapshot(self._game, fold_version(), number)
        if root is None:
            raise CorruptError(f"game {self._game!r} has no snapshot after #{number}")
        parts = collect_parts(root, partial(self._store.parts, self._game), self._read)
        self._read |= parts.keys()
        return root, parts


class SnapshotCheck:
    """Holds the snapshots of *game* against the worlds that its events come to."""

    def __init__(self, ledger: Ledger, game: str) -> None:
        self._store = ledger.store
        self._game = game
        self._numbers = {number for number, _ in self._store.snapshots(game, fold_version())}
        self._checked: set[bytes] = set()

    def wrong(self, world: World) -> str | None:
        """What is wrong with the snapshot of *world*, in which a period has just closed."""
        if world.head not in self._numbers:
            return None
        root = self._store.snapshot(self._game, fold_version(), world.head)
        why = "it is not how things stood"
        if root == encode_snapshot(world).root:
            try:
                check_parts(root, partial(self._store.parts, self._game), self._checked)
                return None
            except CorruptError as error:
                why = str(error)
        return f"the snapshot of its close: {why}; nomoledger rebuild makes it anew"


def take_snapshots(ledger: Ledger, game: str) -> None:
    """Take the snapshots of *game* after the last that there is.

    Events that were not played here, or were folded by another version, have none. An event that
    cannot follow from those before it ends this: only speed is lost, and verifying names it.
    """
    with suppress(Exception):  # whatever somebody has written there
        for _ in fold_and_snapshot(ledger, game, load_nearest(ledger, game)):
            pass


def fold_and_snapshot(ledger: Ledger, game: str, world: World) -> Iterator[e.Event]:
    """The events after *world*, each when it is folded; a snapshot is taken of every close."""
    for entry in ledger.read(game, after=world.head):
        apply(world, entry.body)
        if isinstance(entry.body, e.PeriodClosed):
            store_snapshot(ledger, game, world)
        yield entry.body
