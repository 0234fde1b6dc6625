"""Settlement of unfinished play: timers, the agenda, open questions and standing orders."""

from typing import Any

from nomoledger import events as e
from nomoledger.engine.settlement.differences import Path, changed_paths
from nomoledger.engine.settlement.settlement import Settlement
from nomoledger.state.reducer import SETTLE
from nomoledger.state.world import Attempt, Timer, World

#: Ends the status of an attribute at its due time.
_EXPIRE = "@expire"

# --- timers -------------------------------------------------------------------------------------


def settle_timers(settlement: Settlement) -> None:
    """Cancel and schedule timers until they fire as in the target, in the same order."""
    old, new = settlement.base.timers, settlement.target.timers
    effective = {id: timer for id, timer in new.items() if _has_effect(settlement.target, timer)}
    kept = {id for id in old if id in new and _is_unchanged(settlement, id)}
    if settlement.is_whole:
        kept -= _out_of_order(old, effective, kept)
    for id in [id for id in old if id not in kept and id in settlement.world.timers]:
        timer = settlement.world.timers[id]
        settlement.emit(e.Unscheduled, timer.attempt.audience, attempt=id)
    for id, timer in _in_order(effective):
        if id not in kept and (settlement.is_whole or _has_status(settlement.world, timer)):
            _schedule(settlement, timer)


def _has_status(world: World, timer: Timer) -> bool:
    """Return whether the status exists that *timer* ends; true for timers that end none."""
    if timer.attempt.operation != _EXPIRE:
        return True
    entity, attribute, _ = timer.attempt.arguments
    return attribute in world.durations.get(entity, {})


def _is_unchanged(settlement: Settlement, id: str) -> bool:
    old, new = settlement.base.timers[id], settlement.target.timers[id]
    effects = _has_effect(settlement.base, old), _has_effect(settlement.target, new)
    return effects == (False, False) or (
        effects == (True, True) and _identity(old) == _identity(new)
    )


def _in_order(timers: dict[str, Timer]) -> list[tuple[str, Timer]]:
    return sorted(timers.items(), key=lambda item: item[1].order)


def _out_of_order(old: dict[str, Timer], new: dict[str, Timer], kept: set[str]) -> set[str]:
    """Return those of the *kept* timers whose group of timers due together has changed."""
    old_groups, new_groups = _due_together(old), _due_together(new)
    return {
        id
        for key, ids in new_groups.items()
        if [id for id in old_groups.get(key, ()) if id in kept] != ids
        for id in ids
        if id in kept
    }


def _due_together(timers: dict[str, Timer]) -> dict[Any, list[str]]:
    """Group the ids of timers by due time and rule."""
    groups: dict[Any, list[str]] = {}
    for id, timer in _in_order(timers):
        groups.setdefault((timer.attempt.at, timer.rule), []).append(id)
    return groups


def _schedule(settlement: Settlement, timer: Timer) -> None:
    attempt = timer.attempt
    is_rule_in_force = any(rule.name == timer.rule for rule in settlement.world.rules)
    rules = (f"ruling:{settlement.ruling.number}", *([timer.rule] if is_rule_in_force else []))
    settlement.emit(
        e.Scheduled,
        attempt.audience,
        attempt=attempt.id,
        operation=attempt.operation,
        arguments=_current_arguments(settlement, attempt),
        due=attempt.at,
        by=attempt.by,
        rules=rules,
    )


def _identity(timer: Timer) -> tuple[Any, ...]:
    """Return what identifies *timer* on both sides; event numbers differ between them."""
    attempt = timer.attempt
    arguments = attempt.arguments[:2] if attempt.operation == _EXPIRE else attempt.arguments
    return attempt.at, attempt.operation, list(arguments), attempt.by, attempt.audience


def _has_effect(world: World, timer: Timer) -> bool:
    """Return False if the status that *timer* ends already ended in another way."""
    if timer.attempt.operation != _EXPIRE:
        return True
    entity, attribute, number = timer.attempt.arguments
    ending = world.durations.get(entity, {}).get(attribute)
    return ending is not None and bool(ending[2] == number)


