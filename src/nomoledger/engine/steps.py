"""Steps of play that fail: which step comes next, and how a failed one is dropped without rules.

The steps are attempts of the agenda, timers that are due, the statements of standing orders, and
state-based checks.
"""

from functools import lru_cache
from typing import Any, NamedTuple

from nomoledger import events as e
from nomoledger.errors import RuleFault
from nomoledger.language.host import Frame, Host
from nomoledger.language.program import Program
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.reducer import AT_ONCE, apply
from nomoledger.state.world import Attempt, Timer, World

#: The steps, as a sandbox notes them (see `nomoledger.sandbox.inside.notice_step`). The names of an
#: order and of a check follow after a space.
ATTEMPT, TIMER, ORDER, CHECK = "attempt", "timer", "order", "check"
LINKING = "linking"
#: After so many attempts of one operation have failed, the others that wait are dropped, too.
ALIKE_AFTER = 3


class Upcoming(NamedTuple):
    """The next attempt, and whether it is one of a timer."""

    attempt: Attempt
    is_timer: bool


def next_attempt(world: World) -> Upcoming | None:
    """Return the attempt that is carried out next, if nothing suspends it."""
    head = world.agenda[0] if world.agenda else None
    if head is not None and head.operation in AT_ONCE:
        return Upcoming(head, False)
    if world.waiting is not None:
        return None
    timer = _next_due_timer(world, head.at if head else world.game["now"])
    if timer is not None:
        return Upcoming(timer.attempt, True)
    return None if head is None else Upcoming(head, False)


def _next_due_timer(world: World, at: int) -> Timer | None:
    due = [timer for timer in world.timers.values() if timer.attempt.at <= at]
    if not due:
        return None
    places = {rule.name: place for place, rule in enumerate(world.rules)}
    return min(due, key=lambda t: (t.attempt.at, places.get(t.rule, -1), t.cause))


@lru_cache(maxsize=8)
def program_without_rules(level: int) -> Program:
    """Return the program of no rules at all: it can make events, whatever the rules are."""
    return Program(Ruleset(rules=(), level=level))


def host_without_rules(world: World, attempt: Attempt) -> Host:
    """Return a host that makes the events of *attempt*, and runs no rule."""
    host = program_without_rules(world.level).host
    host.begin(world, attempt)
    return host


def failed_step(
    world: World, fault: RuleFault, request: e.Input | None, failed: dict[str, set[str]]
) -> dict[str, Any] | None:
    """Return the fields of the `StepFailed` for *fault*, which *request* met, or None.

    *failed* holds the attempts that failed since the request, by operation, and gets this one, too.

    None if the fault happens in the same way each time, if the step is what *request* asks for, or
    if no step was under way. *world* is the state before *request*.
    """
    kind, _, name = fault.step.partition(" ")
    if fault.is_certain or kind not in (ATTEMPT, ORDER, CHECK):
        return None
    why = str(fault).removeprefix(f"rule {fault.rule}: ")
    fields: dict[str, Any] = {"kind": kind, "step": name, "rule": fault.rule or "", "why": why}
    if kind == ORDER:
        if name not in world.orders:
            return None
        return fields | {"audience": world.orders[name][0].audience}
    upcoming = _upcoming_with(world, request)
    if upcoming is None:
        return None
    attempt = upcoming.attempt
    fields["audience"] = attempt.audience
    if kind == CHECK:
        return fields | {"attempt": attempt.id}
    question = getattr(request, "question", None)
    if request is not None and attempt.id in (request.id, str(question).rpartition("|")[0]):
        return None
    alike = failed.setdefault(attempt.operation, set())
    alike.add(attempt.id)
    fields |= {"kind": TIMER if upcoming.is_timer else ATTEMPT, "step": attempt.id}
    return fields | {"alike": not upcoming.is_timer and len(alike) >= ALIKE_AFTER}


def _upcoming_with(world: World, request: e.Input | None) -> Upcoming | None:
    """Return the next attempt after *request*."""
    mark = world.mark()
    try:
        if request is not None:
            apply(world, request)
        return next_attempt(world)
    finally:
        world.rollback(mark)


# --- dropping -----------------------------------------------------------------------------------


def drop_failed_step(world: World, event: e.StepFailed) -> list[e.Event]:
    """Drop the step that *event* names; return the events. None, if there is no such step.

    *event* is the last event that was applied to *world*.
    """
    now = world.game["now"]
    of_event = Attempt(id=event.id, operation="", cause=world.head, at=now, audience=event.audience)
    host = host_without_rules(world, of_event)
    rule = world.rule(event.rule)
    reason = e.Reason("engine" if rule is None else rule.name, event.why)
    host.frames = [Frame("", (), reason.rule)]
    if event.kind == CHECK:
        if event.step not in world.game.get("suspended", ()):
            host.emit(e.CheckSuspended, check=event.step, why=event.why)
    elif event.kind == ORDER:
        if event.step in world.orders:
            host.emit(e.OrderLapsed, order=event.step, why=event.why)
    elif event.step in world.timers:
        attempt = world.timers[event.step].attempt
        host.emit(e.TimerFired, attempt=attempt.id)
        refuse(host, attempt, reason)
    elif (waiting := attempt_on_agenda(world, event.step)) is not None:
        others = [x for x in world.agenda if event.alike and _is_alike(x, waiting)]
        for attempt in (waiting, *others):
            host.audience = attempt.audience
            refuse(host, attempt, reason)
    return host.staged


def _is_alike(attempt: Attempt, failed: Attempt) -> bool:
    """Return whether *attempt* follows from a request, as *failed* does, by the same operation."""
    follow = ">" in attempt.id and ">" in failed.id
    return follow and attempt is not failed and attempt.operation == failed.operation


def attempt_on_agenda(world: World, id: str) -> Attempt | None:
    """Return the attempt *id* of the agenda, or None."""
    return next((attempt for attempt in world.agenda if attempt.id == id), None)


def refuse(host: Host, attempt: Attempt, reason: e.Reason) -> None:
    """Emit that *attempt* is refused, for *reason*."""
    host.emit(
        e.AttemptRefused,
        attempt=attempt.id,
        operation=attempt.operation,
        reasons=(reason,),
        rules=(reason.rule,),
    )
