"""Says why something is so: back through causes to the die, submission or ruling.

Trails are not stored. The attempt behind an event is run again, from the world as it stood and with
the draws as recorded, by a program that notes every step (`nomoledger.language.tracing`).
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.explanation.recorded_past import RecordedPast
from nomoledger.game.explanation.traced_run import TracedRun
from nomoledger.ledger.ledger import Ledger
from nomoledger.sandbox.child import Limits
from nomoledger.sandbox.worker import call_in_worker


class Cause(msgspec.Struct, frozen=True):
    """One event on the way back: its number, what it says, and the rules behind it."""

    event: int
    told: str
    rules: tuple[str, ...]


class Explanation(msgspec.Struct, frozen=True):
    """Why an event came about.

    *causes* lead from the event back to an input; *trail* tells, line by line and indented, how the
    rules got from the attempt's beginning to the event.
    """

    event: int
    told: str
    rules: tuple[str, ...]
    causes: tuple[Cause, ...]
    trail: tuple[str, ...]


class ExplainedValue(msgspec.Struct, frozen=True):
    """What an attribute was at the end of *period* (or is now), and *why*: the event behind it."""

    subject: str
    what: str
    period: int
    value: Any
    why: Explanation


def explain(ledger: Ledger, game: str, number: int, *, limits: Limits | None = None) -> Explanation:
    """Why event *number* of *game* came about.

    Raises:
        UnknownError: there is no such event.
        RuleFault: rule code failed when it was run again.
    """
    return explain_event(RecordedPast(ledger, game), number, limits)


def explain_event(past: RecordedPast, number: int, limits: Limits | None = None) -> Explanation:
    """As `explain`, in the words of *past*."""
    bodies = past.bodies
    if not 0 <= number < len(bodies):
        last = len(bodies) - 1
        raise UnknownError(f"{past.game}: there is no event #{number}; the last is #{last}")
    causes = tuple(
        Cause(at, past.names.said(bodies[at]), bodies[at].rules) for at in past.causes(number)
    )
    body = bodies[number]
    if isinstance(body, e.Input):
        trail: tuple[str, ...] = ()
    elif (ruling := settled_by(past, body)) is not None:
        trail = tuple(f"    {line}" for line in what_it_ruled(past, ruling))
    else:
        trail = _trail(past, number, limits)
    return Explanation(number, past.names.said(body), body.rules, causes, trail)


def explain_value(
    past: RecordedPast, subject: str, what: str, *, limits: Limits | None = None
) -> ExplainedValue:
    """Why *what* of *subject* (a player, a square, a rule with its parameter) is as it is.

    Raises:
        UnknownError: there is no such thing, or nothing ever changed it.
        RuleFault: rule code failed when it was run again.
    """
    if past.world.rule(subject) is not None:
        called, value, number = f"rule {subject}", *_parameter(past, subject, what)
    else:
        thing = past.find(subject)
        called, value = past.names.shown(thing), past.names.label(past.world.get(thing, what))
        number = _last_set(past, thing, what)
    if number is None:
        raise UnknownError(f"{past.game}: nothing ever changed {what!r} of {subject}")
    return ExplainedValue(called, what, past.period, value, explain_event(past, number, limits))


def _last_set(past: RecordedPast, thing: str, what: str) -> int | None:
    places = reversed(range(len(past.bodies)))
    return next((at for at in places if _sets(past.bodies[at], thing, what)), None)


def _sets(body: e.Event, thing: str, what: str) -> bool:
    if isinstance(body, e.Moved):
        return body.piece == thing and what == "square"
    if isinstance(body, e.AttributeSet):
        return (body.entity, body.attribute) == (thing, what)
    return isinstance(body, e.EntityCreated) and body.entity == thing and what in body.attributes


def _parameter(past: RecordedPast, number: str, what: str) -> tuple[Any, int | None]:
    """What a parameter of rule *number* is, and the event that made it so."""
    rule = past.world.rule(number)
    value = None if rule is None else rule.parameters.get(what)
    found = None
    for at in reversed(range(len(past.bodies))):
        body = past.bodies[at]
        if isinstance(body, e.RuleRenumbered) and body.to == number:
            number = body.number
        elif isinstance(body, e.RuleEnacted | e.RuleAmended) and body.rule.number == number:
            if what not in body.rule.parameters or body.rule.parameters[what] != value:
                break
            found = at
    return value, found


# --- what a ruling put right --------------------------------------------------------------------


def settled_by(past: RecordedPast, body: e.Event) -> e.RulingMade | None:
    """The ruling that reaches back and brought *body* about, if one did."""
    cause = None if body.cause is None else past.bodies[body.cause]
    if isinstance(cause, e.RulingMade) and cause.effective is not None:
        return cause
    return None


def what_it_ruled(past: RecordedPast, ruling: e.RulingMade) -> Iterator[str]:
    """What *ruling* changed about the tape, and how to see all that follows from it."""
    for edit in ruling.edits:
        if isinstance(edit, e.Replaced):
            was = past.names.said(past.bodies[edit.event])
            yield f"#{edit.event} {was}: it should have been {told_value(edit.value)}"
        elif isinstance(edit, e.LeftOut):
            yield f"#{edit.event} {past.names.said(past.bodies[edit.event])}: it does not count"
        elif isinstance(edit, e.TakenIn):
            asked = f"{edit.by} asks to {edit.action}: {told_value(edit.arguments)}"
            yield f"after #{edit.after}: {asked}, which was overlooked"
        else:
            yield f"{edit.question}: answered {told_value(edit.value)}"
    for number in ruling.overrules:
        yield f"ruling {number} no longer holds"
    yield f"all from period {ruling.effective} on was played again so, with all else as it was;"
    yield "this brings the present to what it would have been"


def told_value(value: Any) -> str:
    """A value of an edit in words."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {told_value(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(told_value, value))
    return str(value)


# --- running it again ---------------------------------------------------------------------------


def _trail(past: RecordedPast, number: int, limits: Limits | None) -> tuple[str, ...]:
    """How the rules came to event *number*, worked out anew in a worker process."""
    bodies = past.bodies
    start = max(at for at in range(number + 1) if isinstance(bodies[at], e.Input))
    world, secret = past.before(start), past.ledger.secret(past.game)
    workings = TracedRun(world, past.entries, secret, past.entries)

    def lines() -> Iterator[str]:
        made = start
        for working in workings.take(bodies[start:]):
            made += len(working.batch)
            if made > number:
                yield from map(str, working.way_to(working.batch[number - made]))
                return

    return tuple(call_in_worker(lambda: list(lines()), list[str], limits))
