"""Signatures: which arguments each function takes that rule code can call."""

import ast
import inspect
from functools import lru_cache

import msgspec

from nomoledger.intake.nearest import meant
from nomoledger.language.host_verbs import HOST_VERBS
from nomoledger.language.operations import Operation
from nomoledger.language.prelude import PRELUDE, PRELUDE_OF_LEVEL_2

#: How many arguments functions of Starlark take: at least, and at most (None for any number).
_STARLARK: dict[str, tuple[int, int | None]] = {
    "abs": (1, 1), "any": (1, 1), "bool": (0, 1), "enumerate": (1, 2), "len": (1, 1),
    "list": (0, 1), "max": (1, None), "min": (1, None), "range": (1, 3), "repr": (1, 1),
    "reversed": (1, 1), "sorted": (1, 1), "str": (1, 1), "tuple": (0, 1), "type": (1, 1),
}  # fmt: skip
_STARLARK_KEYWORDS = {
    "max": {"key"}, "min": {"key"}, "sorted": {"key", "reverse"}, "enumerate": {"start"},
    "int": {"base"}, "fail": {"sep"},
}  # fmt: skip


class Signature(msgspec.Struct, frozen=True):
    """The parameters of a function.

    Attributes:
        names: those that can be given by position.
        takes_more: whether further arguments can follow by position.
        keywords: those that can only be given by name.
        takes_any: whether any name can be given.
        optional: which of *names* have a default.
    """

    names: tuple[str, ...] = ()
    takes_more: bool = False
    keywords: frozenset[str] = frozenset()
    takes_any: bool = False
    optional: frozenset[str] = frozenset()

    def problem(self, name: str, call: ast.Call) -> str | None:
        """Return why *call* does not fit this signature of the function *name*; None if it does."""
        if any(isinstance(each, ast.Starred) for each in call.args) or any(
            keyword.arg is None for keyword in call.keywords
        ):
            return None
        given = [keyword.arg for keyword in call.keywords if keyword.arg]
        known = {*self.names, *self.keywords}
        for word in given:
            if word not in known and not self.takes_any:
                return f"{name} has no parameter {word!r}: {self._takes()}{meant(word, known)}"
        twice = [word for word in given if word in self.names[: len(call.args)]]
        if twice:
            return f"{name} is given {twice[0]!r} twice"
        if len(call.args) > len(self.names) and not self.takes_more:
            return f"{name} is given {_counted(len(call.args))}: {self._takes()}"
        missing = [
            word
            for word in self.names[len(call.args) :]
            if word not in given and word not in self.optional
        ]
        if missing:
            return f"{name} is not given {missing[0]!r}: {self._takes()}"
        return None

    def takes(self, count: int) -> bool:
        """Return whether *count* arguments fit, given by position."""
        required = len(self.names) - len(self.optional)
        return required <= count and (self.takes_more or count <= len(self.names))

    def _takes(self) -> str:
        words = [f"{n} = …" if n in self.optional else n for n in self.names]
        words += ["…"] if self.takes_more else []
        words += [f"{name} = …" for name in sorted(self.keywords)]
        return f"it takes ({', '.join(words)})"


def _counted(count: int) -> str:
    return "1 argument" if count == 1 else f"{count} arguments"


def signature_of(function: ast.FunctionDef) -> Signature:
    """Return the signature of *function*."""
    arguments = function.args
    names = tuple(argument.arg for argument in arguments.args)
    optional = frozenset(names[len(names) - len(arguments.defaults) :])
    if not arguments.defaults:
        optional = frozenset()
    return Signature(
        names,
        arguments.vararg is not None,
        frozenset(argument.arg for argument in arguments.kwonlyargs),
        arguments.kwarg is not None,
        optional,
    )


def signature_of_operation(operation: Operation) -> Signature:
    """Return the signature of *operation*, as its first definition writes it."""
    names = tuple(parameter.name for parameter in operation.parameters)
    optional = {each.name for each in operation.parameters if each.default is not None}
    return Signature(names, optional=frozenset(optional))


@lru_cache
def signature_of_verb(name: str) -> Signature | None:
    """Return the signature of a word of the language; None if it is not known."""
    if name in HOST_VERBS:
        return _of_host_verb(name)
    return _prelude_signatures().get(name) or _of_starlark(name)


def _of_host_verb(name: str) -> Signature:
    _host, *parameters = inspect.signature(HOST_VERBS[name].function).parameters.values()
    plain = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    optional = frozenset(each.name for each in plain if each.default is not each.empty)
    return Signature(
        tuple(each.name for each in plain),
        any(each.kind is each.VAR_POSITIONAL for each in parameters),
        frozenset(each.name for each in parameters if each.kind is each.KEYWORD_ONLY),
        any(each.kind is each.VAR_KEYWORD for each in parameters),
        optional,
    )


@lru_cache
def _prelude_signatures() -> dict[str, Signature]:
    tree = ast.parse(PRELUDE + PRELUDE_OF_LEVEL_2)
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return {function.name: signature_of(function) for function in functions}


def _of_starlark(name: str) -> Signature | None:
    if name not in _STARLARK:
        return None
    least, most = _STARLARK[name]
    names = tuple(f"value {i + 1}" for i in range(least if most is None else most))
    keywords = frozenset(_STARLARK_KEYWORDS.get(name, ()))
    return Signature(names, most is None, keywords, optional=frozenset(names[least:]))
