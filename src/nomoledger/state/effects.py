"""Effects of consequences on the state: rules, quantities and entities."""

from collections.abc import Callable
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events.rules import Rule
from nomoledger.state.draws import note_created
from nomoledger.state.stated_payments import note_posted
from nomoledger.state.unknowns import IN_DOUBT, make_known, make_unknown
from nomoledger.state.world import World

#: The fields of a rule that declare what outlives it.
_DECLARING = ("code", "mechanics", "declares", "commodities", "accounts", "moments")

# --- rules ------------------------------------------------------------------------------------


def _enacted(world: World, event: e.RuleEnacted) -> None:
    world.put(world.game, "rules", (*world.rules, event.rule))
    world.put(world.inner(world.game, "versions"), event.rule.number, event.rule.version)
    if event.rule.commodities and "money" not in world.game and not world.forgets_rules:
        world.put(world.game, "money", next(iter(event.rule.commodities)))


def remember(world: World, rule: Rule | None) -> None:
    """Keep what *rule* declares, unless an equal version is kept already."""
    if rule is not None and not world.forgets_rules:
        kept = msgspec.structs.replace(rule, prose="", title="", facts={})
        if kept not in world.former:
            world.put(world.game, "former", (*world.former, kept))


def _amended(world: World, event: e.RuleAmended) -> None:
    before = world.rule(event.rule.number)
    if any(getattr(before, name, None) != getattr(event.rule, name) for name in _DECLARING):
        remember(world, before)
    _replace(world, event.rule.number, event.rule)
    world.put(world.inner(world.game, "versions"), event.rule.number, event.rule.version)


def _repealed(world: World, event: e.RuleRepealed) -> None:
    rule = world.rule(event.number)
    _replace(world, event.number, None)
    remember(world, rule)
    declares = {} if rule is None else rule.declares
    for kind, attributes in declares.items():
        for attribute in attributes:
            if event.state == "drop" and not _stays(world, kind, attribute):
                for entity in world.kinds.get(kind, ()):
                    _set(world, entity, attribute, None, event.rules)
            elif event.state == "freeze":
                frozen = world.inner(world.game, "frozen")
                world.put(frozen, f"{kind}.{attribute}", event.number)


def _stays(world: World, kind: str, attribute: str) -> bool:
    """Return whether things keep the attribute of a rule that is gone: a key, or another's, too."""
    if world.forgets_rules:
        return False
    if any(attribute in rule.declares.get(kind, {}) for rule in world.rules):
        return True
    return any(
        rule.declares.get(kind, {}).get(attribute, "").endswith(" key") for rule in world.former
    )


def _renumbered(world: World, event: e.RuleRenumbered) -> None:
    rules = tuple(
        _with_number(rule, event.to) if rule.number == event.number else rule
        for rule in world.rules
    )
    world.put(world.game, "rules", rules)
    if not world.forgets_rules:
        _renumber_references(world, event.number, event.to)


def _renumber_references(world: World, old: str, new: str) -> None:
    """Let overrides, settled conflicts and timers refer to the rule by its new number."""
    renamed = {old: new}
    rules = tuple(
        msgspec.structs.replace(
            rule, overrides=tuple(renamed.get(number, number) for number in rule.overrides)
        )
        if old in rule.overrides
        else rule
        for rule in world.rules
    )
    world.put(world.game, "rules", rules)
    for edge, ruling in list(world.edges.items()):
        pair = edge.split(">")
        if old in pair:
            world.drop(world.edges, edge)
            world.put(world.edges, ">".join(renamed.get(n, n) for n in pair), ruling)
    for attempt, timer in list(world.timers.items()):
        number, mark, version = timer.rule.partition("@")
        follows = timer.follows
        if follows is not None and follows[0] == old:
            follows = (new, follows[1])
        rule = f"{renamed.get(number, number)}{mark}{version}"
        if (rule, follows) != (timer.rule, timer.follows):
            changed = msgspec.structs.replace(timer, rule=rule, follows=follows)
            world.put(world.timers, attempt, changed)
    numbers = {**world.game.get("renumbered", {}), old: new}
    numbers.pop(new, None)
    world.put(world.game, "renumbered", numbers)


def _with_number(rule: Rule, number: str) -> Rule:
    return msgspec.structs.replace(rule, number=number)


