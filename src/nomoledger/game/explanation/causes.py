"""Explanations of events and values: back through causes to the die, submission or ruling.

Trails are not stored. The attempt behind an event is run again on the state before it, with the
recorded draws, by a program that traces every step (`nomoledger.language.tracing`).
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.explanation.recorded_past import RecordedPast
from nomoledger.game.explanation.traced_run import TracedRun
from nomoledger.ledger.ledger import Ledger
from nomoledger.prose.descriptions import describe_request
from nomoledger.sandbox.limits import AGAIN, Limits
from nomoledger.sandbox.sandbox import call_in_sandbox
from nomoledger.state.world import World


class Cause(msgspec.Struct, frozen=True):
    """One event among the causes of another.

    Attributes:
        event: number of the event.
        told: the event in words.
        rules: the rules behind it.
    """

    event: int
    told: str
    rules: tuple[str, ...]


class Explanation(msgspec.Struct, frozen=True):
    """Why an event happened.

    Attributes:
        event: number of the event.
        told: the event in words.
        rules: the rules behind it.
        causes: the events that led to it, back to an input.
        trail: how the rules led from the attempt to the event, as indented lines.
    """

    event: int
    told: str
    rules: tuple[str, ...]
    causes: tuple[Cause, ...]
    trail: tuple[str, ...]


class ExplainedValue(msgspec.Struct, frozen=True):
    """Why an attribute has its value.

    Attributes:
        subject: the entity or rule.
        what: the attribute or parameter.
        period: the period at whose end (or now) it has that value.
        value: the value.
        why: the explanation of the event that set it.
    """

    subject: str
    what: str
    period: int
    value: Any
    why: Explanation


def explain(ledger: Ledger, game: str, number: int, *, limits: Limits | None = None) -> Explanation:
    """Explain why event *number* of *game* happened.

    Raises:
        UnknownError: there is no such event.
        RuleFault: rule code failed when it was run again.
    """
    return explain_event(RecordedPast(ledger, game), number, limits)


def explain_event(past: RecordedPast, number: int, limits: Limits | None = None) -> Explanation:
    """Explain event *number*, with the names of *past*."""
    bodies = past.bodies
    if not 0 <= number < len(bodies):
        last = len(bodies) - 1
        raise UnknownError(f"{past.game}: there is no event #{number}; the last is #{last}")
    causes = tuple(
        Cause(at, past.names.tell(bodies[at]), bodies[at].rules) for at in past.causes(number)
    )
    body = bodies[number]
    if isinstance(body, e.Input):
        trail: tuple[str, ...] = ()
    elif (ruling := _settled_by(past, body)) is not None:
        trail = tuple(f"    {line}" for line in _describe_ruling(past, ruling))
    else:
        trail = _trail(past, number, limits)
    return Explanation(number, past.names.tell(body), body.rules, causes, trail)


def explain_value(
    past: RecordedPast, subject: str, what: str, *, limits: Limits | None = None
) -> ExplainedValue:
    """Explain why *what* of *subject* has its value.

    *subject* is a player, a square or any other entity, or the number of a rule; *what* is an
    attribute or a parameter of the rule.

    Raises:
        UnknownError: there is no such thing, or nothing ever changed it.
        RuleFault: rule code failed when it was run again.
    """
    if past.world.rule(subject) is not None:
        subject_name, value, number = f"rule {subject}", *_parameter(past, subject, what)
    else:
        thing = past.find(subject)
        subject_name, value = (
            past.names.display(thing),
            past.names.label(past.world.get(thing, what)),
        )
        number = _last_set(past, thing, what)
    if number is None:
        raise UnknownError(f"{past.game}: nothing ever changed {what!r} of {subject}")
    return ExplainedValue(
        subject_name, what, past.period, value, explain_event(past, number, limits)
    )


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
    """Return the value of a parameter of rule *number*, and the event that set it."""
    rule = past.world.rule(number)
    value = None if rule is None else rule.parameters.get(what)
    event = None
    for at in reversed(range(len(past.bodies))):
        body = past.bodies[at]
        if isinstance(body, e.RuleRenumbered) and body.to == number:
            number = body.number
        elif isinstance(body, e.RuleEnacted | e.RuleAmended) and body.rule.number == number:
            if what not in body.rule.parameters or body.rule.parameters[what] != value:
                break
            event = at
    return value, event


# --- corrections by rulings ---------------------------------------------------------------------


def _settled_by(past: RecordedPast, body: e.Event) -> e.RulingMade | None:
    """Return the ruling that reached back and led to *body*, or None."""
    cause = None if body.cause is None else past.bodies[body.cause]
    if isinstance(cause, e.RulingMade) and cause.effective is not None:
        return cause
    return None


def _describe_ruling(past: RecordedPast, ruling: e.RulingMade) -> Iterator[str]:
    """Yield how *ruling* changed the recorded inputs, as lines."""
    for edit in ruling.edits:
        if isinstance(edit, e.Replaced):
            recorded = past.names.tell(past.bodies[edit.event])
            yield f"#{edit.event} {recorded}: it should have been {_format_value(edit.value)}"
        elif isinstance(edit, e.LeftOut):
            yield f"#{edit.event} {past.names.tell(past.bodies[edit.event])}: it does not count"
        elif isinstance(edit, e.TakenIn):
            request = describe_request(edit.by, edit.action, edit.arguments)
            yield f"after #{edit.after}: {request}, which was overlooked"
        else:
            yield f"{edit.question}: answered {_format_value(edit.value)}"
    for number in ruling.overrules:
        yield f"ruling {number} no longer holds"
    yield f"everything from period {ruling.effective} on was played again with this change;"
    yield "this event brings the present state in line with the result"


def _format_value(value: Any) -> str:
    """Return a value of an edit in words."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_format_value(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_format_value, value))
    return str(value)


# --- traced runs --------------------------------------------------------------------------------


def _trail(past: RecordedPast, number: int, limits: Limits | None) -> tuple[str, ...]:
    """Return how the rules led to event *number*, from a traced run in a sandbox."""
    bodies = past.bodies
    start = max(at for at in range(number + 1) if isinstance(bodies[at], e.Input))
    secret = past.ledger.secret(past.game)
    arguments = (past.before(start), past.entries, secret, bodies[start:], number - start)
    return tuple(call_in_sandbox(_trail_to, *arguments, kind=list[str], limits=limits or AGAIN))


def _trail_to(
    world: World, entries: list[e.Entry], secret: bytes, bodies: list[e.Event], place: int
) -> list[str]:
    """Return how the input that *bodies* begin with led to the event at *place* among them."""
    end = 0
    for attempt in TracedRun(world, entries, secret, entries).take(bodies):
        end += len(attempt.batch)
        if end > place:
            return list(map(str, attempt.lines_to(attempt.batch[place - end])))
    return []
