"""Queries: values that the rules compute on a state, outside of any attempt."""

from collections.abc import Sequence
from typing import Any

from nomoledger.errors import RuleFault
from nomoledger.language.host import Refused, Suspended
from nomoledger.language.program import link
from nomoledger.state.world import Attempt, World


def values_of(world: World, operation: str, calls: Sequence[tuple[Any, ...]]) -> list[Any] | None:
    """Return the values of *operation* by the rules of *world*, for the arguments of each call.

    None if the rules do not define the operation, or if it depends on chance or on a person.
    """
    program = link(world.ruleset)
    defined = program.links.operations.get(operation)
    if defined is None or not defined.definitions:
        return None
    program.host.begin(world, Attempt(id="query", operation=operation, at=world.game["now"]))
    try:
        return [program.call(operation, *arguments) for arguments in calls]
    except (Refused, Suspended):
        return None


def values_of_all(
    world: World, asked: Sequence[tuple[str, Sequence[tuple[Any, ...]]]]
) -> list[list[Any] | None]:
    """Return what `values_of` returns for each operation with its calls; None if rules fail."""
    return [_values_or_none(world, operation, calls) for operation, calls in asked]


def _values_or_none(
    world: World, operation: str, calls: Sequence[tuple[Any, ...]]
) -> list[Any] | None:
    try:
        return values_of(world, operation, calls)
    except RuleFault:
        return None
