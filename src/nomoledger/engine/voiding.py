"""Rulings that something is void: it ends, whatever the rules say and whether or not they run."""

from nomoledger import events as e
from nomoledger.engine.steps import attempt_on_agenda, host_without_rules, refuse
from nomoledger.errors import UnknownError
from nomoledger.language.host import Frame, Host
from nomoledger.state.reducer import RULINGS, belongs_to_input, split_void
from nomoledger.state.world import Attempt, World

#: What can be void, besides disputes, which rulings close.
KINDS = ("request", "order", "timer", "question", "proposal")


def check_void(world: World, item: str) -> None:
    """Check that there is *item*, as in `RulingMade.voids`, and that it can be void.

    Raises:
        UnknownError: there is nothing of that kind and name, or it has ended already.
    """
    kind, name = split_void(item)
    known = names_of(world, kind)
    if name not in known:
        there_is = ", ".join(known) or "none"
        raise UnknownError(f"there is no {kind} {name!r:.80} to be void; there is: {there_is}")


def names_of(world: World, kind: str) -> list[str]:
    """Return the names of all things of that *kind*, one of `KINDS`, that can be void."""
    if kind == "order":
        return list(world.orders)
    if kind == "timer":
        return list(world.timers)
    if kind == "question":
        return list(world.questions)
    if kind == "proposal":
        voided = world.game.get("voided", ())
        return [str(number) for number in world.proposals if number not in voided]
    return list(dict.fromkeys(attempt.id.partition(">")[0] for attempt in world.agenda))


def audience_of(world: World, item: str) -> tuple[str, ...] | None:
    """Return who may know of *item*; None for everybody."""
    kind, name = split_void(item)
    if kind == "order":
        return world.orders[name][0].audience
    if kind == "timer":
        return world.timers[name].attempt.audience
    if kind == "question":
        return world.questions[name].audience
    if kind == "request":
        return next(x.audience for x in world.agenda if belongs_to_input(x.id, name))
    return None


def carry_out_void(world: World, attempt: Attempt) -> list[e.Event]:
    """Carry out the ruling of *attempt* that something is void, and return the events."""
    ruling, _ = world.rulings[attempt.arguments[0]]
    host = host_without_rules(world, attempt)
    for item in ruling.voids:
        _end(host, ruling, *split_void(item))
    host.audience = attempt.audience
    host.frames = [Frame("", (), "engine")]
    host.emit(e.AttemptDone, attempt=attempt.id)
    return host.staged


def _end(host: Host, ruling: e.RulingMade, kind: str, name: str) -> None:
    """End the thing of that *kind* and *name*, if it is still there, citing *ruling*."""
    world = host.world
    host.frames = [Frame("", (), f"ruling:{ruling.number}")]
    reason = e.Reason(f"ruling:{ruling.number}", f"void: {ruling.text}")
    if kind == "order" and name in world.orders:
        host.audience = world.orders[name][0].audience
        host.emit(e.OrderLapsed, order=name, why=reason.text)
    elif kind == "timer" and name in world.timers:
        host.audience = world.timers[name].attempt.audience
        host.emit(e.Unscheduled, attempt=name)
    elif kind == "question" and name in world.questions:
        host.audience = world.questions[name].audience
        host.emit(e.QuestionWithdrawn, question=name)
        _drop(host, attempt_on_agenda(world, name.rpartition("|")[0]), reason)
    elif kind == "request":
        for waiting in world.agenda:
            if belongs_to_input(waiting.id, name):
                _drop(host, waiting, reason)


def _drop(host: Host, attempt: Attempt | None, reason: e.Reason) -> None:
    """Take *attempt* off the agenda."""
    if attempt is None:
        return
    host.audience = attempt.audience
    if attempt.operation in RULINGS:  # a ruling that is not carried out is not in force
        refuse(host, attempt, reason)
    else:
        host.emit(e.Unscheduled, attempt=attempt.id)
