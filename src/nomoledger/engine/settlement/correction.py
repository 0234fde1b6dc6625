"""Brings the present to what a ruling makes of the past: events, and what only the engine keeps."""

from collections.abc import Iterator
from typing import Any

from nomoledger import events as e
from nomoledger.engine.settlement.audiences import ADMIN
from nomoledger.engine.settlement.compensation import compensate, past_units
from nomoledger.engine.settlement.differences import Path, changed_paths, is_same_value
from nomoledger.engine.settlement.settlement import Settlement
from nomoledger.engine.settlement.unfinished import settle_timers, settle_waiting, still_waits
from nomoledger.state.world import World

#: Tables that the engine keeps, brought over by path.
_KEPT = ("counts", "edges", "kinds", "past")
#: Single values of the game that are brought over.
_GAME = ("ended", "ended_by", "winners", "versions", "frozen", "final_after", "void", "refused")


def correct_present(settlement: Settlement) -> None:
    """Emit what leads from one side to the other, as far as the ruling wants it.

    The past, as it is now known, is brought over in each case.
    """
    what = settlement.ruling.settle
    if what != "none":
        compensate(settlement)
    if what in ("money", "none"):
        _say_settled(settlement, _changes(settlement, ("past",)))
        return
    _end(settlement)
    _things(settlement)
    _rules(settlement)
    settle_timers(settlement)
    tables = _changes(settlement, _KEPT)
    for name in _GAME:
        one, other = (side.game.get(name) for side in (settlement.base, settlement.target))
        tables += changed_paths(one, other, "game", name)
    tables += [*_precedents(settlement), *settle_waiting(settlement)]
    _say_settled(settlement, tables)


def _changes(s: Settlement, names: tuple[str, ...]) -> list[Path]:
    tables = [x for n in names for x in changed_paths(getattr(s.base, n), getattr(s.target, n), n)]
    tables = [x for x in tables if x[0][0] != "past" or x[0][2:3] != ("balances",)]
    return tables if s.is_whole else [_added(s, path, value) for path, value in tables]


def _precedents(s: Settlement) -> Iterator[Path]:
    one, other = s.base.precedents, s.target.precedents
    for text in dict.fromkeys((*one, *other)):
        if one.get(text) != other.get(text):
            yield ("precedents", text), dict(other[text]) if text in other else None


def _added(s: Settlement, path: tuple[Any, ...], value: Any) -> Path:
    """What is to stand at *path* where the world is not *base*: with the difference added."""
    table = path[2] if path[0] == "past" and len(path) > 2 else path[0]
    now, was, to = (_at(world, path) for world in (s.world, s.base, s.target))
    if table == "balances":
        return path, (now or 0) + (to or 0) - (was or 0)
    if table == "kinds" and now != was and len(path) == 2 + 2 * (path[0] == "past"):
        kept = [each for each in now or () if each in (to or ()) or each not in (was or ())]
        new = [each for each in to or () if each not in (was or ()) and each not in kept]
        return path, [*kept, *new]
    return path, value


def _at(world: World, path: tuple[Any, ...]) -> Any:
    found: Any = getattr(world, path[0])
    for key in path[1:]:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _say_settled(s: Settlement, tables: list[Path]) -> None:
    """One event with what everybody may know, and one for the admin with the rest."""
    hidden = [each for each in tables if any(knows.hides(*each) for knows in s.knows)]
    shown = [each for each in tables if each not in hidden]
    rulesets = {
        period: past["rules"]
        for period, past in s.target.past.items()
        if period in s.base.past and s.base.past[period]["rules"] != past["rules"]
    }
    if s.is_whole and s.world.rules != s.target.rules and s.ruling.settle in ("all", "fitting"):
        rulesets[s.world.period] = s.target.rules  # the same rules, in another order
    waits = still_waits(s)
    in_sight = waits and tuple(x for x in waits if _is_public(s, x))
    is_hidden = any(each.audience is not None for each in s.world.agenda)
    secret, known = past_units(s)
    if hidden or secret or (waits is not None and (is_hidden or in_sight != waits)):
        kept: dict[str, Any] = {"tables": tuple(hidden), "waiting": waits, "past": secret}
        s.emit(e.Settled, ADMIN, ruling=s.ruling.number, **kept)
    fields: dict[str, Any] = {"ruling": s.ruling.number, "rulesets": rulesets, "waiting": in_sight}
    s.emit(e.Settled, tables=tuple(shown), past=known, **fields)


