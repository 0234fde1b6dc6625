"""Explanations of values that the rules compute: a market value, a rank, a limit."""

from typing import Any

import msgspec

from nomoledger.errors import UnknownError
from nomoledger.game.explanation.recorded_past import RecordedPast
from nomoledger.game.explanation.rendering import ExplanationWriter
from nomoledger.language.host import Refused, Suspended
from nomoledger.language.linker import analyze_rules
from nomoledger.language.tracing import Tracer
from nomoledger.sandbox.child import Limits
from nomoledger.sandbox.worker import call_in_worker
from nomoledger.state.world import Attempt


class Computed(msgspec.Struct, frozen=True):
    """A value computed by the rules in force at the end of a period.

    Attributes:
        subject: the entity that the value is about.
        what: the value operation.
        period: the period.
        value: the value.
        trail: the steps of the computation, as indented lines.
    """

    subject: str
    what: str
    period: int
    value: Any
    trail: tuple[str, ...]


def is_computed(past: RecordedPast, what: str) -> bool:
    """Return whether a rule in force then defines *what* as a value."""
    operation = analyze_rules(past.world.rules).operations.get(what)
    return operation is not None and operation.is_value and bool(operation.definitions)


def explain_computed(
    past: RecordedPast, subject: str, what: str, *, limits: Limits | None = None
) -> Computed:
    """Explain how the rules compute *what*, a value that they define, for *subject*.

    Raises:
        UnknownError: there is no such thing, or the value depends on chance or on a person.
        RuleFault: rule code failed.
    """
    thing = past.find(subject)
    value, trail = call_in_worker(
        lambda: _compute(past, thing, what), tuple[Any, list[str]], limits
    )
    return Computed(past.names.display(thing), what, past.period, value, tuple(trail))


def _compute(past: RecordedPast, thing: str, what: str) -> tuple[Any, list[str]]:
    tracer = Tracer()
    program = tracer.link(past.world.rules)
    attempt = Attempt(id="query", operation=what, at=past.world.game["now"])
    program.host.begin(past.world, attempt)
    try:
        value = program.call(what, thing)
    except (Refused, Suspended) as error:
        raise UnknownError(f"{past.game}: {what} of {past.names.display(thing)}: {error}") from None
    ((_, tree),) = tracer.gathered()
    lines = ExplanationWriter(program, past.names).outcome(tree.nodes[1])
    return past.names.label(value), [str(line) for line in lines]
