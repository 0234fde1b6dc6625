"""What everybody may know: the public events of a game, the world they make, and who set what."""

from collections.abc import Iterator, Sequence
from typing import Any

from nomoledger import events as e
from nomoledger.game.read_models import LedgerView
from nomoledger.ledger.as_of import Reading
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.public_numbering import SEALED
from nomoledger.proof.public_stream import apply_public, public_events
from nomoledger.state.world import World
from nomoledger.views.site.names import Ref

Key = tuple[str, ...]


def public_entries(ledger: Ledger, game: str) -> Iterator[tuple[e.Entry, bool]]:
    """The events of *game* that everybody may see, and whether each stands apart.

    It does where it follows, for all to see, from something that is not public, and the one before
    it does not; or the other way round.
    """
    was_of_secret = False
    for entry in public_events(ledger.read(game)):
        is_of_secret = entry.body.cause == SEALED
        stands_apart = is_of_secret != was_of_secret and not isinstance(entry.body, e.Input)
        was_of_secret = is_of_secret
        yield entry, stands_apart


class PublicWorld:
    """The world as far as everybody knows it.

    Attributes:
        refs: the public events so far, by number.
        setters: the event that last set each attribute (`"set", entity, name`), and what each
            player owns (`"owns", player`).
    """

    def __init__(self) -> None:
        self.world = World()
        self.refs: dict[int, Ref] = {}
        self.setters: dict[Key, Ref] = {}

    def refer(self, entry: e.Entry) -> Ref:
        """Make the next event known by its number, before it is taken in."""
        ref = self.refs[entry.number] = Ref(entry.number, entry.body.period)
        return ref

    def take(self, entry: e.Entry) -> None:
        """Take in the next event."""
        for key in self._keys(entry.body):
            self.setters[key] = self.refs[entry.number]
        apply_public(self.world, entry.body)

    def _keys(self, body: e.Event) -> Iterator[Key]:
        if isinstance(body, e.Moved):
            yield "set", body.piece, "square"
        elif isinstance(body, e.AttributeSet):
            yield "set", body.entity, body.attribute
            if body.attribute == "owner":
                yield from (("owns", str(each)) for each in (body.was, body.value) if each)
        elif isinstance(body, e.EntityCreated):
            for name, value in body.attributes.items():
                yield "set", body.entity, name
                if name == "owner":
                    yield "owns", str(value)


class PublicView(LedgerView):
    """The public world as read models are given it: nothing of it is read from the ledger."""

    def __init__(self, ledger: Ledger, game: str, world: World, entries: Sequence[e.Entry]) -> None:
        self.ledger = ledger
        self.game = game
        self.reader = None
        self.world = world
        self.period = world.period
        self.reading = Reading(world.period, False, world, world)
        self.known = None
        self._entries = entries

    def entries(self) -> Iterator[e.Entry]:
        """The public events up to that moment."""
        return iter(self._entries)

    def standing(self) -> Iterator[Reading]:
        """How it stood, for everybody, at the close of each period, and at last at that moment."""
        public = PublicWorld()
        for entry in self._entries:
            public.refer(entry)
            public.take(entry)
            if isinstance(entry.body, e.PeriodClosed):
                yield Reading(entry.body.period, True, public.world, self.world)
        yield Reading(public.world.period, False, public.world, self.world)


def model_of(name: str, view: PublicView) -> Any:
    """The read model called *name*; whose own fields only its maker knows."""
    from nomoledger.game.read_models import projection

    return projection(name)(view)
