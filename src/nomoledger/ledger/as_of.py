"""The state of a game: current, or as of any close, as known at any later close."""

from collections.abc import Iterator
from contextlib import suppress

import msgspec

from nomoledger import events as e
from nomoledger.errors import CorruptError, MovedError, UnknownError, UsageError
from nomoledger.ledger.ledger import Ledger, moved
from nomoledger.ledger.period_reader import PeriodReader
from nomoledger.ledger.snapshots import StoredSnapshots, load_nearest, worthwhile
from nomoledger.state.bitemporal import check_times, copy_world, world_as_known
from nomoledger.state.reducer import apply
from nomoledger.state.snapshot_codec import SnapshotReader
from nomoledger.state.world import World


def only_game(ledger: Ledger) -> str:
    """Return the name of the one game of *ledger*.

    Raises:
        UsageError: the ledger has no game, or several.
        MovedError: its games are all elsewhere.
    """
    games = ledger.games()
    if len(games) == 1:
        return games[0]
    if games:
        raise UsageError(f"there are several games, say which: {', '.join(games)}")
    check_not_all_elsewhere(ledger)
    raise UsageError("there is no game in this ledger yet: see nomoledger init")


def check_not_all_elsewhere(ledger: Ledger) -> None:
    """Check that *ledger* has a game, or never had one.

    Raises:
        MovedError: its games are all elsewhere.
    """
    if ledger.games():
        return
    pointers = ledger.pointers()
    if len(pointers) == 1:
        raise moved(pointers[0], ledger.store.location)
    if pointers:
        names = ", ".join(pointer.game for pointer in pointers)
        raise MovedError(
            f"all games of {ledger.store.location} are elsewhere ({names}): nomoledger league list"
            " says where"
        )


def world_of(ledger: Ledger, game: str, upto: int | None = None) -> World:
    """Return the state of *game* after event *upto* (the last if None)."""
    world = load_nearest(ledger, game, upto)
    for entry in ledger.read(game, after=world.head, upto=upto):
        apply(world, entry.body)
    return world


def worlds_at_closes(ledger: Ledger, game: str, upto: int) -> Iterator[tuple[int | None, World]]:
    """Yield each closed period of *game* with the state at its close, then None and the last state.

    The last state is that after event *upto*. Read-only. The iterator may reuse one World: finish
    with each item before advancing. A close far from the one before is read from its snapshot.
    """
    stored, reader, world = StoredSnapshots(ledger, game), SnapshotReader(), World()
    periods, shares_past = PeriodReader(ledger, game, upto), False
    while world.head < upto:
        number = worthwhile(stored.places, world.head, world.period)
        if number is not None and number <= upto:
            with suppress(CorruptError):  # an unreadable snapshot is skipped
                world, shares_past = reader.world(*stored.content(number)), True
        if world.head != number:
            body: e.Event | None = None
            for entry in periods.after(world.head):
                body = entry.body
                if shares_past and isinstance(body, e.Settled):
                    world, shares_past = copy_world(world, past=True), False
                apply(world, body)
            if not isinstance(body, e.PeriodClosed):
                break
        yield world.period - 1, world
    yield None, world


def as_of(ledger: Ledger, game: str, period: int | None) -> World:
    """Return the state of *game* at the close of *period*; the current state if None or open.

    Raises:
        UnknownError: that period has not begun.
    """
    world = _to_close(ledger, game, period)
    if _is_close(world, period):
        return world
    if period is not None and period != world.period:
        raise UnknownError(f"{game}: there is no period {period}; it is in period {world.period}")
    return world


def _is_close(world: World, period: int | None) -> bool:
    """Return whether *world*, a snapshot, is that of the close of *period*."""
    return world.head >= 0 and period == world.period - 1


class Reading(msgspec.Struct):
    """The state of a game as of one period and as known at one later time.

    Attributes:
        period: the period read.
        is_closed: whether that period is over.
        published: the state as published at its close; its past is as known later.
        later: the state at the time of the knowledge.
        known: the state of the period as known at that time.
    """

    period: int
    is_closed: bool
    published: World
    later: World

    @property
    def known(self) -> World:
        """The state of the period as known in the world *later*."""
        return world_as_known(self.later, self.published, self.period)


def as_known(
    ledger: Ledger, game: str, period: int | None = None, known: int | None = None
) -> Reading:
    """Return the state of *game* at the close of *period*, as known at the close of *known*.

    None for *period* is the open one; None for *known* is now.

    Raises:
        UnknownError: a period has not begun.
        UsageError: *period* was not over at the close of *known*, or is not over now.
    """
    check_times(game, period, known)
    published = None if period is None else _to_close(ledger, game, period)
    later = load_nearest(ledger, game, period=known)
    if published is not None and later.head <= published.head:
        later = published if known == period else copy_world(published)
    if not _is_close(later, known):
        _fold_to_close(ledger, game, later, known)
    _check_begun(game, later, period, known)
    if period is None or published is None or period == later.period:
        return Reading(later.period, False, later, later)
    published.past = {number: later.past[number] for number in published.past}  # as known later
    return Reading(period, True, published, later)


def _to_close(ledger: Ledger, game: str, period: int | None) -> World:
    """Return the world at the close of *period*, or at the end if it was not closed."""
    world = load_nearest(ledger, game, period=period)
    if not _is_close(world, period):
        _fold_to_close(ledger, game, world, period)
    return world


def _fold_to_close(ledger: Ledger, game: str, world: World, period: int | None) -> None:
    """Fold *world* up to the close of *period*, or to the end if it was not closed."""
    for entry in ledger.read(game, after=world.head):
        apply(world, entry.body)
        if isinstance(entry.body, e.PeriodClosed) and entry.body.period == period:
            return


def _check_begun(game: str, world: World, period: int | None, known: int | None) -> None:
    for number in (period, known):
        if number not in (None, world.period, *world.past):
            raise UnknownError(
                f"{game}: there is no period {number}; it is in period {world.period}"
            )
    if known is not None and period == world.period:
        raise UsageError(f"{game}: period {period} is not closed: it is only known as of now")
