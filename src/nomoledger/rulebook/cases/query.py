"""Asks the rules for a value, without leaving a trace."""

from typing import Any

from nomoledger.errors import RulebookError
from nomoledger.language.host import Refused, Suspended
from nomoledger.language.program import link
from nomoledger.language.resolve import named_arguments
from nomoledger.state.world import Attempt, World


def ask_value(world: World, name: str, arguments: dict[str, Any]) -> Any:
    """What operation *name* gives for *arguments*, with things as people call them.

    Raises:
        RulebookError: there is no such operation, it refuses, or it asks somebody.
    """
    program = link(world.rules)
    operation = program.links.operations.get(name)
    if operation is None or not operation.definitions:
        values = sorted(n for n, each in program.links.operations.items() if each.is_value)
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
    """*value* with every thing in it as people call it."""
    if isinstance(value, list | tuple):
        return [labelled(world, each) for each in value]
    if isinstance(value, dict):
        return {str(world.label(key)): labelled(world, each) for key, each in value.items()}
    return world.label(value)
