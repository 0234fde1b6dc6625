"""Times of requests that may be slips: they move the game far, or something falls due by them."""

from datetime import datetime, timedelta
from itertools import pairwise, takewhile

import msgspec

from nomoledger import events as e
from nomoledger.errors import NomoledgerError
from nomoledger.game.game import Game
from nomoledger.prose.descriptions import BOOKKEEPING
from nomoledger.prose.teller import Teller
from nomoledger.state.clock import from_seconds, to_seconds
from nomoledger.state.world import World

#: Periods count as at least so long; and so much later than a period is no slip.
DAY = timedelta(days=1)
#: How long periods count as while none has closed.
WEEK = timedelta(days=7)
#: How many things that fall due are named.
NAMED_MAX = 3


class TimeJump(msgspec.Struct, frozen=True):
    """A time that may be a slip.

    Attributes:
        since: the time of the game.
        to: the time that it would have.
        due: how many timers fall due by then.
        follows: what they do, in words.
    """

    since: datetime
    to: datetime
    due: int
    follows: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Say what the jump does, in one sentence without an end."""
        moved = self.to - self.since
        far = f", {moved.days} day{'s' if moved.days > 1 else ''}" if moved.days else ""
        text = f"from {self.since:%Y-%m-%d %H:%M} to {self.to:%Y-%m-%d %H:%M}{far}"
        if not self.due:
            return text
        named = list(self.follows[:NAMED_MAX])
        if more := len(self.follows) - len(named):
            named.append(f"and {more} more")
        count = "1 timer falls" if self.due == 1 else f"{self.due} timers fall"
        return f"{text}; {count} due{': ' if named else ''}{'; '.join(named)}"


def time_jump(game: Game, event: e.Input) -> TimeJump | None:
    """Return the jump that *event*, the next input, makes in time, if it may be a slip.

    It may be one if it moves the game further than the longest period so far (see `rhythm`), or if
    a timer is due by then. A request that time passes is there for the timers.
    """
    since, to = from_seconds(game.world.game["now"]), event.received_at
    if to <= since:
        return None
    moment = to_seconds(to)
    due = sum(timer.attempt.at <= moment for timer in game.world.timers.values())
    is_far = to - since > 2 * DAY and to - since > rhythm(game)
    if not is_far and (isinstance(event, e.ClockAdvanced) or not due):
        return None
    return TimeJump(since, to, due, _following(game, to) if due else ())


def rhythm(game: Game) -> timedelta:
    """Return how far the time of *game* may move at once: its longest period so far, and a day.

    A period counts as at least a day, and as a week while none has closed.
    """
    closes = _closes(game.world)
    if not closes:
        return WEEK + DAY
    opening = next(iter(game.ledger.read(game.name, upto=0))).body.received_at
    times = [to_seconds(opening), *closes]
    longest = max(after - before for before, after in pairwise(times))
    return max(DAY, timedelta(seconds=longest)) + DAY


def _closes(world: World) -> list[int]:
    """Return when the periods of *world* closed, in order."""
    return [past["at"] for _, past in sorted(world.past.items())]


def _following(game: Game, to: datetime) -> tuple[str, ...]:
    """Return what happens in *game* by itself until *to*, in words; nothing if that fails.

    What comes after a draw is left out, because a dry run does not know the dice.
    """
    with game.dry_run() as scratch:
        teller = Teller(scratch.world)
        teller.keep_all()
        try:
            events = scratch.advance(at=to).events
        except NomoledgerError:
            return ()
        teller.world = scratch.world
        teller.rewind(events)
        silent = (*BOOKKEEPING, e.Input)
        return tuple(
            teller.tell(event)
            for event in takewhile(_is_certain, events)
            if not isinstance(event, silent) and teller.mentions(event)
        )


def _is_certain(event: e.Event) -> bool:
    return not isinstance(event, e.DrawRecorded)
