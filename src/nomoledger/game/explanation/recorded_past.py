"""A game read up to a moment: its events, the state then, and the names of its entities."""

from collections.abc import Iterator

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.explanation.rendering import TrailTeller
from nomoledger.language.resolve import WHOLE
from nomoledger.ledger.ledger import Ledger
from nomoledger.state.reducer import apply
from nomoledger.state.world import World


class RecordedPast:
    """A game at the close of a period, or now.

    Attributes:
        entries: all events of the game, also those after that moment.
        bodies: the events up to that moment.
        world: the state at that moment.
        names: the names of entities, also of those that were destroyed.

    Raises:
        UnknownError: that period has not begun.
    """

    def __init__(self, ledger: Ledger, game: str, period: int | None = None) -> None:
        """Read *game* up to the close of *period* (to its end if None)."""
        self.ledger = ledger
        self.game = game
        self.entries = list(ledger.read(game))
        self.world = World()
        self._gone: dict[str, str] = {}
        self.names = TrailTeller(self.world)
        self.bodies = list(self._until(period))

    def _until(self, period: int | None) -> Iterator[e.Event]:
        world = self.world
        for entry in self.entries:
            body = entry.body
            if isinstance(body, e.EntityDestroyed):
                self.names.keep(body.entity)
                for name in (str(world.label(body.entity)), self.names.phrase(body.entity)):
                    self._gone[name] = body.entity
            elif isinstance(body, e.Scheduled):
                self.names.learn([body])
            apply(world, body)
            yield body
            if isinstance(body, e.PeriodClosed) and body.period == period:
                return
        if period is not None and period != world.period:
            where = f"{self.game}: there is no period {period}"
            raise UnknownError(f"{where}; it is in period {world.period}")

    @property
    def period(self) -> int:
        """The last period that was open up to that moment."""
        closed = bool(self.bodies) and isinstance(self.bodies[-1], e.PeriodClosed)
        return self.bodies[-1].period if closed else self.world.period

    def before(self, number: int) -> World:
        """Return the state before event *number*."""
        world = World()
        for body in self.bodies[:number]:
            apply(world, body)
        return world

    def causes(self, number: int) -> Iterator[int]:
        """Yield the events that led to *number*, from the nearest back to an input."""
        cause = self.bodies[number].cause
        while cause is not None:
            yield cause
            cause = self.bodies[cause].cause

    def find(self, subject: str) -> str:
        """Return the id of an entity or account that people call *subject*.

        *subject* may begin with the kind of the entity ("square 4").

        Raises:
            UnknownError: there is no such thing, and never was.
        """
        kind, _, called = subject.partition(" ")
        if called and kind in self.world.kinds:
            entity = self._of_kind(kind, called)
        else:
            matches = (self._of_kind(kind, subject) for kind in self.world.kinds)
            entity = next(filter(None, matches), None)
        known = self.world.balances.keys() | self.world.attributes.keys()
        entity = entity or (subject if subject in known else self._gone.get(subject))
        if entity is None:
            raise UnknownError(f"{self.game}: there is no {subject!r}")
        return entity

    def _of_kind(self, kind: str, called: str) -> str | None:
        number = int(called) if WHOLE.fullmatch(called) else called
        return self.world.find(kind, number) or self.world.find(kind, called)
