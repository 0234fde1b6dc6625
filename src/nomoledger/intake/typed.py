"""The types of what a program hands in, checked against the annotations of what it calls."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import msgspec

from nomoledger.errors import UsageError
from nomoledger.intake.wrong_form import plain_words


class Types:
    """The types of the parameters of a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Read the annotations of *function*, whose first parameter is left out.

        What is annotated by a text, since its type is imported late, is not checked.
        """
        _, *parameters = signature(function).parameters.values()
        self.names = [parameter.name for parameter in parameters]
        self._types = {
            parameter.name: parameter.annotation
            for parameter in parameters
            if parameter.kind != parameter.VAR_KEYWORD
            and parameter.annotation is not Any
            and not isinstance(parameter.annotation, str)
        }

    def checked(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return *fields*, arguments by name, with values of the right types.

        Raises:
            UsageError: the type of a value, or of a field of a struct in it, is another one.
        """
        return {
            name: _checked(name, value, self._types[name]) if name in self._types else value
            for name, value in fields.items()
        }


def _checked(name: str, value: Any, type_: Any) -> Any:
    try:
        if isinstance(value, tuple) and value:  # `convert` does not look into structs
            return msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=type_)
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        raise UsageError(f"the request: {name}: {plain_words(error)}") from None
