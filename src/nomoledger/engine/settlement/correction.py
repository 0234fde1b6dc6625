"""Correction of the present: emits the differences that a ruling makes."""

from collections.abc import Iterator
from typing import Any

from nomoledger import events as e
from nomoledger.engine.settlement.audiences import ADMIN_ONLY
from nomoledger.engine.settlement.compensation import compensate, past_units
from nomoledger.engine.settlement.differences import Path, changed_paths, is_same_value
from nomoledger.engine.settlement.settlement import Settlement
from nomoledger.engine.settlement.unfinished import settle_questions, settle_timers, settled_agenda
from nomoledger.state.world import World

#: Tables that only the engine keeps, corrected by path.
_TABLES = ("counts", "edges", "kinds", "past")
#: Single values of the game that are corrected.
_GAME_VALUES = (
    "ended", "ended_by", "winners", "versions", "renumbered", "frozen", "final_after", "void",
    "refused", "voided", "suspended",
)  # fmt: skip


def correct_present(settlement: Settlement) -> None:
    """Emit the differences between the two sides, as far as the ruling settles them.

    The closed periods, as they are now known, are corrected in every case.
    """
    extent = settlement.ruling.settle
    if extent != "none":
        compensate(settlement)
    if extent in ("money", "none"):
        _emit_settled(settlement, _changed_tables(settlement, ("past",)))
        return
    _settle_end_of_game(settlement)
    _settle_things(settlement)
    _settle_rules(settlement)
    settle_timers(settlement)
    changes = _changed_tables(settlement, _TABLES)
    for name in _GAME_VALUES:
        old, new = (side.game.get(name) for side in (settlement.base, settlement.target))
        changes += changed_paths(old, new, "game", name)
    changes += [*_changed_precedents(settlement), *settle_questions(settlement)]
    _emit_settled(settlement, changes)


# --- the event `Settled` ------------------------------------------------------------------------


def _changed_tables(settlement: Settlement, names: tuple[str, ...]) -> list[Path]:
    base, target = settlement.base, settlement.target
    changes = [
        (path, value)
        for name in names
        for path, value in changed_paths(getattr(base, name), getattr(target, name), name)
        if path[0] != "past" or path[2:3] != ("balances",)  # corrected by postings
    ]
    if settlement.is_whole:
        return changes
    return [(path, _merged_value(settlement, path, value)) for path, value in changes]


def _changed_precedents(settlement: Settlement) -> Iterator[Path]:
    old, new = settlement.base.precedents, settlement.target.precedents
    for text in dict.fromkeys((*old, *new)):
        if old.get(text) != new.get(text):
            yield ("precedents", text), dict(new[text]) if text in new else None


def _merged_value(settlement: Settlement, path: tuple[Any, ...], value: Any) -> Any:
    """Return the new value at *path* in a present that differs from *base*.

    The list of a kind keeps what only the present has; any other value becomes *value*.
    """
    is_past = path[0] == "past"
    table = path[2] if is_past and len(path) > 2 else path[0]
    worlds = (settlement.world, settlement.base, settlement.target)
    now, old, new = (_value_at(world, path) for world in worlds)
    if table == "kinds" and now != old and len(path) == 2 + 2 * is_past:
        old, new = old or (), new or ()
        remaining = [entity for entity in now or () if entity in new or entity not in old]
        added = [entity for entity in new if entity not in old and entity not in remaining]
        return [*remaining, *added]
    return value


def _value_at(world: World, path: tuple[Any, ...]) -> Any:
    value: Any = getattr(world, path[0])
    for key in path[1:]:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _emit_settled(settlement: Settlement, changes: list[Path]) -> None:
    """Emit one event with the public changes and, if needed, one for the admin with the secrets."""
    world, base, target = settlement.world, settlement.base, settlement.target
    hidden = [
        change
        for change in changes
        if any(audiences.was_ever_secret(*change) for audiences in settlement.audiences)
    ]
    public = [change for change in changes if change not in hidden]
    rulesets = {
        period: past["rules"]
        for period, past in target.past.items()
        if period in base.past and base.past[period]["rules"] != past["rules"]
    }
    settles_rules = settlement.is_whole and settlement.ruling.settle in ("all", "fitting")
    if settles_rules and world.rules != target.rules:
        rulesets[world.period] = target.rules  # the same rules, in another order
    agenda = settled_agenda(settlement)
    public_agenda = agenda and tuple(item for item in agenda if _is_public(world, item))
    has_secret_attempt = any(attempt.audience is not None for attempt in world.agenda)
    is_agenda_secret = agenda is not None and (has_secret_attempt or public_agenda != agenda)
    secret_units, public_units = past_units(settlement)
    number = settlement.ruling.number
    if hidden or secret_units or is_agenda_secret:
        secrets: dict[str, Any] = {"tables": tuple(hidden), "past": secret_units}
        settlement.emit(e.Settled, ADMIN_ONLY, ruling=number, waiting=agenda, **secrets)
    fields: dict[str, Any] = {"ruling": number, "rulesets": rulesets, "waiting": public_agenda}
    settlement.emit(e.Settled, tables=tuple(public), past=public_units, **fields)


