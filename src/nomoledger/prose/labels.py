"""What things are called by whoever tells of events: also when they are gone, or just made."""

from collections.abc import Callable, Sequence
from typing import Any

from nomoledger.events import EntityCreated, Event
from nomoledger.language.values import Number, from_units
from nomoledger.state.world import World

Label = Callable[[Any], Any]


def labels_now(world: World) -> Label:
    """What everything in *world* is called now, for when it is gone."""
    names = {entity: describe_thing(world, entity) for entity in world.entities}
    return lambda value: names.get(value, value) if isinstance(value, str) else value


def labels_since(before: Label, world: World, events: Sequence[Event]) -> Label:
    """What things are called in *world*, or were called before, or when *events* made them."""
    made = {
        event.entity: describe_new(world, event.kind, event.attributes)
        for event in events
        if isinstance(event, EntityCreated)
    }

    def label(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return ", ".join(str(label(each)) for each in value)
        if isinstance(value, str) and value in made and value not in world.entities:
            return made[value]
        return describe_thing(world, value) if value in world.entities else before(value)

    return label


# --- what things are called --------------------------------------------------------------


def label_all(world: World, value: Any) -> Any:
    """*value* with everything in it called as people call it."""
    if isinstance(value, list | tuple):
        return [label_all(world, each) for each in value]
    return world.label(value)


def describe_thing(world: World, value: Any) -> Any:
    """*value* in a sentence: things that are no player and no square with what kind they are.

    A thing that nobody has a name for is described by what it is made of.
    """
    if isinstance(value, list | tuple):
        return ", ".join(str(describe_thing(world, each)) for each in value)
    kind = world.entities.get(value) if isinstance(value, str) else None
    name = world.label(value)
    if kind in (None, "player", "square"):
        return name
    if name != value:
        return f"{kind} {name}"
    return describe_new(world, kind, world.attributes.get(value, {}))


def describe_new(world: World, kind: str, attributes: dict[str, Any]) -> str:
    """A thing of *kind* described by its *attributes*, but for mere numbers."""
    types = world.declared(kind)
    told = [
        f"{each} {world.label(attributes[each])}"
        for each, type_ in types.items()
        if each in attributes and type_ not in ("Number", "List")
    ]
    return f"{kind} ({', '.join(told)})" if told else kind


def amount_held(world: World, account: str, commodity: str) -> Number:
    """How much of *commodity* there is in *account*, as people write it."""
    places = world.commodities()[commodity].places
    return from_units(world.balance(account, commodity), places)


def format_cell(value: Any) -> str:
    """*value* in a table: nothing where there is none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(format_cell(each) for each in value)
    return str(value)
