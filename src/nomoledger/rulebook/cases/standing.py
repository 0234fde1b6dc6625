"""Comparison of rules, game, entities and pending questions with what a case expects."""

from collections.abc import Iterator
from typing import Any

from nomoledger.errors import RulebookError
from nomoledger.events.rules import Rule
from nomoledger.language.program import link
from nomoledger.rulebook.cases.format import Pending, Then
from nomoledger.rulebook.cases.matching import format_plain, included, is_match
from nomoledger.rulebook.cases.picture import PictureRow
from nomoledger.rulebook.cases.query import labelled
from nomoledger.rulebook.cases.spelling import singular, spelled
from nomoledger.state.world import World

_THEN = Then.__struct_encode_fields__
_PENDING = Pending.__struct_encode_fields__
_OF_A_RULE = ("title", "prose", "code", "parameters", "version")


def compare_rules(
    world: World, named: dict[Any, Any], before: tuple[Rule, ...] | None
) -> Iterator[str]:
    """Yield the differences between the rules in force, *before* and now, and those *named*."""
    for number, stated in named.items():
        rule = world.rule(str(number))
        if stated in (None, "absent"):
            if rule is not None:
                yield f"rule {number} is in force, expected to be absent"
        elif rule is None:
            yield f"rule {number} is not in force"
        elif stated == "unchanged":
            if before is not None and rule not in before:
                yield f"rule {number} has changed: it is version {rule.version} now"
        elif stated != "present":
            yield from _rule(rule, stated)


def _rule(rule: Rule, stated: Any) -> Iterator[str]:
    if not isinstance(stated, dict):
        raise RulebookError(
            f"rule {rule.number} is absent, present, unchanged, or told by "
            f"{', '.join(_OF_A_RULE)}, not {stated!r}"
        )
    for key, value in stated.items():
        name = spelled(key, _OF_A_RULE, "a rule has no")
        found = getattr(rule, name)
        if name == "parameters":
            for parameter, wanted in value.items():
                got = found[spelled(parameter, found, f"rule {rule.number} has no parameter")]
                if not is_match(got, wanted):
                    what = f"{rule.number}'s {parameter}"
                    yield f"rule {what} is {format_plain(got)}, expected {format_plain(wanted)}"
        elif not is_match(_text(found), _text(value)):
            actual, expected = format_plain(found), format_plain(value)
            yield f"rule {rule.number}'s {name} is {actual}, expected {expected}"


def _text(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def compare_game(world: World, named: dict[str, Any], *, whole: bool) -> Iterator[str]:
    """Yield the differences in the game's attributes; with *whole*, an end must be named."""
    ended = world.game["ended"]
    if whole and ended is not None and "ended" not in named:
        yield f"the game is over: {ended}, and the case does not say so"
    for name, value in named.items():
        actual = _game_value(world, name, value)
        if not is_match(actual, value):
            yield f"the game's {name} is {format_plain(actual)}, expected {format_plain(value)}"


def _game_value(world: World, name: str, value: Any) -> Any:
    if name == "ended":
        why = world.game["ended"]
        return why if isinstance(value, str) else why is not None
    if name == "winners":
        return labelled(world, world.game.get("winners", ()))
    if name == "period":
        return world.period
    known = [*world.attributes.get("game", {}), *world.declared("game")]
    return labelled(world, world.get("game", spelled(name, known, "the game has no")))


# --- entities and pending questions -----------------------------------------------------------


def compare_things(world: World, named: dict[str, Any]) -> Iterator[str]:
    """Yield the differences between the entities of each kind and those *named* by its plural."""
    for plural, rows in named.items():
        yield from _compare_kind(world, singular(plural, world_kinds(world), _THEN), plural, rows)


def _compare_kind(world: World, kind: str, plural: str, rows: Any) -> Iterator[str]:
    part = included(rows)
    rows = rows if part is None else part
    if not isinstance(rows, list):
        raise RulebookError(f"{plural} are a list, not {rows!r}")
    left = [_thing(world, each) for each in world.kinds.get(kind, ())]
    known = world.declared(kind)
    for row in rows:
        stated = {spelled(k, known, f"a {kind} has no"): each for k, each in row.items()}
        fits = [each for each in left if all(is_match(each.get(k), v) for k, v in stated.items())]
        if not fits:
            yield f"there is no {kind} with {format_plain(row)}; there is: {_listed(left)}"
            return
        left.remove(fits[0])
    if left and part is None:
        yield f"there is a {kind} that the case does not name: {format_plain(left[0])}"


def _thing(world: World, entity: str) -> PictureRow:
    return {name: labelled(world, value) for name, value in world.attributes[entity].items()}


def _listed(rows: list[PictureRow]) -> str:
    return "; ".join(map(format_plain, rows)) or "none"


def compare_pending(world: World, pending: Pending, judged: set[int]) -> Iterator[str]:
    """Yield the differences between what is open and what *pending* expects."""
    nothing = pending.is_nothing
    questions = pending.questions if pending.questions is not None else ([] if nothing else None)
    if questions is not None:
        yield from _questions([each.text for each in world.questions.values()], questions)
    proposals = pending.proposals if pending.proposals is not None else ([] if nothing else None)
    if proposals is not None:
        open_ = [number for number in world.proposals if _is_open(world, number, judged)]
        if open_ != proposals:
            expected = format_plain(proposals)
            yield f"the open proposals are {format_plain(open_)}, expected {expected}"
    timers = pending.timers if pending.timers is not None else (0 if nothing else None)
    if timers is not None and len(world.timers) != timers:
        yield f"{len(world.timers)} timers are running, expected {timers}"
    things = {kind: [] for kind in _openable(world)} if nothing else pending.things
    for plural, rows in things.items():
        kind = plural if nothing else singular(plural, world_kinds(world), _PENDING)
        yield from _compare_kind(world, kind, plural, rows)


def world_kinds(world: World) -> set[str]:
    """Return every kind that the rules declare or that has an entity."""
    return {kind for rule in world.rules for kind in rule.declares} | set(world.kinds)


def _openable(world: World) -> dict[str, list[PictureRow]]:
    operations = link(world.ruleset).links.operations
    return {kind: [] for kind in sorted(world_kinds(world)) if f"open_{kind}" in operations}


def _questions(texts: list[str], wanted: Any) -> Iterator[str]:
    some = included(wanted)
    for part in wanted if some is None else some:
        fits = [text for text in texts if part.lower() in text.lower()]
        if not fits:
            yield f"no open question is about {part!r}; open: {'; '.join(texts) or 'none'}"
            return
        texts.remove(fits[0])
    if texts and some is None:
        yield f"a question is open that the case does not name: {texts[0]}"


def _is_open(world: World, number: int, judged: set[int]) -> bool:
    """Return whether a proposal has no verdict, neither judged nor in its attribute `state`."""
    if number in judged:
        return False
    entity = world.find("proposal", number)
    return entity is None or world.get(entity, "state") in (None, "undecided")