def _is_public(s: Settlement, waiting: str | e.Waiting) -> bool:
    if isinstance(waiting, e.Waiting):
        return waiting.audience is None
    return all(each.audience is None for each in s.world.agenda if each.id == waiting)


# --- things and rules ---------------------------------------------------------------------------


def _end(s: Settlement) -> None:
    """The game is over, or otherwise over."""
    now, then = ((side.game["ended"], side.game.get("winners")) for side in (s.base, s.target))
    if then != now and then[0] is not None:
        s.emit(e.GameEnded, why=then[0], winners=then[1] or ())


def _things(s: Settlement) -> None:
    one, other = s.base.entities, s.target.entities
    for thing in [each for each in one if other.get(each) != one[each]]:
        if thing in s.world.entities:
            s.emit(e.EntityDestroyed, s.audience("is", thing), entity=thing)
    new = [each for each in other if each not in s.world.entities]
    if not s.is_whole:  # base has them still
        new = [each for each in new if one.get(each) != other[each]]
    for thing in new:
        _create(s, thing, other[thing])
    for thing in dict.fromkeys((*s.target.attributes, *s.base.attributes)):
        if thing in s.world.entities or thing == "game":
            _attributes(s, s.world if thing in new else s.base, thing)


def _create(s: Settlement, thing: str, kind: str) -> None:
    """The thing, with those of its attributes that the same people know of."""
    audience = s.audience("is", thing)
    attributes = {
        name: value
        for name, value in s.target.attributes.get(thing, {}).items()
        if s.audience("set", thing, name) == audience
    }
    s.emit(e.EntityCreated, audience, entity=thing, kind=kind, attributes=attributes)


def _attributes(s: Settlement, base: World, thing: str) -> None:
    one, other = dict(base.attributes.get(thing, {})), s.target.attributes.get(thing, {})
    ends, ending = dict(base.durations.get(thing, {})), s.target.durations.get(thing, {})
    for name in dict.fromkeys((*one, *other, *ends, *ending)):
        was, to = one.get(name), other.get(name)
        if not (is_same_value(was, to) and _ending(ends, name) == _ending(ending, name)):
            _set(s, thing, name, was, to, ends)


def _set(s: Settlement, thing: str, name: str, was: Any, to: Any, ends: dict[str, Any]) -> None:
    audience, ending = s.audience("set", thing, name), s.target.durations.get(thing, {})
    is_walk = name == "square" and any(thing in knows.walked for knows in s.knows)
    if is_walk and to is not None and name not in ending and name not in ends:
        s.emit(e.Moved, audience, piece=thing, mode="place", left=was, to=to)
        return
    fields: dict[str, Any] = {"entity": thing, "attribute": name}
    until, back = _ending(ending, name)
    if name in ends and name in ending:  # which keeps what it first went back to
        s.emit(e.AttributeSet, audience, value=was, was=was, **fields)
    was = back if name in ending else was
    s.emit(e.AttributeSet, audience, value=to, was=was, until=until, **fields)


def _ending(ending: dict[str, Any], name: str) -> tuple[Any, Any]:
    """When an attribute ends, and what it goes back to."""
    return ending[name][:2] if name in ending else (None, None)


def _rules(s: Settlement) -> None:
    one, other = ({rule.number: rule for rule in side.rules} for side in (s.base, s.target))
    for number in one:
        if number not in other and s.world.rule(number) is not None:
            s.emit(e.RuleRepealed, number=number, source=s.why)
    for number, rule in other.items():
        if one.get(number) != rule:
            is_there = s.world.rule(number) is not None
            s.emit(e.RuleAmended if is_there else e.RuleEnacted, rule=rule, source=s.why)
