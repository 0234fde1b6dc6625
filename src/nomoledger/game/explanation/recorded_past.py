"""A game read once, up to a moment: its events, how things stood then, and what went by a name."""

from collections.abc import Iterator

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.explanation.rendering import Names
from nomoledger.ledger.ledger import Ledger
from nomoledger.state.reducer import apply
from nomoledger.state.world import World


class RecordedPast:
    """*game* as it stood at the close of *period*, or stands.

    Attributes:
        entries: all events of the game, also those after that moment.
        bodies: the events up to that moment. world: how things stood then.

    Raises:
        UnknownError: that period has not begun.
    """

    def __init__(self, ledger: Ledger, game: str, period: int | None = None) -> None:
        self.ledger = ledger
        self.game = game
        self.entries = list(ledger.read(game))
        self.world = World()
        self._gone: dict[str, str] = {}
        self.bodies = list(self._until(period))
        self.names = Names(self.world)
        for name, entity in self._gone.items():
            self.names.keep(entity, name)

    def _until(self, period: int | None) -> Iterator[e.Event]:
        world = self.world
        for entry in self.entries:
            body = entry.body
            if isinstance(body, e.EntityDestroyed):
                self._gone[str(world.label(body.entity))] = body.entity
            apply(world, body)
            yield body
            if isinstance(body, e.PeriodClosed) and body.period == period:
                return
        if period is not None and period != world.period:
            where = f"{self.game}: there is no period {period}"
            raise UnknownError(f"{where}; it is in period {world.period}")

    @property
    def period(self) -> int:
        """The period that was open last, up to that moment."""
        closed = bool(self.bodies) and isinstance(self.bodies[-1], e.PeriodClosed)
        return self.bodies[-1].period if closed else self.world.period

    def before(self, number: int) -> World:
        """The world as it stood before event *number*."""
        world = World()
        for body in self.bodies[:number]:
            apply(world, body)
        return world

    def causes(self, number: int) -> Iterator[int]:
        """The events that led to *number*, nearest first, back to an input."""
        cause = self.bodies[number].cause
        while cause is not None:
            yield cause
            cause = self.bodies[cause].cause

    def find(self, subject: str) -> str:
        """What people call *subject*: a thing, with or without its kind, or an account.

        Raises:
            UnknownError: there is no such thing, and never was.
        """
        kind, _, called = subject.partition(" ")
        if called and kind in self.world.kinds:
            found = self._of_kind(kind, called)
        else:
            found = next(
                (f for each in self.world.kinds if (f := self._of_kind(each, subject))), None
            )
        known = self.world.balances.keys() | self.world.attributes.keys()
        found = found or (subject if subject in known else self._gone.get(subject))
        if found is None:
            raise UnknownError(f"{self.game}: there is no {subject!r}")
        return found

    def _of_kind(self, kind: str, called: str) -> str | None:
        number = int(called) if called.isdecimal() and called.isascii() else called
        return self.world.find(kind, number) or self.world.find(kind, called)
