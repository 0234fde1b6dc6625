"""attributes: every change of what is so of a thing: who owns it, where it stands, and the rest."""

from collections.abc import Iterator
from typing import Any

from nomoledger import events as e
from nomoledger.prose.labels import label_all
from nomoledger.state.world import World
from nomoledger.views.sql.table import Column, Facts, Row
from nomoledger_projections.tables.cells import as_json

Change = tuple[str, str | None, Any, Any]


class AttributesTable(Facts):
    """What became of one attribute of one thing; a thing that comes or goes has a row, too."""

    name = "attributes"
    about = "One attribute of one thing that was set, or a thing that came or went."
    own = (
        Column("event", "integer", "the number of the event"),
        Column("place", "integer", "which change of the event, from 0"),
        Column("period", "integer", "the period in which it was changed"),
        Column("at", "time", "when what led to it was received"),
        Column("done", "text", "created, set, or destroyed"),
        Column("kind", "text", "what kind of thing: player, square, …; null: no longer known"),
        Column("id", "text", "the thing, as the ledger calls it"),
        Column("called", "text", "the thing, as people call it by then"),
        Column("attribute", "text", "which attribute; null where the thing itself came or went"),
        Column("value", "json", "what it is from then on; things in it as people call them"),
        Column("was", "json", "what it was before"),
        Column("rules", "text", "the rules behind it, with their versions"),
        Column("cause", "integer", "the number of the event that led to it"),
    )
    key = ("event", "place")
    kinds = (e.AttributeSet, e.Moved, e.EntityCreated, e.EntityDestroyed)

    def take(self, entry: e.Entry, world: World) -> Iterator[Row]:
        """A row a change."""
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
