"""The public events of a game as if nothing else had ever happened: own numbers, own order.

A secret request moves the clock. What falls due by that is told when the clock would have been
moved without it: after the next public request. So the stream does not show that there was one.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from nomoledger import events as e
from nomoledger.proof.public_numbering import SEALED
from nomoledger.proof.translation import Terms
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

#: Requests that speak of what came before, and so come after all of it.
_LOOKING_BACK = (
    e.ChoiceAnswered, e.DisputeArgued, e.DisputeOpened, e.DrawEntered, e.InputWithdrawn,
    e.RulingMade,
)  # fmt: skip


class PublicStream:
    """Takes the events of a ledger one by one, and hands on what everybody may see.

    Where it is for one *reader*, what that player may see is public here, and so numbered.

    Attributes:
        terms: the public numbers so far. head: the last public number.
        sealed: whether the event taken last is not public.
        hidden: questions that are not public. recorded_at: when the last public request was.
    """

    def __init__(self, reader: str | None = None) -> None:
        self._reader = reader
        self.terms = Terms()
        self.head = -1
        self.sealed = False
        self.hidden: set[str] = set()
        self._held: list[tuple[int, e.Event]] = []
        self._holds = False
        self.recorded_at: datetime | None = None

    def take(self, number: int, body: e.Event) -> list[e.Event]:
        """What becomes public with event *number*, in public terms and in order."""
        self.sealed = self._is_sealed(body)
        if self.sealed:
            self.terms.seal(number, body)
            if isinstance(body, e.Input):
                is_answer = getattr(body, "question", None) is not None
                self._holds = not is_answer
            return []
        if isinstance(body, e.Input):
            self._holds = False
            return self._asked(number, body)
        is_of_secret = body.cause is not None and self.terms.events.of(body.cause) == SEALED
        if self._holds and not is_of_secret and not isinstance(body, e.PeriodClosed):
            self._held.append((number, body))
            return []
        return [*self._released(), self._next(number, body, is_of_secret)]

    @property
    def is_level(self) -> bool:
        """Whether nothing is held back for the next public request."""
        return not self._held and not self._holds

    def _is_sealed(self, body: e.Event) -> bool:
        """Not everybody may see it; an answer to such a question is sealed with it."""
        question = getattr(body, "question", None)
        is_told = body.audience is None or self._reader in body.audience
        if is_told and question not in self.hidden:
            return False
        if question is not None:
            self.hidden.add(question)
        return True

    def _asked(self, number: int, body: e.Input) -> list[e.Event]:
        looks_back = isinstance(body, _LOOKING_BACK)
        before = self._released() if looks_back else []
        self.recorded_at = body.recorded_at
        return [*before, self._next(number, body), *self._released()]

    def _released(self) -> list[e.Event]:
        held, self._held = self._held, []
        return [self._next(number, body) for number, body in held]

    def _next(self, number: int, body: e.Event, is_of_secret: bool = False) -> e.Event:
        self.head += 1
        self.terms.events.place(number, self.head)
        told = self.terms.of(body)
        if is_of_secret or self.recorded_at in (None, told.recorded_at):
            return told
        return msgspec.structs.replace(told, recorded_at=self.recorded_at)


def public_events(entries: Iterable[e.Entry], reader: str | None = None) -> Iterator[e.Entry]:
    """What everybody (and *reader*) may see of *entries*, numbered as if it were all there is."""
    stream = PublicStream(reader)
    for entry in entries:
        first = stream.head + 1
        for number, body in enumerate(stream.take(entry.number, entry.body), first):
            yield e.Entry(entry.game, number, body)


def apply_public(world: World, body: e.Event) -> None:
    """Take *body* into a *world* made of public events alone.

    What comes to its end there without ever having begun changes nothing.
    """
    if _speaks_of_the_unknown(world, body):
        world.head += 1
    else:
        apply(world, body)


def _speaks_of_the_unknown(world: World, body: e.Event) -> bool:
    if isinstance(body, e.TimerFired):
        return body.attempt not in world.timers
    if isinstance(body, e.OrderFired):
        return body.order not in world.orders
    return isinstance(body, e.EntityDestroyed) and body.entity not in world.entities