def _replace(world: World, number: str, new: Rule | None) -> None:
    rules = world.rules
    place = next((place for place, rule in enumerate(rules) if rule.number == number), len(rules))
    between = () if new is None or place == len(rules) else (new,)
    world.put(world.game, "rules", (*rules[:place], *between, *rules[place + 1 :]))


# --- quantities and entities ------------------------------------------------------------------


def _posted(world: World, event: e.Posted) -> None:
    world.append(world.game, "posting", event)
    note_posted(world, event)
    for posting in event.postings:
        account = world.inner(world.balances, posting.account)
        units = account.get(posting.commodity, 0) + posting.amount
        world.put(account, posting.commodity, units)


def _end_foreseen(world: World, event: e.EndForeseen) -> None:
    foreseen: tuple[Any, ...] = (event.entity, event.attribute, event.by_rules, event.rules)
    if event.since is not None:
        foreseen = (*foreseen, event.since)
        make_known(world, [(event.entity, event.attribute)])
    world.put(world.game, "foreseen", foreseen)


def _made_unknown(world: World, event: e.MadeUnknown) -> None:
    make_unknown(world, event.keys, event.since, is_stated=not event.attempt)
    if event.attempt:
        world.put(world.game, IN_DOUBT, (event.attempt, event.since))


def _made_known(world: World, event: e.MadeKnown) -> None:
    make_known(world, event.keys)


def _not_compared(world: World, event: e.FactNotCompared) -> None:
    if event.sets:
        world.drop(world.game, "foreseen")


def _moved(world: World, event: e.Moved) -> None:
    _set(world, event.piece, "square", event.to, event.rules)


def _attribute(world: World, event: e.AttributeSet) -> None:
    durations = world.durations.get(event.entity, {})
    if event.until is not None:
        earlier = durations.get(event.attribute)
        original = event.was if earlier is None else earlier[1]
        table = world.inner(world.durations, event.entity)
        world.put(table, event.attribute, (event.until, original, world.head))
    elif event.attribute in durations:
        world.drop(durations, event.attribute)
    _set(world, event.entity, event.attribute, event.value, event.rules)


def _set(world: World, entity: str, attribute: str, value: Any, rules: tuple[str, ...]) -> None:
    table = world.inner(world.attributes, entity)
    old = table.get(attribute)
    if value is None:
        world.drop(table, attribute)
    else:
        world.put(table, attribute, value)
    world.put(world.inner(world.origins, entity), attribute, rules)
    world.index_changed(entity, attribute, old, value)


def _created(world: World, event: e.EntityCreated) -> None:
    if event.entity in world.entities or world.attributes.get(event.entity):
        world.forget_index()  # No engine records this, but a ledger may hold anything.
    world.put(world.entities, event.entity, event.kind)
    world.put(world.kinds, event.kind, (*world.kinds.get(event.kind, ()), event.entity))
    world.index_added(event.kind, event.entity)
    for attribute, value in event.attributes.items():
        _set(world, event.entity, attribute, value, event.rules)
    note_created(world, event)


def _destroyed(world: World, event: e.EntityDestroyed) -> None:
    kind = world.entities[event.entity]
    world.index_removes(kind, event.entity)
    others = tuple(entity for entity in world.kinds[kind] if entity != event.entity)
    world.drop(world.entities, event.entity)
    world.put(world.kinds, kind, others)
    for table in (world.attributes, world.origins, world.durations):
        world.drop(table, event.entity)


def _counted(world: World, event: e.Counted) -> None:
    table = world.inner(world.counts, event.scope)
    world.put(table, event.key, table.get(event.key, 0) + 1)


#: The function that applies each of these events, by type.
EFFECTS: dict[type[e.Event], Callable[[World, Any], None]] = {
    e.RuleEnacted: _enacted,
    e.RuleAmended: _amended,
    e.RuleRepealed: _repealed,
    e.RuleRenumbered: _renumbered,
    e.Posted: _posted,
    e.Moved: _moved,
    e.AttributeSet: _attribute,
    e.EntityCreated: _created,
    e.EntityDestroyed: _destroyed,
    e.Counted: _counted,
    e.EndForeseen: _end_foreseen,
    e.MadeUnknown: _made_unknown,
    e.MadeKnown: _made_known,
    e.FactNotCompared: _not_compared,
}
