"""Values of operations, computed without changing the world."""

from typing import Any

from nomoledger.errors import RulebookError
from nomoledger.language.host import Refused, Suspended
from nomoledger.language.program import link
from nomoledger.language.resolve import named_arguments
from nomoledger.state.world import Attempt, World


def ask_value(world: World, name: str, arguments: dict[str, Any]) -> Any:
    """Return the result of operation *name* with *arguments*; entities are given by their labels.

    Raises:
        RulebookError: there is no such operation, it refuses, or it asks a question.
    """
    program = link(world.ruleset)
    operation = program.links.operations.get(name)
    if operation is None or not operation.definitions:
        values = sorted(n for n, op in program.links.operations.items() if op.is_value)
        raise RulebookError(f"no rule says what {name!r} is; values are: {', '.join(values)}")
    mark = world.mark()
    try:
        program.host.begin(world, Attempt(id="query", operation=name, at=world.game["now"]))
        named = named_arguments(world, operation, (), arguments)
        return labelled(world, program.call(name, **named))
    except Refused as error:
        raise RulebookError(f"{name}: {error}") from None
    except Suspended as error:
        raise RulebookError(f"{name} asks {error.question.to}: {error.question.text}") from None
    finally:
        world.rollback(mark)


def labelled(world: World, value: Any) -> Any:
    """Return *value* with each entity replaced by its label."""
    if isinstance(value, list | tuple):
        return [labelled(world, item) for item in value]
    if isinstance(value, dict):
        return {str(world.label(key)): labelled(world, item) for key, item in value.items()}
    return world.label(value)
