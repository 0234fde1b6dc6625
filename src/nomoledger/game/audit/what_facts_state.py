"""What the facts of a hand-kept record state, and what the rules did that facts can state."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from nomoledger import events as e
from nomoledger.engine.facts import RECORD, field_of, find_called, find_entity_called
from nomoledger.engine.written_names import find_written
from nomoledger.events.rules import FactMapping
from nomoledger.language.values import from_units
from nomoledger.state.world import World

#: The number of the line that a fact comes from, in the id of the fact.
_LINE = re.compile(r"(?:^|-)line-(\d+)(?:-\d+)?$")


class Consequence(NamedTuple):
    """Something that the rules did, and that a fact can state.

    Attributes:
        event: number of the event by which they did it.
        kind: the kind of fact that states it.
        key: what it is about: the same for the fact and for the consequence.
        subject: what people call the entity or account that it is about.
        by_rules: its value, as a fact would state it.
        rule: the rule behind it.
        is_attribute: whether it is the new value of an attribute.
    """

    event: int
    kind: str
    key: tuple[Any, ...]
    subject: str
    by_rules: Any
    rule: str
    is_attribute: bool = False


def mappings_in(world: World) -> dict[str, FactMapping]:
    """Return how the rules in force of *world* speak of facts, by kind."""
    kinds: dict[str, FactMapping] = {}
    for rule in world.rules:
        for kind, speech in rule.facts.items():
            kinds.setdefault(kind, speech)
    return kinds


def line_of(fact: e.Input) -> int | None:
    """Return the line of the record that *fact* comes from; None if the import added the fact."""
    found = _LINE.search(fact.id)
    return int(found[1]) if found else None


def things_in(world: World, value: Any) -> Iterator[str]:
    """Yield the entities of *world* that *value* names, such as an event."""
    if isinstance(value, str):
        if value in world.entities:
            yield value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from things_in(world, getattr(value, name))
    elif isinstance(value, dict):
        for item in value.values():
            yield from things_in(world, item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from things_in(world, item)


def key_of_fact(
    world: World, fact: e.FactRecorded, speech: FactMapping, kinds: Sequence[str] = ()
) -> tuple[Any, ...] | None:
    """Return what *fact* is about; None if it states nothing that the rules could have done.

    *kinds* are those of the things in the fields that are given, as far as they are known.
    """
    if speech.attribute is not None:
        subject = find_subject(world, field_of(fact, speech.subject))
        return None if subject is None else (subject,)
    if speech.payer is not None:
        return None  # `Fact.note_unstated_payments` finds what such facts leave out
    if speech.paid is not None:
        return (reason_of(fact, speech),)
    if speech.asks is not None and speech.attempt is None:
        named = [field_of(fact, name) for name in speech.given]
        of_kind = [find_called(world, *each) for each in zip(kinds, named, strict=False)]
        of_kind += [None] * (len(named) - len(of_kind))
        found = zip(of_kind, named, strict=True)
        return tuple(thing or find_subject(world, name) or name for thing, name in found)
    return None


def reason_of(fact: e.FactRecorded, speech: FactMapping) -> str:
    """Return the reason of the payments that *fact* states."""
    return re.sub(r"\{(.*?)\}", lambda found: str(fact.fields.get(found[1], "")), str(speech.paid))


def find_subject(world: World, name: Any) -> str | None:
    """Return the entity that a record calls *name*, or None."""
    return find_entity_called(world, name) or find_written(world, name)


# --- payments -----------------------------------------------------------------------------------


@cache
def _reasons(pattern: str) -> re.Pattern[str]:
    """Return a pattern of the reasons that facts with this *pattern* can state."""
    parts = re.split(r"\{.*?\}", pattern)
    return re.compile("(.*)".join(map(re.escape, parts)), re.DOTALL)


def is_any_reason(speech: FactMapping) -> bool:
    """Return whether facts state payments for whatever reason."""
    return re.fullmatch(r"\{[^{}]*\}", str(speech.paid)) is not None


def payments_stated_by(
    world: World, number: int, event: e.Posted, kind: str, speech: FactMapping
) -> Iterator[Consequence]:
    """Yield what facts of *kind* can state of *event*, which is event *number*."""
    commodities = world.commodities()
    commodity = speech.commodity or next(iter(commodities), None)
    if event.rules == RECORD or not _reasons(str(speech.paid)).fullmatch(event.why):
        return
    postings = [each for each in event.postings if each.commodity == commodity]
    players = [each for each in postings if world.entities.get(each.account) == "player"]
    if len(players) not in (1, 2) or commodity not in commodities:
        return
    payer = min(players, key=lambda posting: posting.amount)
    units = payer.amount if len(players) == 1 else -payer.amount
    yield Consequence(
        number,
        kind,
        (event.why,),
        str(world.label(payer.account)),
        from_units(units, commodities[commodity].places),
        (*event.rules, "engine")[0],
    )


# --- attributes ---------------------------------------------------------------------------------


class _Change(NamedTuple):
    """An entity's attribute is set by event *number*, by *rules*; a move may end where it began."""

    number: int
    rules: tuple[str, ...]
    is_move: bool = False


def changed_attributes(
    events: Sequence[tuple[int, e.Event]],
) -> dict[tuple[str, str], _Change]:
    """Return the attributes that rules set in *events*, and where they did so last."""
    changes: dict[tuple[str, str], _Change] = {}
    for number, event in events:
        match event:
            case e.Moved():
                changes[event.piece, "square"] = _Change(number, event.rules, is_move=True)
            case e.AttributeSet():
                changes[event.entity, event.attribute] = _Change(number, event.rules)
    return {key: change for key, change in changes.items() if change.rules != RECORD}
