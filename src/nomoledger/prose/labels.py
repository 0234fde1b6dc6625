"""Names of things for descriptions of events, including things that are gone or just created."""

from collections.abc import Callable, Sequence
from typing import Any

from nomoledger.events import EntityCreated, Event
from nomoledger.language.values import Number, from_units
from nomoledger.state.world import World

Label = Callable[[Any], Any]


def labels_now(world: World) -> Label:
    """Return the current names of all things in *world*, for use after they are gone."""
    names = {entity: describe_thing(world, entity) for entity in world.entities}
    return lambda value: names.get(value, value) if isinstance(value, str) else value


def labels_since(before: Label, world: World, events: Sequence[Event]) -> Label:
    """Return the names of things after *events*.

    A thing that *events* created and destroyed is described as it was created. Other things that
    are gone keep their name from *before*.
    """
    created = {
        event.entity: describe_new(world, event.kind, event.attributes)
        for event in events
        if isinstance(event, EntityCreated)
    }

    def label(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return ", ".join(str(label(item)) for item in value)
        if isinstance(value, str) and value in created and value not in world.entities:
            return created[value]
        return describe_thing(world, value) if value in world.entities else before(value)

    return label


# --- names ----------------------------------------------------------------------------------


def label_all(world: World, value: Any) -> Any:
    """Return *value* with every id in it replaced by its label."""
    if isinstance(value, list | tuple):
        return [label_all(world, item) for item in value]
    return world.label(value)


def describe_thing(world: World, value: Any) -> Any:
    """Return *value* as it reads in a sentence.

    Players and squares appear by name, other things by kind and name. A thing without a name is
    described by its attributes.
    """
    if isinstance(value, list | tuple):
        return ", ".join(str(describe_thing(world, item)) for item in value)
    kind = world.entities.get(value) if isinstance(value, str) else None
    name = world.label(value)
    if kind in (None, "player", "square"):
        return name
    if name != value:
        return f"{kind} {name}"
    return describe_new(world, kind, world.attributes.get(value, {}))


def describe_new(world: World, kind: str, attributes: dict[str, Any]) -> str:
    """Describe a thing of *kind* by its *attributes*, without numbers and lists."""
    types = world.declared(kind)
    parts = [
        f"{name} {world.label(attributes[name])}"
        for name, type_ in types.items()
        if name in attributes and type_ not in ("Number", "List")
    ]
    return f"{kind} ({', '.join(parts)})" if parts else kind


def amount_held(world: World, account: str, commodity: str) -> Number:
    """Return the balance of *account* in *commodity*, in whole units with decimals."""
    places = world.commodities()[commodity].places
    return from_units(world.balance(account, commodity), places)


def format_cell(value: Any) -> str:
    """Format *value* for a table cell; None becomes an empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(format_cell(item) for item in value)
    return str(value)