def _current_arguments(settlement: Settlement, attempt: Attempt) -> tuple[Any, ...]:
    """Return the arguments with the number of the event that now starts the status to be ended."""
    if attempt.operation != _EXPIRE:
        return attempt.arguments
    entity, attribute, _ = attempt.arguments
    return entity, attribute, settlement.world.durations[entity][attribute][2]


# --- the agenda ---------------------------------------------------------------------------------


def find_misfit(world: World, base: World, target: World) -> str | None:
    """Return why the unfinished play of *target* does not fit *world*, or None if it does."""
    if base is not world and waiting_attempts(base) != waiting_attempts(target):
        return "play would wait for something else, and an earlier ruling is settled in part"
    waiting = waiting_attempts(world)
    new = [attempt for attempt in target.agenda if _fields(attempt) not in waiting]
    if any(attempt.operation == "@order" for attempt in new):
        return "a standing order would wait for an answer"
    if set(target.orders) - set(world.orders):
        return "a standing order that was carried out would still be open"
    return None


def waiting_attempts(world: World) -> list[tuple[Any, ...]]:
    """Return the fields of the attempts on the agenda, except rulings to be settled."""
    return [_fields(attempt) for attempt in world.agenda if attempt.operation != SETTLE]


def _fields(attempt: Attempt) -> tuple[Any, ...]:
    """Return the fields of *attempt* except its cause, whose number differs between the sides."""
    return (
        attempt.id, attempt.operation, list(attempt.arguments), attempt.named, attempt.by,
        attempt.at, attempt.audience,
    )  # fmt: skip


def settled_agenda(settlement: Settlement) -> tuple[str | e.Waiting, ...] | None:
    """Return the settled agenda, as in `Settled.waiting`; None if the agenda does not change."""
    world, target = settlement.world, settlement.target
    if settlement.ruling.settle in ("money", "none") or not settlement.is_whole:
        return None
    if waiting_attempts(world) == waiting_attempts(target):
        return None
    waiting = {attempt.id: _fields(attempt) for attempt in world.agenda}
    return tuple(
        attempt.id
        if waiting.get(attempt.id) == _fields(attempt)
        else _waiting_record(settlement, attempt)
        for attempt in target.agenda
    )


def _waiting_record(settlement: Settlement, attempt: Attempt) -> e.Waiting:
    causes = {waiting.id: waiting.cause for waiting in settlement.world.agenda}
    return e.Waiting(
        attempt=attempt.id,
        operation=attempt.operation,
        arguments=attempt.arguments,
        named=attempt.named,
        by=attempt.by,
        cause=causes.get(attempt.id, settlement.host.attempt.cause),
        at=attempt.at,
        audience=attempt.audience,
    )


# --- questions and standing orders --------------------------------------------------------------


def settle_questions(settlement: Settlement) -> list[Path]:
    """Raise questions and lapse orders as in the target; return the changes of state besides."""
    world, base, target = settlement.world, settlement.base, settlement.target
    for address, question in target.questions.items():
        if settlement.is_whole and not _is_same_question(world.questions.get(address), question):
            _raise_question(settlement, question)
    for id in [id for id in base.orders if id not in target.orders]:
        order, _ = base.orders[id]
        settlement.emit(e.OrderLapsed, order.audience, order=id, why=settlement.why)
    if not settlement.is_whole:
        return []
    closed = [address for address in world.questions if address not in target.questions]
    answers = changed_paths(world.answers, target.answers, "answers")
    return [*((("questions", address), None) for address in closed), *answers]


def _is_same_question(old: e.QuestionRaised | None, new: e.QuestionRaised) -> bool:
    fields = ("asks", "to", "text", "options", "default")
    return old is not None and all(getattr(old, name) == getattr(new, name) for name in fields)


def _raise_question(settlement: Settlement, question: e.QuestionRaised) -> None:
    names = ("question", "asks", "to", "text", "options", "default", "rules")
    fields = {name: getattr(question, name) for name in names}
    settlement.emit(e.QuestionRaised, question.audience, **fields)
