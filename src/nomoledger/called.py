"""What things are called by whoever tells of events: also when they are gone, or just made."""

from collections.abc import Callable, Sequence
from typing import Any

from nomoledger.events import EntityCreated, Event
from nomoledger.projecting import described, made_of
from nomoledger.world import World

Label = Callable[[Any], Any]


def called_now(world: World) -> Label:
    """What everything in *world* is called now, for when it is gone."""
    names = {entity: described(world, entity) for entity in world.entities}
    return lambda value: names.get(value, value) if isinstance(value, str) else value


def called_since(before: Label, world: World, events: Sequence[Event]) -> Label:
    """What things are called in *world*, or were called before, or when *events* made them."""
    made = {
        event.entity: made_of(world, event.kind, event.attributes)
        for event in events
        if isinstance(event, EntityCreated)
    }

    def label(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return ", ".join(str(label(each)) for each in value)
        if isinstance(value, str) and value in made and value not in world.entities:
            return made[value]
        return described(world, value) if value in world.entities else before(value)

    return label
