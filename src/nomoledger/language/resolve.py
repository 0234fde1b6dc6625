"""Resolution of what people write (square 9, "Ann") to values of rule code, by type."""

import ast
import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, NoReturn

from nomoledger import events as e
from nomoledger.language.code import Parameter
from nomoledger.language.host import Refused
from nomoledger.language.operations import Operation, kind_type
from nomoledger.state.world import World

#: The type of things of any kind.
ANY_KIND = "Thing"
#: The types whose values are numbers.
_NUMBERS = ("Number", "Money", "Time", "Duration")
#: A whole number as people write it, such as that of a square.
WHOLE = re.compile(r"-?[0-9]{1,18}")
#: How many letters a number may be written with, and how many digits it may have on either side of
#: the decimal point: `1e9999999` would take minutes to write out.
_LETTERS_MAX = 100
_DIGITS_MAX = 40


def named_arguments(
    world: World, operation: Operation, positional: tuple[Any, ...], named: dict[str, Any]
) -> dict[str, Any]:
    """Return the arguments of *operation* by name, resolved by the types of its parameters.

    Raises:
        Refused: an argument is missing, is unknown, or names a thing that does not exist.
    """
    known = [parameter.name for parameter in operation.parameters]
    written = dict(zip(known, positional, strict=False)) | named
    if unknown := sorted(set(written) - set(known)):
        _refuse(f"{operation.name} does not take {unknown[0]!r}; it takes {', '.join(known)}")
    if operation.is_action:  # In a submission, None means the same as leaving the argument out.
        written = {name: value for name, value in written.items() if value is not None}
    arguments: dict[str, Any] = {}
    for parameter in operation.parameters:
        if parameter.name in written:
            arguments[parameter.name] = resolve(world, parameter, written[parameter.name])
        elif parameter.default is None:
            _refuse(f"{operation.name} needs to be told {parameter.name!r}")
    return arguments


def positional_arguments(operation: Operation, arguments: dict[str, Any]) -> list[Any]:
    """Return the *arguments* of *operation* by position, with defaults for missing ones."""
    return [
        arguments[parameter.name]
        if parameter.name in arguments
        else ast.literal_eval(str(parameter.default))
        for parameter in operation.parameters
    ]


def resolve(world: World, parameter: Parameter, value: Any) -> Any:
    """Return *value* resolved to the type of *parameter*.

    Raises:
        Refused: *value* does not fit the type, or names a thing that does not exist.
    """
    if value is None:
        return None
    if parameter.type == "":
        return value
    takes_several = str(parameter.default).startswith("[")
    if not _is_plain_data(value):
        _refuse(f"{parameter.name} is not told like this: {value!r}")
    if isinstance(value, list) and parameter.type != "List" and not takes_several:
        _refuse(f"{parameter.name} is one thing, not {value!r}")
    if takes_several and not isinstance(value, list):
        value = [value]
    if isinstance(value, list):
        return value if parameter.type == "List" else _resolve_items(world, parameter, value)
    kinds = _kinds(world.known_kinds(), parameter.type)
    for kind in kinds:
        if len(kinds) == 1 or _find(world, kind, value) is not None:
            return resolve_entity(world, kind, value)
    if kinds:
        _refuse(f"there is no {' and no '.join(kinds)} {value!r}")
    if parameter.type in _NUMBERS:
        return _number(parameter, value)
    if parameter.type == "Text" and not isinstance(value, str):
        return str(value)
    if parameter.type == "List":
        _refuse(f"{parameter.name} is a list, not {value!r}")
    if parameter.type == "Flag" and not isinstance(value, bool):
        _refuse(f"{parameter.name} is yes or no, not {value!r}")
    return value


def _resolve_items(world: World, parameter: Parameter, values: list[Any]) -> list[Any]:
    """Return each of *values*, and each item of lists among them, resolved as *parameter*."""
    item = Parameter(parameter.name, parameter.type)
    return [
        _resolve_items(world, parameter, value)
        if isinstance(value, list)
        else resolve(world, item, value)
        for value in values
    ]


def _is_plain_data(value: Any) -> bool:
    """Return whether *value* consists of whole numbers, text, flags and lists of them."""
    if not isinstance(value, list):
        return not isinstance(value, dict)
    return all(
        item is None or (isinstance(item, int | str | list) and _is_plain_data(item))
        for item in value
    )


@lru_cache(maxsize=1024)
def _kinds(known: tuple[str, ...], type_: str) -> list[str]:
    """Return which of the *known* kinds the type *type_* (`Player | Square`) names."""
    names = type_.split(" | ")
    if ANY_KIND in names:
        return list(known)
    return [kind for kind in known if kind_type(kind) in names]


def resolve_entity(world: World, kind: str, called: Any) -> str:
    """Return the thing of *kind* that people call *called*.

    Raises:
        Refused: there is none.
    """
    entity = _find(world, kind, called)
    if entity is None:
        _refuse(f"there is no {kind} {called!r}")
    return entity


def _find(world: World, kind: str, called: Any) -> str | None:
    entity = world.find(kind, called) if isinstance(called, str | int) else None
    if entity is None and isinstance(called, str) and WHOLE.fullmatch(called):
        entity = world.find(kind, int(called))
    return entity


def _number(parameter: Parameter, value: Any) -> int | Decimal:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = str(value)
    try:
        amount = Decimal(text) if len(text) <= _LETTERS_MAX else Decimal("NaN")
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite():
        _refuse(f"{parameter.name} is a number, not {value!r:.60}")
    if amount and not -_DIGITS_MAX <= amount.adjusted() <= _DIGITS_MAX:
        _refuse(f"{parameter.name} is a number of at most {_DIGITS_MAX} digits, not {text:.60}")
    return int(amount) if amount == amount.to_integral_value() else amount


def _refuse(text: str) -> NoReturn:
    raise Refused([e.Reason("engine", text)])
