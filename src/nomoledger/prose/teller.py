"""Events told in words, in their order."""

from collections.abc import Sequence

from nomoledger import events as e
from nomoledger.prose.descriptions import DESCRIBERS, keys_of_change
from nomoledger.prose.names import Names
from nomoledger.state.world import ALWAYS, World


class Teller(Names):
    """Tells the events of a game in their order, and remembers names that later events need.

    Tell the destruction of a thing before it is applied to the world, all other events after; or
    call `rewind` with events that are all applied.
    """

    def rewind(self, events: Sequence[e.Event]) -> None:
        """Learn from *events*, which are to be told next, and how things were before them."""
        self.learn(events)
        self._earlier.clear()
        for event in events:
            if isinstance(event, e.AttributeSet):
                earlier = self._earlier.setdefault(event.entity, {})
                earlier.setdefault(event.attribute, event.was)

    def tell(self, event: e.Event) -> str:
        """Return *event* in words, also if the rules do not mention it."""
        if isinstance(event, e.AttributeSet) and event.entity in self._earlier:
            self._earlier[event.entity][event.attribute] = event.value
        elif isinstance(event, e.EntityDestroyed):
            self.keep(event.entity)
        elif isinstance(event, e.Scheduled):
            self.learn([event])
        return self.without_identifiers(DESCRIBERS[type(event)](event, self))

    def mentions(self, event: e.Event) -> bool:
        """Return whether the rules mention *event*: their text for it is not empty."""
        if isinstance(event, e.AttributeSet):
            thing = self.thing(event.entity)
            subject = f"{event.entity if thing is None else thing.kind}.{event.attribute}"
            return self.template(subject, *keys_of_change(event), ALWAYS) != ""
        if isinstance(event, e.EntityCreated):
            return self.template(event.kind, "created", ALWAYS) != ""
        if isinstance(event, e.EntityDestroyed):
            thing = self.thing(event.entity)
            return thing is None or self.template(thing.kind, "destroyed", ALWAYS) != ""
        return True


def describe_event(event: e.Event, world: World) -> str:
    """Return *event* in words, with the names of things in *world*."""
    return Teller(world).tell(event)
