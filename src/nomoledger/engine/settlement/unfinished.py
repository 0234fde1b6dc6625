"""Settling what is still to come: timers, the agenda, and the questions that hold it up."""

from typing import Any

from nomoledger import events as e
from nomoledger.engine.settlement.differences import Path, changed_paths
from nomoledger.engine.settlement.settlement import Settlement
from nomoledger.events.display import without_display_text
from nomoledger.state.reducer import SETTLE
from nomoledger.state.world import Attempt, Timer, World

# --- timers -------------------------------------------------------------------------------------


def settle_timers(s: Settlement) -> None:
    """Timers that are to come in one world and not in the other, or in another order."""
    one, other = s.base.timers, s.target.timers
    alive = {name: each for name, each in other.items() if _does_something(s.target, each)}
    kept = {name for name in one if name in other and _is_kept(s, name)}
    if s.is_whole:
        kept -= _out_of_order(one, alive, kept)
    for name in [each for each in one if each not in kept and each in s.world.timers]:
        timer = s.world.timers[name]
        s.emit(e.Unscheduled, timer.attempt.audience, attempt=name)
    for name, timer in _ordered(alive):
        if name not in kept and (s.is_whole or _has_status(s.world, timer)):
            _schedule(s, timer)


def _has_status(world: World, timer: Timer) -> bool:
    """Whether there is the status that the timer is to end, if it is to end one."""
    arguments = timer.attempt.arguments
    ends = timer.attempt.operation == "@expire"
    return not ends or arguments[1] in world.durations.get(arguments[0], {})


def _is_kept(s: Settlement, name: str) -> bool:
    one, other = s.base.timers[name], s.target.timers[name]
    alive = _does_something(s.base, one), _does_something(s.target, other)
    return alive == (False, False) or (alive == (True, True) and _due(one) == _due(other))


def _ordered(timers: dict[str, Timer]) -> list[tuple[str, Timer]]:
    return sorted(timers.items(), key=lambda each: each[1].order)


def _out_of_order(one: dict[str, Timer], other: dict[str, Timer], kept: set[str]) -> set[str]:
    """Those of the *kept* that fall due together with some that are new, or with fewer."""
    before, after = _together(one), _together(other)
    return {
        name
        for key, names in after.items()
        if [each for each in before.get(key, ()) if each in kept] != names
        for name in names
        if name in kept
    }


def _together(timers: dict[str, Timer]) -> dict[Any, list[str]]:
    """The timers that fall due together, by when and by which rule."""
    groups: dict[Any, list[str]] = {}
    for name, timer in _ordered(timers):
        groups.setdefault((timer.attempt.at, timer.rule), []).append(name)
    return groups


def _schedule(s: Settlement, timer: Timer) -> None:
    attempt = timer.attempt
    in_force = any(rule.name == timer.rule for rule in s.world.rules)
    s.emit(
        e.Scheduled,
        attempt.audience,
        attempt=attempt.id,
        operation=attempt.operation,
        arguments=_arguments(s, attempt),
        due=attempt.at,
        by=attempt.by,
        rules=(f"ruling:{s.ruling.number}", *([timer.rule] if in_force else [])),
    )


def _due(timer: Timer) -> tuple[Any, ...]:
    attempt = timer.attempt
    arguments = attempt.arguments[:2] if attempt.operation == "@expire" else attempt.arguments
    return attempt.at, attempt.operation, list(arguments), attempt.by, attempt.audience


def _does_something(world: World, timer: Timer) -> bool:
    """Not so for the end of a status that has come to another end since."""
    if timer.attempt.operation != "@expire":
        return True
    entity, attribute, number = timer.attempt.arguments
    ending = world.durations.get(entity, {}).get(attribute)
    return ending is not None and bool(ending[2] == number)


def _arguments(s: Settlement, attempt: Attempt) -> tuple[Any, ...]:
    """With the event that now begins the status which the attempt ends."""
    if attempt.operation != "@expire":
        return attempt.arguments
    entity, attribute, _ = attempt.arguments
    return entity, attribute, s.world.durations[entity][attribute][2]


# --- the agenda ---------------------------------------------------------------------------------


def find_misfit(world: World, base: World, target: World) -> str | None:
    """Why what waits in *target* cannot wait in the *world*, if it cannot."""
    if base is not world and waiting_attempts(base) != waiting_attempts(target):
        return "play would wait for something else, and an earlier ruling is settled in part"
    there = waiting_attempts(world)
    if any(each.operation == "@order" for each in target.agenda if _said(each) not in there):
        return "a standing order would wait for an answer"
    if set(target.orders) - set(world.orders):
        return "a standing order that was carried out would still be open"
    return None


def waiting_attempts(world: World) -> list[tuple[Any, ...]]:
    """What is on the agenda, but for rulings to be settled."""
    return [_said(each) for each in world.agenda if each.operation != SETTLE]


def _said(attempt: Attempt) -> tuple[Any, ...]:
    return (
        attempt.id, attempt.operation, list(attempt.arguments), attempt.named, attempt.by,
        attempt.at, attempt.audience,
    )  # fmt: skip


def still_waits(s: Settlement) -> tuple[str | e.Waiting, ...] | None:
    """What is to be on the agenda, where that is not what is on it."""
    if s.ruling.settle in ("money", "none"):
        return None
    if waiting_attempts(s.world) == waiting_attempts(s.target) or not s.is_whole:
        return None
    there = {each.id: _said(each) for each in s.world.agenda}
    return tuple(
        each.id if there.get(each.id) == _said(each) else _waiting(s, each)
        for each in s.target.agenda
    )


def _waiting(s: Settlement, attempt: Attempt) -> e.Waiting:
    causes = {each.id: each.cause for each in s.world.agenda}
    return e.Waiting(
        attempt=attempt.id,
        operation=attempt.operation,
        arguments=attempt.arguments,
        named=attempt.named,
        by=attempt.by,
        cause=causes.get(attempt.id, s.host.attempt.cause),
        at=attempt.at,
        audience=attempt.audience,
    )


def settle_waiting(s: Settlement) -> list[Path]:
    """Questions that are open in one world only, the answers so far, and standing orders."""
    for name, question in s.target.questions.items():
        if s.is_whole and not _asks_the_same(s.world.questions.get(name), question):
            _ask(s, question)
    for name in [each for each in s.base.orders if each not in s.target.orders]:
        order, _ = s.base.orders[name]
        s.emit(e.OrderLapsed, order.audience, order=name, why=s.why)
    if not s.is_whole:
        return []
    gone = [each for each in s.world.questions if each not in s.target.questions]
    answers = changed_paths(s.world.answers, s.target.answers, "answers")
    return [*((("questions", each), None) for each in gone), *answers]


def _asks_the_same(one: e.QuestionRaised | None, other: e.QuestionRaised) -> bool:
    if one is None:
        return False
    one, other = without_display_text(one), without_display_text(other)
    fields = ("asks", "to", "text", "options", "default")
    return all(getattr(one, x) == getattr(other, x) for x in fields)


def _ask(s: Settlement, question: e.QuestionRaised) -> None:
    fields = ("question", "asks", "to", "text", "options", "default", "rules")
    said = {name: getattr(question, name) for name in fields}
    s.emit(e.QuestionRaised, question.audience, **said)
