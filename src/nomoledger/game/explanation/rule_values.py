"""Explanations of values that the rules compute: a market value, a rank, a limit."""

from typing import Any

import msgspec

from nomoledger.errors import UnknownError
from nomoledger.game.explanation.recorded_past import RecordedPast
from nomoledger.game.explanation.rendering import ExplanationWriter, TrailTeller
from nomoledger.language.host import Refused, Suspended
from nomoledger.language.linker import analyze_rules
from nomoledger.language.tracing import Tracer
from nomoledger.sandbox.limits import AGAIN, Limits
from nomoledger.sandbox.sandbox import call_in_sandbox
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.world import Attempt, World


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
    return call_in_sandbox(_defines_value, past.world.ruleset, what, kind=bool)


def _defines_value(ruleset: Ruleset, what: str) -> bool:
    operation = analyze_rules(ruleset).operations.get(what)
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
    arguments = (past.game, past.world, past.names, thing, what)
    kind = tuple[Any, list[str]]
    value, trail = call_in_sandbox(_compute, *arguments, kind=kind, limits=limits or AGAIN)
    return Computed(past.names.display(thing), what, past.period, value, tuple(trail))


def _compute(
    game: str, world: World, names: TrailTeller, thing: str, what: str
) -> tuple[Any, list[str]]:
    tracer = Tracer()
    program = tracer.link(world.ruleset)
    attempt = Attempt(id="query", operation=what, at=world.game["now"])
    program.host.begin(world, attempt)
    try:
        value = program.call(what, thing)
    except (Refused, Suspended) as error:
        raise UnknownError(f"{game}: {what} of {names.display(thing)}: {error}") from None
    ((_, tree),) = tracer.gathered()
    lines = ExplanationWriter(program, names).outcome(tree.nodes[1])
    return names.label(value), [str(line) for line in lines]
