"""attributes: every change of an attribute: who owns a thing, where it is, and all others."""

from collections.abc import Iterator
from typing import Any

from nomoledger import events as e
from nomoledger.prose.labels import label_all
from nomoledger.state.world import World
from nomoledger.views.sql.table import Column, Facts, Row
from nomoledger_projections.tables.cells import as_json

Change = tuple[str, str | None, Any, Any]


class AttributesTable(Facts):
    """Changes of attributes. The creation and the destruction of a thing have a row too."""

    name = "attributes"
    about = "One change of an attribute, or the creation or destruction of a thing."
    own = (
        Column("event", "integer", "the number of the event"),
        Column("place", "integer", "the position of the change in the event, from 0"),
        Column("period", "integer", "the period of the change"),
        Column("at", "time", "when the input that led to the change was received"),
        Column("done", "text", "created, set, or destroyed"),
        Column("kind", "text", "the kind of thing: player, square, …; null: no longer known"),
        Column("id", "text", "the id of the thing in the ledger"),
        Column("called", "text", "the name of the thing after the event"),
        Column("attribute", "text", "the attribute; null for a creation or destruction"),
        Column("value", "json", "the new value; things in it by name"),
        Column("was", "json", "the old value"),
        Column("rules", "text", "the rules that made the change, with their versions"),
        Column("cause", "integer", "the number of the event that caused the change"),
    )
    key = ("event", "place")
    kinds = (e.AttributeSet, e.Moved, e.EntityCreated, e.EntityDestroyed)

    def take(self, entry: e.Entry, world: World) -> Iterator[Row]:
        """Return a row per change."""
        body: Any = entry.body
        rules = ", ".join(body.rules)
        for place, (done, attribute, value, was) in enumerate(_changes(body)):
            thing = body.piece if isinstance(body, e.Moved) else body.entity
            which = (world.entities.get(thing), thing, str(world.label(thing)))
            values = (_cell(world, value), _cell(world, was))
            when = (entry.number, place, body.period, body.received_at, done)
            yield *when, *which, attribute, *values, rules, body.cause


def _changes(body: Any) -> Iterator[Change]:
    if isinstance(body, e.Moved):
        yield "set", "square", body.to, body.left
    elif isinstance(body, e.AttributeSet):
        yield "set", body.attribute, body.value, body.was
    elif isinstance(body, e.EntityDestroyed):
        yield "destroyed", None, None, None
    else:
        yield "created", None, None, None
        for name, value in body.attributes.items():
            yield "set", name, value, None


def _cell(world: World, value: Any) -> str | None:
    return None if value is None else as_json(label_all(world, value))
