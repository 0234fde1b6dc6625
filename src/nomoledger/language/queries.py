"""Queries: values that the rules compute on a state, outside of any attempt."""

from collections.abc import Sequence
from typing import Any

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
