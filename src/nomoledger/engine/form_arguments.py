"""What a form holds, as arguments of an action: texts that get the types of its parameters."""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from nomoledger.engine.possible_acts import things_for
from nomoledger.language.code import Parameter
from nomoledger.language.program import link
from nomoledger.state.world import World

_ROW = re.compile(r"\[([^\[\]]*)\]")
_WHOLE = re.compile(r"\s*-?[0-9]{1,18}\s*")


def takes_several(parameter: Parameter) -> bool:
    """Return whether *parameter* takes a list of values."""
    if parameter.type == "List" or parameter.default is None:
        return parameter.type == "List"
    return isinstance(ast.literal_eval(parameter.default), list | tuple)


def arguments_in(world: World, action: str, given: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the texts that a form holds for the fields of *action* as arguments of the action.

    What was left empty is left out. Texts that do not fit their fields stay texts: the rules say
    what is wrong with them.
    """
    operation = link(world.ruleset).links.operations.get(action)
    parameters = () if operation is None else operation.parameters
    fields = {parameter.name: parameter for parameter in parameters[1:]}
    arguments: dict[str, Any] = {}
    for name, texts in given.items():
        texts = [text.strip() for text in texts if text.strip()]
        field = fields.get(name)
        if not texts:
            continue
        is_thing = field is not None and things_for(world, field) is not None
        if field is not None and takes_several(field):
            is_rows = texts[0].startswith("[")
            arguments[name] = _items(", ".join(texts)) if is_rows or not is_thing else texts
        else:
            type_ = "Text" if field is None or is_thing else field.type
            arguments[name] = _value(texts[0], type_)
    return arguments


def values_in(world: World, action: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the *values* that a program gives for the fields of *action* as its arguments.

    Texts are read as those of a form; other values are taken as they are.
    """
    texts = {name: [value] for name, value in values.items() if isinstance(value, str)}
    others = {name: value for name, value in values.items() if not isinstance(value, str)}
    return others | arguments_in(world, action, texts)


def _items(text: str) -> list[Any]:
    """Return the items in *text*: `2, 3` or `[Ann, Bob, 8], [Bob, Ann, 9]`."""
    if text.startswith("["):
        return [_items(row) for row in _ROW.findall(text)]
    return [number_or_text(part.strip()) for part in text.split(",") if part.strip()]


def _value(text: str, type_: str) -> Any:
    if type_ in ("Flag", "") and text in ("yes", "no"):
        return text == "yes"
    return number_or_text(text) if type_ in ("Number", "Money", "") else text


def number_or_text(text: str) -> int | str:
    """Return *text* as a whole number if it is one; the rules read other numbers."""
    return int(text) if _WHOLE.fullmatch(text) else text
