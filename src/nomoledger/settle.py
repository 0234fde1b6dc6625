"""What brings one state to another, as events: compensating postings, moves and changes.

`settle` leads the present to what it would have been had a ruling held from the start. What people
see are events of their own; what only the engine keeps (uses counted, ends of statuses, the order
of things, and the past as it is now known) goes into one `Settled`.
"""

from collections.abc import Iterator
from typing import Any

from nomoledger import events as e
from nomoledger.rules.host import Host
from nomoledger.world import Timer, World

SETTLES = ("all", "money", "none")
#: Tables that the engine keeps, brought over by path.
_KEPT = ("counts", "edges", "kinds", "past", "precedents")
#: Single values of the game that are brought over.
_GAME = ("ended", "ended_by", "winners", "versions", "frozen")
_NOTHING: dict[Any, Any] = {}
#: What is more, by account and commodity.
Deltas = dict[tuple[str, str], int]


def settle(host: Host, base: World, target: World, ruling: int, what: str) -> None:
    """Emit what leads from *base* to *target*, onto the world of *host*.

    *what* is "all" of it, the "money", or "none"; the past, as it is now known, is brought over in
    each case. *base* is the world of *host* itself, unless an earlier ruling was not settled whole.
    """
    why = f"ruling {ruling}"
    if what != "none":
        _money(host, base, target, why)
    if what == "all":
        _things(host, base, target)
        _rules(host, target, why)
        _timers(host, target)
    tables = _kept(base, target) if what == "all" else _kept(base, target, ("past",))
    if what == "all":
        for name in _GAME:
            tables += _changes(base.game.get(name), target.game.get(name), "game", name)
    rulesets = {
        period: past["rules"]
        for period, past in target.past.items()
        if period in base.past and base.past[period]["rules"] != past["rules"]
    }
    host.emit(e.Settled, ruling=ruling, tables=tuple(tables), rulesets=rulesets)


def _kept(base: World, target: World, names: tuple[str, ...] = _KEPT) -> list[Any]:
    return [x for n in names for x in _changes(getattr(base, n), getattr(target, n), n)]


# --- money, by the period that it puts right --------------------------------------------------


def _money(host: Host, base: World, target: World, why: str) -> None:
    before: Deltas = {}
    last = _deltas(base.balances, target.balances)
    for period in sorted(base.past.keys() & target.past.keys()):
        deltas = _deltas(base.past[period]["balances"], target.past[period]["balances"])
        _post(host, _less(deltas, before), why, period)
        before = deltas
    _post(host, _less(last, before), why, host.world.period)


def _deltas(was: dict[str, Any], to: dict[str, Any]) -> Deltas:
    accounts = dict.fromkeys((*was, *to))
    found = {}
    for account in accounts:
        one, other = was.get(account, _NOTHING), to.get(account, _NOTHING)
        for commodity in dict.fromkeys((*one, *other)):
            units = other.get(commodity, 0) - one.get(commodity, 0)
            if units:
                found[account, commodity] = units
    return found


def _less(deltas: Deltas, before: Deltas) -> Deltas:
    """What *deltas* have more than those of the period *before*."""
    keys = dict.fromkeys((*deltas, *before))
    found = {key: deltas.get(key, 0) - before.get(key, 0) for key in keys}
    return {key: units for key, units in found.items() if units}


def _post(host: Host, deltas: Deltas, why: str, period: int) -> None:
    if deltas:
        postings = tuple(e.Posting(*key, units) for key, units in sorted(deltas.items()))
        host.emit(
            e.Posted,
            postings=postings,
            why=f"settling {why}, for period {period}",
            effective=period,
        )


# --- things, rules, timers ------------------------------------------------------------------------


