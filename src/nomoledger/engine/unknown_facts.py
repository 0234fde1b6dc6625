"""Facts that say that from here on something is unknown, or known again.

Every record can state them, whatever its rules are. Between the two, nothing is compared that
depends on what is unknown (see `nomoledger.state.unknowns`).
"""

from typing import Any

from nomoledger import events as e
from nomoledger.engine.facts import RECORD, Fact, find_entity_called, to_recorded_units
from nomoledger.language.host import Host
from nomoledger.state.unknowns import (
    EXISTENCE,
    UNKNOWN,
    Key,
    changed_by,
    unknown_since,
    unknowns,
)
from nomoledger.state.world import Attempt, ReadingWatch, World

#: The kinds of these facts.
UNKNOWN_FROM_HERE, KNOWN_AGAIN = "unknown", "known-again"
KINDS = (UNKNOWN_FROM_HERE, KNOWN_AGAIN)
#: The fields that name what such a fact is about; the first that there is counts.
_SUBJECTS = ("player", "thing", "account", "square")
#: The game's money, whatever it is called.
_MONEY = "money"


def state_unknown_or_known(fact: Fact) -> None:
    """Carry out *fact*, which is of one of the `KINDS`."""
    world, fields = fact.world, fact.body.fields
    field = next((name for name in _SUBJECTS if name in fields), None)
    subject = None if field is None else _subject(fact, fields[field])
    if field is None or subject is None:
        called = "nobody is named" if field is None else f"there is no {fields[field]!r}"
        return fact.mark_unexplained(called)
    names = _names(world, subject, fact.host.program.money)
    if fact.body.kind == UNKNOWN_FROM_HERE:
        return _make_unknown(fact, subject, names)
    stated = _stated(fact, names, field)
    if not stated:
        return fact.mark_unexplained("it does not say what is known again")
    known = [
        name
        for written, value in stated.items()
        if (name := _set(fact, subject, names, written, value))
    ]
    if known and not fact.is_unexplained:
        keys = tuple((subject, name) for name in known)
        fact.host.emit(e.MadeKnown, fact=fact.number, keys=keys, rules=RECORD)
    return None


def _make_unknown(fact: Fact, subject: str, names: dict[str, str]) -> None:
    written = fact.field("attribute")
    if written is not None and written not in names:
        return fact.mark_unexplained(f"nothing is called {written!r} there")
    chosen = names.values() if written is None else [names[written]]
    keys = tuple((subject, name) for name in dict.fromkeys(chosen))
    fact.host.emit(e.MadeUnknown, since=fact.number, keys=keys, rules=RECORD)
    return None


def _subject(fact: Fact, name: Any) -> str | None:
    found = find_entity_called(fact.world, name)
    return str(name) if found is None and name in fact.host.program.accounts else found


def _names(world: World, subject: str, money: str | None) -> dict[str, str]:
    """Return how a record may call the attributes and holdings of *subject*, and their names."""
    kind = world.entities.get(subject)
    declared = {} if kind is None else world.declared(kind)
    keys = {name for name, type_ in declared.items() if type_.endswith(" key")}
    names = [*(name for name in declared if name not in keys), *world.commodities()]
    return {name: name for name in names} | ({_MONEY: money} if money else {})


def _stated(fact: Fact, names: dict[str, str], field: str) -> dict[str, Any]:
    """Return the values that *fact* states, by what it calls the attribute or commodity."""
    fields = fact.body.fields
    if (written := fields.get("attribute")) is not None:
        others = ("value", "amount", written)
        return {written: next((fields[name] for name in others if name in fields), None)}
    stated = {name: fields[name] for name in names if name in fields and name != field}
    if not stated and "amount" in fields and _MONEY in names:
        stated[_MONEY] = fields["amount"]
    return stated


def _set(fact: Fact, subject: str, names: dict[str, str], written: str, value: Any) -> str | None:
    """Let *subject* have the stated *value*; return the name of what it is, None if it is none."""
    host, world = fact.host, fact.world
    name = names.get(written)
    if name is None:
        fact.mark_unexplained(f"nothing is called {written!r} there")
        return None
    if name in world.commodities():
        units = to_recorded_units(value, world.commodities()[name].places)
        if units is None:
            fact.mark_unexplained(f"{value!r:.60} is no amount")
            return None
        if missing := units - world.balance(subject, name):
            pair = (e.Posting("mint", name, -missing), e.Posting(subject, name, missing))
            host.emit(e.Posted, postings=pair, why="as recorded", rules=RECORD)
        return name
    found, is_possible = fact.as_stored(subject, name, value)
    if not is_possible:
        fact.mark_unexplained(f"there is no {name} {value!r}")
        return None
    fact.set_attribute(subject, name, found)
    return name


def note_doubt(host: Host, watch: ReadingWatch, attempt: Attempt) -> None:
    """Note what *attempt* left unknown, if it read something unknown; otherwise what it made known.

    *host* holds the events of the attempt, and *watch* knows what the attempt read.
    """
    world = host.world
    if UNKNOWN not in world.game:
        return
    if (since := unknown_since(world, attempt.id, EXISTENCE)) is not None:
        watch.since, watch.head = since, -1
    if watch.since is not None and watch.head is not None:
        place = len(host.staged) - (world.head - watch.head)
        doubtful = host.staged[place if 0 <= place <= len(host.staged) else 0 :]
        keys = tuple(dict.fromkeys(changed_by(doubtful)))
        host.emit(e.MadeUnknown, since=watch.since, keys=keys, attempt=attempt.id)
        return
    is_set = dict.fromkeys(_set_by(host))
    if known := tuple(key for key in is_set if key in unknowns(world)):
        host.emit(e.MadeKnown, fact=attempt.cause, keys=known)


def _set_by(host: Host) -> list[Key]:
    """Return the attributes that the attempt of *host* set, whatever their values were before."""
    set_ = [event for event in host.staged if isinstance(event, e.AttributeSet | e.Moved)]
    return list(changed_by(set_))
