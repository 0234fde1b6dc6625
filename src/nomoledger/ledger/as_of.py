"""The state of a game as its ledger has it: as it stands, and as it stood, as known at any time."""

from collections.abc import Iterator
from contextlib import suppress

import msgspec

from nomoledger import events as e
from nomoledger.errors import CorruptError, UnknownError, UsageError
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.period_reader import PeriodReader
from nomoledger.ledger.snapshots import StoredSnapshots, load_nearest
from nomoledger.state.bitemporal import check_times, copy_world, world_as_known
from nomoledger.state.reducer import apply
from nomoledger.state.snapshot_codec import SnapshotReader
from nomoledger.state.world import World


def only_game(ledger: Ledger) -> str:
    """The one game of *ledger*.

    Raises:
        UsageError: there is none, or there are several.
    """
    games = ledger.games()
    if len(games) == 1:
        return games[0]
    if games:
        raise UsageError(f"there are several games, say which: {', '.join(games)}")
    raise UsageError("there is no game in this ledger yet: see nomoledger init")


def world_of(ledger: Ledger, game: str, upto: int | None = None) -> World:
    """The world of *game* after event *upto* (the last where None)."""
    world = load_nearest(ledger, game, upto)
    for entry in ledger.read(game, after=world.head, upto=upto):
        apply(world, entry.body)
    return world


def worlds_at_closes(ledger: Ledger, game: str, upto: int) -> Iterator[tuple[int | None, World]]:
    """Each period of *game* that was closed, and the world then; at last None, and that at *upto*.

    They are only to be read, and may be one world that goes on: each before the next is asked for.
    A close that is far from the one before is read from its snapshot.
    """
    stored, thawing, world = StoredSnapshots(ledger, game), SnapshotReader(), World()
    stretches, shares_past = PeriodReader(ledger, game, upto), False
    while world.head < upto:
        number = stored.worthwhile(world.head, world.period)
        if number is not None and number <= upto:
            with suppress(CorruptError):  # one that cannot be read is as if it were not there
                world, shares_past = thawing.world(*stored.content(number)), True
        if world.head != number:
            body: e.Event | None = None
            for entry in stretches.after(world.head):
                body = entry.body
                if shares_past and isinstance(body, e.Settled):
                    world, shares_past = copy_world(world, past=True), False
                apply(world, body)
            if not isinstance(body, e.PeriodClosed):
                break
        yield world.period - 1, world
    yield None, world


def as_of(ledger: Ledger, game: str, period: int | None) -> World:
    """The world of *game* as it stood when *period* closed; as it stands where None or open.

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
    """Whether *world*, a snapshot, is that of the close of *period*."""
    return world.head >= 0 and period == world.period - 1


class Reading(msgspec.Struct):
    """How things stood at the close of *period* (or stand, in the one that is open).

    Attributes:
        published: as known at that close; but what is past in it, as known later.
        known: as known at another time.
        later: the world at that other time. is_closed: whether the period is over.
    """

    period: int
    is_closed: bool
    published: World
    later: World

    @property
    def known(self) -> World:
        """How things stood, as known in the world *later*."""
        return world_as_known(self.later, self.published, self.period)


def as_known(
    ledger: Ledger, game: str, period: int | None = None, known: int | None = None
) -> Reading:
    """How *game* stood when *period* closed, as known at the close of period *known*, or now.

    Raises:
        UnknownError: a period has not begun.
        UsageError: *period* was not over by then, or is not even now.
    """
    check_times(game, period, known)
    published = None if period is None else _to_close(ledger, game, period)
    later = load_nearest(ledger, game, period=known)
    if published is not None and later.head <= published.head:
        later = published if known == period else copy_world(published)
    if not _is_close(later, known):
        _go_on(ledger, game, later, known)
    _check_begun(game, later, period, known)
    if period is None or published is None or period == later.period:
        return Reading(later.period, False, later, later)
    published.past = {each: later.past[each] for each in published.past}  # as known later
    return Reading(period, True, published, later)


def _to_close(ledger: Ledger, game: str, period: int | None) -> World:
    """The world at the close of *period*; as it stands where it was not closed."""
    world = load_nearest(ledger, game, period=period)
    if not _is_close(world, period):
        _go_on(ledger, game, world, period)
    return world


def _go_on(ledger: Ledger, game: str, world: World, period: int | None) -> None:
    """Take *world* on to the close of *period*; to the end where it was not closed."""
    for entry in ledger.read(game, after=world.head):
        apply(world, entry.body)
        if isinstance(entry.body, e.PeriodClosed) and entry.body.period == period:
            return


def _check_begun(game: str, world: World, period: int | None, known: int | None) -> None:
    for each in (period, known):
        if each not in (None, world.period, *world.past):
            raise UnknownError(f"{game}: there is no period {each}; it is in period {world.period}")
    if known is not None and period == world.period:
        raise UsageError(f"{game}: period {period} is not closed: it is known only as it stands")
