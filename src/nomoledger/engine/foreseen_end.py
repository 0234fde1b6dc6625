"""Where an attempt of a hand-kept record ends, which a later line of the record says.

If the rules alone lead elsewhere, the attempt begins from where it ends as recorded. What follows
from its end, such as a rent, then follows from the recorded one, in the same attempt.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from nomoledger import events as e
from nomoledger.engine.facts import (
    field_of,
    find_called,
    find_entity_called,
    kinds_of_value,
)
from nomoledger.events.display import without_display_text
from nomoledger.events.levels import LEVELS
from nomoledger.events.rules import FactMapping
from nomoledger.state.world import World

#: From how many things an attempt may begin instead.
_BEGINNINGS_MAX = 500


class End(NamedTuple):
    """The end of an attempt: *entity* has *value* as its *attribute*, as *fact* says."""

    fact: e.FactRecorded
    entity: str
    attribute: str
    kind: str
    value: str


def foreseen_end(
    world: World, body: e.FactRecorded, mapping: Callable[[World, str], FactMapping | None]
) -> End | None:
    """Return the end that the fact ahead of *body* states; None if there is none.

    *mapping* returns how the rules in force of a world speak of facts of a kind.
    """
    ahead = body.ahead
    if ahead is None or not LEVELS[world.level].audits_closely:
        return None
    speech = mapping(world, ahead.kind)
    fact = replace(body, id=ahead.id, kind=ahead.kind, fields=ahead.fields, ahead=None)
    return None if speech is None else end_stated_by(world, fact, speech)


def end_stated_by(world: World, fact: e.FactRecorded, speech: FactMapping) -> End | None:
    """Return the end that *fact* states; None if it states nothing that can be an end."""
    if speech.attribute is None:
        return None
    name, written = field_of(fact, speech.subject), field_of(fact, speech.value)
    entity = find_entity_called(world, name)
    if entity is None:
        return None
    for kind in kinds_of_value(world, entity, speech.attribute):
        if value := find_called(world, kind, written):
            return End(fact, entity, speech.attribute, kind, value)
    return None


def beginnings(world: World, end: End, *, is_known: bool = True) -> Iterator[str]:
    """Yield the values that the attribute may have before the attempt, those before *end* first.

    A beginning after *end* leads past the last thing to the first. It is only tried if the way from
    the recorded beginning does so, too, or if nobody knows the beginning (not *is_known*).
    """
    things = world.kinds[end.kind]
    place, now = things.index(end.value), world.get(end.entity, end.attribute)
    is_after = now in things and things.index(now) > place
    for number in range(min(len(things), _BEGINNINGS_MAX)):
        beginning = things[place - number - 1]
        is_like = not is_known or now is None or is_after == (number >= place)
        if beginning != now and is_like:
            yield beginning


def sets(event: e.Event, end: End) -> bool:
    """Return whether *event* sets the attribute that *end* is about."""
    match event:
        case e.Moved():
            return (event.piece, "square") == (end.entity, end.attribute)
        case e.AttributeSet():
            return (event.entity, event.attribute) == (end.entity, end.attribute)
    return False


def is_done(events: Sequence[e.Event]) -> bool:
    """Return whether the attempt among *events* was carried out, and asks nobody anything."""
    failures = (e.AttemptRefused, e.FactUnexplained, e.QuestionRaised)
    return not any(isinstance(event, failures) for event in events)


def effects(events: Sequence[e.Event], end: End) -> list[Any]:
    """Return what *events* do besides setting the attribute that *end* is about."""
    done = (e.AttemptDone, e.AttemptRefused)  # which say how much they used
    return [
        event.attempt
        if isinstance(event, done)
        else without_display_text(replace(event, cause=None))
        for event in events
        if not sets(event, end)
    ]
