"""The state of a game as its ledger has it: as it stands, and as it stood."""

from nomoledger import events as e
from nomoledger.errors import UnknownError, UsageError
from nomoledger.ledger import Ledger
from nomoledger.reducer import apply
from nomoledger.world import World


def the_game(ledger: Ledger) -> str:
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
    world = World()
    for entry in ledger.read(game, upto=upto):
        apply(world, entry.body)
    return world


def as_of(ledger: Ledger, game: str, period: int | None) -> World:
    """The world of *game* as it stood when *period* closed; as it stands where None or open.

    Raises:
        UnknownError: that period has not begun.
    """
    world = World()
    for entry in ledger.read(game):
        apply(world, entry.body)
        if isinstance(entry.body, e.PeriodClosed) and entry.body.period == period:
            return world
    if period is not None and period != world.period:
        raise UnknownError(f"{game}: there is no period {period}; it is in period {world.period}")
    return world