def _things(host: Host, base: World, target: World) -> None:
    world, gone = host.world, [each for each in base.entities if each not in target.entities]
    for thing, kind in target.entities.items():
        if thing not in world.entities:
            attributes = dict(target.attributes.get(thing, {}))
            host.emit(e.EntityCreated, entity=thing, kind=kind, attributes=attributes)
    for thing in dict.fromkeys((*target.attributes, *base.attributes)):
        if thing not in gone:
            _attributes(host, base, target, thing)
    for thing in gone:
        if thing in world.entities:
            host.emit(e.EntityDestroyed, entity=thing)


def _attributes(host: Host, base: World, target: World, thing: str) -> None:
    one, other = dict(base.attributes.get(thing, {})), target.attributes.get(thing, {})
    ends, ending = dict(base.durations.get(thing, {})), target.durations.get(thing, {})
    for name in dict.fromkeys((*one, *other, *ends, *ending)):
        was, to = one.get(name), other.get(name)
        if was == to and _end(ends, name) == _end(ending, name):
            continue
        if name == "square" and to is not None and name not in ending and name not in ends:
            host.emit(e.Moved, piece=thing, mode="place", left=was, to=to)
            continue
        until, back = _end(ending, name)
        if name in ends and name in ending:  # which keeps what it first went back to
            host.emit(e.AttributeSet, entity=thing, attribute=name, value=was, was=was)
        was = back if name in ending else was
        host.emit(e.AttributeSet, entity=thing, attribute=name, value=to, was=was, until=until)


def _end(ending: dict[str, Any], name: str) -> tuple[Any, Any]:
    """When an attribute ends, and what it goes back to."""
    return ending[name][:2] if name in ending else (None, None)


def _rules(host: Host, target: World, why: str) -> None:
    world = host.world
    wanted = {rule.number: rule for rule in target.rules}
    for rule in world.rules:
        if rule.number not in wanted:
            host.emit(e.RuleRepealed, number=rule.number, source=why)
        elif wanted[rule.number] != rule:
            host.emit(e.RuleAmended, rule=wanted[rule.number], source=why)
    there = {rule.number for rule in world.rules}
    for number, rule in wanted.items():
        if number not in there:
            host.emit(e.RuleEnacted, rule=rule, source=why)


def _timers(host: Host, target: World) -> None:
    world = host.world
    for name, timer in list(world.timers.items()):
        other = target.timers.get(name)
        if other is None or _due(other) != _due(timer) or _is_end(timer):
            host.emit(e.Unscheduled, attempt=name)
    for name, timer in sorted(target.timers.items(), key=lambda each: each[1].order):
        if name not in world.timers:
            host.emit(
                e.Scheduled,
                attempt=name,
                operation=timer.attempt.operation,
                arguments=_arguments(world, timer),
                due=timer.attempt.at,
                by=timer.attempt.by,
            )


def _due(timer: Timer) -> tuple[Any, ...]:
    attempt = timer.attempt
    return attempt.at, attempt.operation, attempt.arguments, attempt.by


def _is_end(timer: Timer) -> bool:
    """Whether it ends a status, and so names the event that began it."""
    return timer.attempt.operation == "@expire"


def _arguments(world: World, timer: Timer) -> tuple[Any, ...]:
    arguments = timer.attempt.arguments
    if not _is_end(timer):
        return arguments
    entity, attribute, number = arguments
    ending = world.durations.get(entity, {}).get(attribute)
    return entity, attribute, number if ending is None else ending[2]


# --- the rest, by path --------------------------------------------------------------------------


def _changes(was: Any, to: Any, *path: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Where *was* has to be changed to be *to*; None is for what has to go."""
    if isinstance(was, dict) and isinstance(to, dict):
        for key in dict.fromkeys((*was, *to)):
            if key not in ("rules", "ruled"):  # which stand by themselves
                yield from _changes(was.get(key), to.get(key), *path, key)
    elif was != to:
        if isinstance(to, dict):
            yield path, {}
            yield from _changes({}, to, *path)
        else:
            yield path, list(to) if isinstance(to, tuple) else to
