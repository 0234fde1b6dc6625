"""The public stream: the public events of a game, renumbered and reordered to hide all others.

A secret request moves the clock, and timers may fire. Their public events are released after the
next public request, when the clock would have moved without the secret request. The stream
therefore does not show that there was one.
"""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime

import msgspec

from nomoledger import events as e
from nomoledger.events.levels import LEVELS
from nomoledger.proof.public_numbering import SEALED
from nomoledger.proof.translation import Terms, cited_events
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

#: Requests that can refer to earlier events. Before level 3, they follow all of them.
_LOOKING_BACK = (
    e.ChoiceAnswered, e.DisputeArgued, e.DisputeOpened, e.DrawEntered, e.InputWithdrawn,
    e.RulingMade,
)  # fmt: skip

#: Events that end a timer, an order or a thing.
_ENDS = frozenset({e.EntityDestroyed, e.OrderFired, e.TimerFired})


class PublicStream:
    """Turns the events of a ledger, one by one, into the public stream.

    The events that all of some *readers* may see count as public for them and are numbered, too.

    Attributes:
        terms: the public numbers so far.
        head: the last public number.
        sealed: whether the last event is not public.
        hidden: the questions that are not public.
        recorded_at: the time of the last public request.
    """

    def __init__(self, readers: Collection[str] = ()) -> None:
        """Begin before the first event; *readers* are players."""
        self._readers = frozenset(readers)
        self.terms = Terms()
        self.head = -1
        self.sealed = False
        self.hidden: set[str] = set()
        self._held: list[tuple[int, e.Event]] = []
        self._is_holding = False
        self._urgent: str | None = None  # The urgent ruling that comes before the held events.
        self.recorded_at: datetime | None = None

    def take(self, number: int, body: e.Event) -> list[e.Event]:
        """Return the events that become public with event *number*, in public terms, in order."""
        if isinstance(body, e.GameOpened):
            self.terms.level = LEVELS[body.level]
        self.sealed = self._is_sealed(body)
        if self.sealed:
            self.terms.seal(number, body)
            if isinstance(body, e.Input):
                is_answer = getattr(body, "question", None) is not None
                self._is_holding = not is_answer
            return []
        if isinstance(body, e.Input):
            self._is_holding = False
            return self._request(number, body)
        if self._urgent is not None and not self._is_of_secret(body):
            return self._of_urgent(number, body)
        is_of_secret = self._is_of_secret(body)
        if self._is_holding and not is_of_secret and not isinstance(body, e.PeriodClosed):
            self._held.append((number, body))
            return []
        return [*self._released(), self._next(number, body, is_of_secret)]

    def _is_of_secret(self, body: e.Event) -> bool:
        """Return whether the cause of *body* is sealed."""
        return body.cause is not None and self.terms.events.of(body.cause) == SEALED

    @property
    def is_caught_up(self) -> bool:
        """Whether no event waits for the next public request."""
        return not self._held and not self._is_holding

    def _is_sealed(self, body: e.Event) -> bool:
        """Return whether *body* is not public; answers to a hidden question are hidden too."""
        question = getattr(body, "question", None)
        readers = self._readers
        is_visible = body.audience is None or bool(readers and readers <= set(body.audience))
        if is_visible and question not in self.hidden:
            return False
        if question is not None:
            self.hidden.add(question)
        return True

    def _request(self, number: int, body: e.Input) -> list[e.Event]:
        looks_back = isinstance(body, _LOOKING_BACK) and self._refers_to_held(body)
        before = self._released() if looks_back or self._urgent is not None else []
        self._urgent = None
        self.recorded_at = body.recorded_at
        request = self._next(number, body)
        is_urgent = isinstance(body, e.RulingMade) and body.urgent
        if is_urgent and self._held and self.terms.level.releases_what_is_cited:
            self._urgent = body.id
            return [*before, request]
        return [*before, request, *self._released()]

    def _of_urgent(self, number: int, body: e.Event) -> list[e.Event]:
        """Process an event of an urgent ruling, which is carried out before all that is due."""
        is_last = getattr(body, "attempt", None) == self._urgent
        if is_last and isinstance(body, e.AttemptDone | e.AttemptRefused):
            self._urgent = None
        return [self._next(number, body), *([] if self._urgent else self._released())]

    def _refers_to_held(self, body: e.Input) -> bool:
        """Return whether *body* refers to an event that waits, so that it must come after it."""
        if not self._held or not self.terms.level.releases_what_is_cited:
            return True
        question = getattr(body, "question", None)
        asked = {getattr(event, "question", None) for _, event in self._held} - {None}
        numbers = {number for number, _ in self._held}
        return question in asked or not numbers.isdisjoint(cited_events(body))

    def _released(self) -> list[e.Event]:
        held, self._held = self._held, []
        return [self._next(number, body) for number, body in held]

    def _next(self, number: int, body: e.Event, is_of_secret: bool = False) -> e.Event:
        self.head += 1
        self.terms.events.place(number, self.head)
        if self.terms.level.withholds_addresses:
            self.terms.addresses.learn(body)
        public = self.terms.of(body)
        if is_of_secret or self.recorded_at in (None, public.recorded_at):
            return public
        return msgspec.structs.replace(public, recorded_at=self.recorded_at)


def public_events(entries: Iterable[e.Entry], reader: str | None = None) -> Iterator[e.Entry]:
    """Yield those of *entries* that are public (or visible to *reader*), with public numbers."""
    stream = PublicStream(() if reader is None else (reader,))
    for entry in entries:
        first = stream.head + 1
        for number, body in enumerate(stream.take(entry.number, entry.body), first):
            yield e.Entry(entry.game, number, body)


def apply_public(world: World, body: e.Event) -> None:
    """Apply *body* to a *world* made of public events only.

    The end of something whose beginning was secret changes nothing.
    """
    if ends_something_secret(world, body):
        world.head += 1
    else:
        apply(world, body)


def ends_something_secret(world: World, body: e.Event) -> bool:
    """Return whether *body* ends something that is not in *world*, as its beginning was secret."""
    if type(body) not in _ENDS:
        return False
    if isinstance(body, e.TimerFired):
        return body.attempt not in world.timers
    if isinstance(body, e.OrderFired):
        return body.order not in world.orders
    return isinstance(body, e.EntityDestroyed) and body.entity not in world.entities
