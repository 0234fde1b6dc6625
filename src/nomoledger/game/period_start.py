"""Where a period starts: the state before it, and its events."""

from collections.abc import Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.oracles import ReplayOracle, recorded_draws
from nomoledger.errors import UnknownError
from nomoledger.game.engines import new_engine
from nomoledger.ledger.event_history import History
from nomoledger.ledger.snapshots import load_nearest
from nomoledger.state.reducer import SETTLE, apply
from nomoledger.state.world import World


class PeriodStart(msgspec.Struct):
    """A period of a game, ready to be run again.

    Attributes:
        period: its number.
        first: the number of its first event.
        world: the state before that event.
        entries: all events from the first one on, also those after the period.
        bodies: the events of the period.
    """

    period: int
    first: int
    world: World
    entries: Sequence[e.Entry]
    bodies: Sequence[e.Event]

    def engine(self, history: History, **options: Any) -> Engine:
        """Return an engine on the state before the period, with the draws as recorded.

        *options* are those of `Engine`.
        """
        oracle = ReplayOracle(recorded_draws(self.entries))
        log = history.entries() if self._reaches_back() else ()
        secret = history.ledger.secret(history.game)
        return new_engine(self.world, oracle, secret, recorded=log, **options)

    def _reaches_back(self) -> bool:
        """Return whether a ruling settled from here on reaches back before the period."""
        bodies = (entry.body for entry in self.entries)
        rulings = (body for body in bodies if isinstance(body, e.RulingMade))
        waits = any(attempt.operation == SETTLE for attempt in self.world.agenda)
        return waits or any(ruling.effective is not None for ruling in rulings)


def period_start(
    history: History, period: int | None = None, *, from_start: bool = False
) -> PeriodStart:
    """Return where *period* (the open one where None) starts.

    The state comes from the snapshot of the close before, if there is one and its digest equals
    the recorded one; otherwise, and *from_start*, all events before are folded.

    Raises:
        UnknownError: that period has not begun.
    """
    period = history.world().period if period is None else period
    world = None if from_start else _snapshot_before(history, period)
    world = _folded_before(history, period) if world is None else world
    entries = history.after(world.head)
    bodies = _bodies_of(entries, period)
    if world.period != period and not any(body.period == period for body in bodies):
        raise UnknownError(f"{history.game}: there is no period {period}")
    return PeriodStart(period, world.head + 1, world, entries, bodies)


def _snapshot_before(history: History, period: int) -> World | None:
    """Return the state of the snapshot before *period*, if its digest equals the recorded one."""
    ledger, game = history.ledger, history.game
    world = load_nearest(ledger, game, period=period - 1)
    if world.head < 0 or world.period != period:
        return None
    (close,) = ledger.read(game, after=world.head - 1, upto=world.head)
    recorded = close.body.digest if isinstance(close.body, e.PeriodClosed) else None
    return world if world.digest_before_close() == recorded else None


def _folded_before(history: History, period: int) -> World:
    """Return the state before *period*, folded from the first event on."""
    world, head = World(), -1
    for entry in history.entries():
        if isinstance(entry.body, e.PeriodClosed) and entry.body.period < period:
            head = entry.number
    for entry in history.entries()[: head + 1]:
        apply(world, entry.body)
    return world


def _bodies_of(entries: Sequence[e.Entry], period: int) -> list[e.Event]:
    """Return the events up to the close of *period*; empty if it has not begun."""
    bodies: list[e.Event] = []
    for entry in entries:
        bodies.append(entry.body)
        if isinstance(entry.body, e.PeriodClosed):
            return bodies if entry.body.period == period else []
    return bodies
