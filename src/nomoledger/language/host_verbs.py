"""The registry of host verbs: the functions of the engine that rule code may call.

Each verb is defined once, by a function with the decorator `host_verb`. The linker, the checker
of rulebooks, code generation, tracing and `docs/rule-language.md` read the registry.
"""

import inspect
import json
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeVar

import msgspec

#: The API levels of rule code that the verbs implement: `api` in the front matter of a rulebook.
API_LEVELS = (0,)
#: What a verb is for: to change the game, to change the rules, to read, to ask chance or people.
Purpose = Literal["change", "amend", "read", "ask"]
Function = TypeVar("Function", bound=Callable[..., Any])


class HostVerb(msgspec.Struct, frozen=True, dict=True):
    """A function that rule code may call.

    Attributes:
        name: the name in rule code.
        function: the implementation, which takes the host before the verb's own arguments.
        purpose: what the verb is for; only verbs that "change" or "amend" may change the game.
        is_hookable: whether rules may hook the verb like an operation of their own.
        is_wrapped: whether rule code calls a function of the prelude, which calls the verb.
        is_traced: whether a trace notes what the verb read.
        depends_on_caller: whether the result depends on the operations under way.
        since: the first level of games that have the verb.
    """

    name: str
    function: Callable[..., Any]
    purpose: Purpose
    is_hookable: bool = False
    is_wrapped: bool = False
    is_traced: bool = False
    depends_on_caller: bool = False
    since: int = 0

    @property
    def bound_name(self) -> str:
        """The name under which generated code finds the function."""
        if self.is_hookable:
            return f"_verb_{self.name}"
        return f"_{self.name}" if self.is_wrapped else self.name

    @cached_property
    def signature(self) -> str:
        """The parameters as rule code writes them: `account, amount, why = ""`."""
        return ", ".join(_format_parameter(parameter) for parameter in self._parameters)

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each parameter that can be given by position."""
        return {
            parameter.name: position
            for position, parameter in enumerate(self._parameters)
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        }

    @cached_property
    def description(self) -> str:
        """What the verb does, in one paragraph, from the docstring of its function."""
        return " ".join((inspect.getdoc(self.function) or "").split())

    @cached_property
    def _parameters(self) -> list[inspect.Parameter]:
        _host, *parameters = inspect.signature(self.function).parameters.values()
        return parameters


#: Every host verb by name, in the order in which they are defined.
HOST_VERBS: dict[str, HostVerb] = {}


def host_verb(
    purpose: Purpose,
    *,
    name: str = "",
    hookable: bool = False,
    wrapped: bool = False,
    traced: bool = False,
    depends_on_caller: bool = False,
    since: int = 0,
) -> Callable[[Function], Function]:
    """Register the decorated function as the host verb *name* (by default the function's name).

    The other arguments are described at `HostVerb`.
    """

    def register(function: Function) -> Function:
        verb = HostVerb(
            name=name or function.__name__,
            function=function,
            purpose=purpose,
            is_hookable=hookable,
            is_wrapped=wrapped,
            is_traced=traced,
            depends_on_caller=depends_on_caller,
            since=since,
        )
        assert verb.name not in HOST_VERBS, verb.name
        HOST_VERBS[verb.name] = verb
        return function

    return register


@lru_cache
def host_verbs_of(level: int) -> dict[str, HostVerb]:
    """Return the host verbs of games of *level* by name."""
    return {name: verb for name, verb in HOST_VERBS.items() if verb.since <= level}


def is_hookable(name: str) -> bool:
    """Return whether *name* is a host verb that rules may hook."""
    verb = HOST_VERBS.get(name)
    return verb is not None and verb.is_hookable


def _format_parameter(parameter: inspect.Parameter) -> str:
    one = parameter.name.removesuffix("s")
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"{one}, …"
    if parameter.kind is parameter.VAR_KEYWORD:
        return f"{one} = value, …"
    if parameter.default is parameter.empty:
        return parameter.name
    default = [] if parameter.default == () else parameter.default
    return f"{parameter.name} = {'None' if default is None else json.dumps(default)}"