def _is_public(world: World, item: str | e.Waiting) -> bool:
    if isinstance(item, e.Waiting):
        return item.audience is None
    return all(attempt.audience is None for attempt in world.agenda if attempt.id == item)


# --- things -------------------------------------------------------------------------------------


def _settle_end_of_game(settlement: Settlement) -> None:
    old, new = (
        (side.game["ended"], side.game.get("winners"))
        for side in (settlement.base, settlement.target)
    )
    if new != old and new[0] is not None:
        settlement.emit(e.GameEnded, why=new[0], winners=new[1] or ())


def _settle_things(settlement: Settlement) -> None:
    """Destroy, create and change things until they are as in the target."""
    world, base, target = settlement.world, settlement.base, settlement.target
    old, new = base.entities, target.entities
    for thing in [thing for thing in old if new.get(thing) != old[thing]]:
        if thing in world.entities:
            audience = settlement.audience_of("is", thing)
            settlement.emit(e.EntityDestroyed, audience, entity=thing)
    created = [thing for thing in new if thing not in world.entities]
    if not settlement.is_whole:  # a thing that the base has as well was not created by the ruling
        created = [thing for thing in created if old.get(thing) != new[thing]]
    for thing in created:
        _create(settlement, thing, new[thing])
    for thing in dict.fromkeys((*target.attributes, *base.attributes)):
        if thing in world.entities or thing == "game":
            _settle_attributes(settlement, world if thing in created else base, thing)


def _create(settlement: Settlement, thing: str, kind: str) -> None:
    """Emit the creation of *thing* with the attributes that the same audience may see."""
    audience = settlement.audience_of("is", thing)
    attributes = {
        name: value
        for name, value in settlement.target.attributes.get(thing, {}).items()
        if settlement.audience_of("set", thing, name) == audience
    }
    settlement.emit(e.EntityCreated, audience, entity=thing, kind=kind, attributes=attributes)


def _settle_attributes(settlement: Settlement, base: World, thing: str) -> None:
    target = settlement.target
    old, new = dict(base.attributes.get(thing, {})), target.attributes.get(thing, {})
    old_ends, new_ends = dict(base.durations.get(thing, {})), target.durations.get(thing, {})
    for name in dict.fromkeys((*old, *new, *old_ends, *new_ends)):
        is_same_end = _end_of(old_ends, name) == _end_of(new_ends, name)
        if not (is_same_end and is_same_value(old.get(name), new.get(name))):
            _set(settlement, thing, name, old.get(name), new.get(name), old_ends)


def _set(
    settlement: Settlement, thing: str, name: str, old: Any, new: Any, old_ends: dict[str, Any]
) -> None:
    audience = settlement.audience_of("set", thing, name)
    new_ends = settlement.target.durations.get(thing, {})
    was_moved = any(thing in audiences.moved for audiences in settlement.audiences)
    is_move = name == "square" and was_moved
    if is_move and new is not None and name not in new_ends and name not in old_ends:
        settlement.emit(e.Moved, audience, piece=thing, mode="place", left=old, to=new)
        return
    fields: dict[str, Any] = {"entity": thing, "attribute": name}
    until, previous = _end_of(new_ends, name)
    if name in old_ends and name in new_ends:  # else the status would keep its old previous value
        settlement.emit(e.AttributeSet, audience, value=old, was=old, **fields)
    was = previous if name in new_ends else old
    settlement.emit(e.AttributeSet, audience, value=new, was=was, until=until, **fields)


def _end_of(ends: dict[str, Any], name: str) -> tuple[Any, Any]:
    """Return when the attribute *name* ends, and the previous value that it returns to."""
    return ends[name][:2] if name in ends else (None, None)


# --- rules --------------------------------------------------------------------------------------


def _settle_rules(settlement: Settlement) -> None:
    world = settlement.world
    old = {rule.number: rule for rule in settlement.base.rules}
    new = {rule.number: rule for rule in settlement.target.rules}
    for number in old:
        if number not in new and world.rule(number) is not None:
            settlement.emit(e.RuleRepealed, number=number, source=settlement.why)
    for number, rule in new.items():
        if old.get(number) != rule:
            event = e.RuleEnacted if world.rule(number) is None else e.RuleAmended
            settlement.emit(event, rule=rule, source=settlement.why)
