"""Whether a game goes on by the clock of this computer, when something is due, and its timers."""

import msgspec

from nomoledger.game.game import Game
from nomoledger.game.time_jump import rhythm
from nomoledger.game.timekeeper import Timekeeper, next_due
from nomoledger.game.writer import Outcome
from nomoledger.state.clock import from_seconds


class GameTime(msgspec.Struct, frozen=True):
    """The time of a game, in seconds since 1970.

    Attributes:
        now: its time. due: when the next timer is due; None if none is set.
        rhythm: how far its time may move at once, in seconds (`nomoledger.game.time_jump.rhythm`).
        is_over: whether the game has ended.
    """

    now: int
    due: int | None
    rhythm: int
    is_over: bool

    def is_live(self, clock: float) -> bool:
        """Return whether the game goes on by the *clock* of this computer.

        A game whose time lies further back than any of its periods lasted rests, or is told after
        the fact: its clock is not moved until somebody moves it.
        """
        return not self.is_over and clock - self.now <= self.rhythm


def game_time(game: Game) -> GameTime:
    """Return the time of *game*."""
    world = game.world
    span = int(rhythm(game).total_seconds())
    is_over = world.game["ended"] is not None
    return GameTime(world.game["now"], next_due(world), span, is_over)


def fall_due(game: Game, until: int, *, id: str) -> Outcome:
    """Fire the timers of *game* that are due by the time *until*, each at its own time.

    Repeating this is harmless, whatever its *id*: a timer that has fired is not due any more.

    Raises:
        RuleFault: rule code failed.
    """
    timekeeper = Timekeeper(game.ledger, game.name, limits=game.limits)
    try:
        fired = list(timekeeper.fall_due(from_seconds(until)))
    finally:
        timekeeper.engine.close()
        game.catch_up()
    return Outcome(tuple(event for each in fired for event in each.events))
