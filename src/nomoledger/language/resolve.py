"""From what people write (square 9, "Ann") to what rules work with, by a parameter's type."""

import ast
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, NoReturn

from nomoledger import events as e
from nomoledger.language.code import Parameter
from nomoledger.language.host import Refused
from nomoledger.language.operations import Operation, kind_type
from nomoledger.state.world import World


def named_arguments(
    world: World, operation: Operation, given: tuple[Any, ...], named: dict[str, Any]
) -> dict[str, Any]:
    """The arguments of *operation* by name, resolved by the types that its definition states.

    Raises:
        Refused: an argument is missing, unknown, or names nothing that exists.
    """
    _, hook = operation.definitions[0]
    known = [parameter.name for parameter in hook.parameters]
    both = dict(zip(known, given, strict=False)) | named
    if unknown := sorted(set(both) - set(known)):
        _no(f"{operation.name} does not take {unknown[0]!r}; it takes {', '.join(known)}")
    if operation.is_action:  # people leave out what they have nothing to say about
        both = {name: value for name, value in both.items() if value is not None}
    arguments: dict[str, Any] = {}
    for parameter in hook.parameters:
        if parameter.name in both:
            arguments[parameter.name] = resolve(world, parameter, both[parameter.name])
        elif parameter.default is None:
            _no(f"{operation.name} needs to be told {parameter.name!r}")
    return arguments


def in_order(operation: Operation, arguments: dict[str, Any]) -> list[Any]:
    """The *arguments* of *operation* by position, with its defaults where one is not given."""
    _, hook = operation.definitions[0]
    return [
        arguments[each.name] if each.name in arguments else ast.literal_eval(str(each.default))
        for each in hook.parameters
    ]


def resolve(world: World, parameter: Parameter, value: Any) -> Any:
    """*value* as the type of *parameter* asks."""
    if value is None:
        return None
    if parameter.type == "":
        return value
    takes_several = str(parameter.default).startswith("[")
    if not _is_told(value):
        _no(f"{parameter.name} is not told like this: {value!r}")
    if isinstance(value, list) and parameter.type != "List" and not takes_several:
        _no(f"{parameter.name} is one thing, not {value!r}")
    if takes_several and not isinstance(value, list):
        value = [value]
    if isinstance(value, list):
        return value if parameter.type == "List" else _each(world, parameter, value)
    kinds = _kinds(world.known_kinds(), parameter.type)
    for kind in kinds:
        if len(kinds) == 1 or _called(world, kind, value) is not None:
            return entity(world, kind, value)
    if kinds:
        _no(f"there is no {' and no '.join(kinds)} {value!r}")
    if parameter.type in ("Number", "Money"):
        return _number(parameter, value)
    if parameter.type == "Text" and not isinstance(value, str):
        return str(value)
    if parameter.type == "List":
        _no(f"{parameter.name} is a list, not {value!r}")
    if parameter.type == "Flag" and not isinstance(value, bool):
        _no(f"{parameter.name} is yes or no, not {value!r}")
    return value


def _each(world: World, parameter: Parameter, values: list[Any]) -> list[Any]:
    """Each of *values*, and of those in lists among them, as the type of *parameter* asks."""
    one = Parameter(parameter.name, parameter.type)
    return [
        _each(world, parameter, value) if isinstance(value, list) else resolve(world, one, value)
        for value in values
    ]


def _is_told(value: Any) -> bool:
    """Whether *value* is no table, nor a list in which there is what rules cannot keep."""
    if not isinstance(value, list):
        return not isinstance(value, dict)
    return all(
        each is None or (isinstance(each, int | str | list) and _is_told(each)) for each in value
    )


@lru_cache(maxsize=1024)
def _kinds(known: tuple[str, ...], type_: str) -> list[str]:
    """Which of the *known* kinds *type_* (`Player | Square`) speaks of."""
    wanted = type_.split(" | ")
    return [kind for kind in known if kind_type(kind) in wanted]


def entity(world: World, kind: str, called: Any) -> str:
    """The thing of *kind* that people call *called*."""
    found = _called(world, kind, called)
    if found is None:
        _no(f"there is no {kind} {called!r}")
    return found


def _called(world: World, kind: str, called: Any) -> str | None:
    found = world.find(kind, called) if isinstance(called, str | int) else None
    if found is None and isinstance(called, str) and called.lstrip("-").isdigit():
        found = world.find(kind, int(called))
    return found


def _number(parameter: Parameter, value: Any) -> int | Decimal:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        _no(f"{parameter.name} is a number, not {value!r}")
    if not amount.is_finite():
        _no(f"{parameter.name} is a number, not {value!r}")
    return int(amount) if amount == amount.to_integral_value() else amount


def _no(text: str) -> NoReturn:
    raise Refused([e.Reason("engine", text)])
