"""Public information: the public events of a game, their world, and the events that set values."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from nomoledger import events as e
from nomoledger.game.read_models import LedgerView, ask_rules, projection
from nomoledger.ledger.as_of import Reading
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.addresses import without_addresses
from nomoledger.proof.public_numbering import SEALED
from nomoledger.proof.public_stream import apply_public, public_events
from nomoledger.prose.teller import Teller
from nomoledger.sandbox.sandbox import Sandbox
from nomoledger.state.world import World
from nomoledger.views.site.site_paths import Ref

Key = tuple[str, ...]
#: Events that set values.
_SETTING = frozenset({e.AttributeSet, e.EntityCreated, e.Moved})


def public_entries(ledger: Ledger, game: str) -> Iterator[tuple[e.Entry, bool]]:
    """Yield the public events of *game*, each with whether it stands apart."""
    return with_apartness(without_addresses(public_events(ledger.read(game))))


def with_apartness(entries: Iterable[e.Entry]) -> Iterator[tuple[e.Entry, bool]]:
    """Yield *entries*, each with whether it stands apart.

    An event stands apart if its cause is secret and that of the previous event is not, or the
    reverse.
    """
    was_of_secret = False
    for entry in entries:
        is_of_secret = entry.body.cause == SEALED
        stands_apart = is_of_secret != was_of_secret and not isinstance(entry.body, e.Input)
        was_of_secret = is_of_secret
        yield entry, stands_apart


class PublicWorld:
    """The world as made by public events.

    Attributes:
        teller: Tells events with the public names of things.
        refs: The public events so far, by number.
        setters: The event that last set each attribute (key `"set", entity, name`), or last
            changed what a player owns (key `"owns", player`).
        moves: The last move of each player and piece, the newest last.
    """

    def __init__(self) -> None:
        self.world = World()
        self.teller = Teller(self.world)
        self.refs: dict[int, Ref] = {}
        self.setters: dict[Key, Ref] = {}
        self.moves: dict[str, tuple[e.Moved, Ref]] = {}

    def refer(self, entry: e.Entry) -> Ref:
        """Add the reference of the next event, before it is applied."""
        ref = self.refs[entry.number] = Ref(entry.number, entry.body.period)
        return ref

    def apply(self, entry: e.Entry) -> None:
        """Apply the next event."""
        if type(entry.body) not in _SETTING:
            apply_public(self.world, entry.body)
            return
        if isinstance(entry.body, e.Moved):
            self.moves.pop(entry.body.piece, None)
            self.moves[entry.body.piece] = entry.body, self.refs[entry.number]
        keys = list(self._keys(entry.body))
        apply_public(self.world, entry.body)
        is_mentioned = bool(keys) and self.teller.mentions(entry.body)
        for key in keys:
            if is_mentioned:
                self.setters[key] = self.refs[entry.number]
            else:  # Nothing explains what the rules do not mention.
                self.setters.pop(key, None)

    def _keys(self, body: e.Event) -> Iterator[Key]:
        if isinstance(body, e.Moved):
            yield "set", body.piece, "square"
        elif isinstance(body, e.AttributeSet):
            yield "set", body.entity, body.attribute
            if body.attribute == "owner":
                yield from (("owns", str(owner)) for owner in (body.was, body.value) if owner)
        elif isinstance(body, e.EntityCreated):
            for name, value in body.attributes.items():
                yield "set", body.entity, name
                if name == "owner":
                    yield "owns", str(value)


class PublicView(LedgerView):
    """The public world as a view for read models. The view does not read the ledger.

    The view is of the moment after the first *end* events of *public*.
    """

    def __init__(
        self,
        ledger: Ledger,
        game: str,
        world: World,
        public: Sequence[tuple[e.Entry, bool]],
        end: int,
        sandbox: Sandbox,
    ) -> None:
        self.sandbox = sandbox
        self.ledger = ledger
        self.game = game
        self.reader = None
        self.world = world
        self.period = world.period
        self.reading = Reading(world.period, False, world, world)
        self.known = None
        self._public = public
        self._end = end

    def values(self, operation: str, calls: Sequence[tuple[Any, ...]]) -> list[Any] | None:
        """Return the values of *operation* by the rules, for each of the *calls*."""
        return ask_rules(self.world, operation, calls, self.sandbox)

    def entries(self) -> Iterator[e.Entry]:
        """Return the public events up to the moment of the view."""
        return (entry for entry, _ in islice(self._public, self._end))

    def standing(self) -> Iterator[Reading]:
        """Yield the public state at the close of each period, and last that of the view."""
        public = PublicWorld()
        for entry in self.entries():
            public.refer(entry)
            public.apply(entry)
            if isinstance(entry.body, e.PeriodClosed):
                yield Reading(entry.body.period, True, public.world, self.world)
        yield Reading(public.world.period, False, public.world, self.world)


def model_of(name: str, view: PublicView) -> Any:
    """Return the read model *name* of *view*."""
    return projection(name)(view)
