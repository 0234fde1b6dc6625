"""The words of statements that tell what players do in secret.

Rules say which actions are secret. What such an action makes, only its player may know, until rules
reveal it. An order of another player that waits for it would tell when it is there, and what it is
like.
"""

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache

from nomoledger.engine.statements import Statement
from nomoledger.errors import UsageError
from nomoledger.events.rules import Rule
from nomoledger.language.code import whole_code
from nomoledger.state.world import World

#: The verb after which everybody may know what a secret action does.
_REVEAL = "reveal"


def refuse_sealed(world: World, statements: Iterable[str]) -> None:
    """Check that none of the *statements* of an order is about what is done in secret in *world*.

    Raises:
        UsageError: a statement has a word that tells of it.
    """
    sealed = sealed_words(world.rules)
    for word in sorted({word for text in statements for word in Statement(text).names()}):
        if word in sealed:
            raise UsageError(
                f"{word} depends on what players do in secret: no order can wait for it"
            )


def sealed_words(rules: Iterable[Rule]) -> set[str]:
    """Return the attributes and values that tell what secret actions of *rules* make.

    An attribute does if only kinds of things have it that they create, or if they set it and one
    kind has it. A value does if its code names such a kind or attribute, or calls a function that
    does.
    """
    rules = list(rules)
    secret = {action for rule in rules for action in rule.secret}
    if not secret:
        return set()
    functions = [function for rule in rules for function in _functions(whole_code(rule))]
    makers = _reached(functions, secret)
    kinds = {text for maker in makers for text in _given(_sealed_part(maker), "create", 0)}
    changed = {text for maker in makers for text in _given(_sealed_part(maker), "set", 1)}
    owners: dict[str, set[str]] = {}
    for rule in rules:
        for kind, attributes in rule.declares.items():
            for name in attributes:
                owners.setdefault(name, set()).add(kind)
    words = {
        name
        for name, having in owners.items()
        if having <= kinds or (name in changed and len(having) == 1)
    }
    named = words - set().union(*owners.values())  # What is a kind, too, may be named as a kind.
    return words | _values(functions, kinds | named)


def _reached(functions: list[ast.FunctionDef], names: set[str]) -> list[ast.FunctionDef]:
    """Return the functions that define the operations *names*, and what they call in secret."""
    known, reached = set[str](), list[ast.FunctionDef]()
    while names:
        known |= names
        found = [f for f in functions if _operation(f, ("define", "action")) in names]
        reached += found
        called = {name for f in found for name in _called(_sealed_part(f))}
        names = called - known
    return reached


def _values(functions: list[ast.FunctionDef], told: set[str]) -> set[str]:
    """Return the names of the values whose code names something that is *told* of."""
    telling = {f.name for f in functions if told & _texts(f)}
    while True:
        names = {name.removeprefix("value_") for name in telling}
        more = {f.name for f in functions if names & _called(f.body)}
        if more <= telling:
            return {name.removeprefix("value_") for name in telling if name.startswith("value_")}
        telling |= more


@lru_cache(maxsize=1024)
def _functions(code: str) -> tuple[ast.FunctionDef, ...]:
    return tuple(node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef))


def _operation(function: ast.FunctionDef, kinds: tuple[str, ...]) -> str:
    """Return the operation that *function* defines; its own name if it defines none."""
    kind, _, name = function.name.partition("_")
    return name if kind in kinds else function.name


def _sealed_part(function: ast.FunctionDef) -> list[ast.stmt]:
    """Return the statements of *function* before everything is revealed."""
    for place, statement in enumerate(function.body):
        if isinstance(statement, ast.Expr) and _name_of(statement.value) == _REVEAL:
            return function.body[:place]
    return function.body


def _calls(body: list[ast.stmt]) -> Iterator[ast.Call]:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call):
                yield node


def _called(body: list[ast.stmt]) -> set[str]:
    return {_name_of(call) for call in _calls(body)}


def _given(body: list[ast.stmt], verb: str, place: int) -> Iterator[str]:
    """Yield the texts that *body* gives to *verb* at a *place* of its arguments."""
    for call in _calls(body):
        if _name_of(call) == verb and len(call.args) > place:
            yield from _text(call.args[place])


def _texts(function: ast.FunctionDef) -> set[str]:
    """Return the texts that *function* gives to what it calls."""
    return {text for call in _calls(function.body) for given in call.args for text in _text(given)}


def _text(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _name_of(node: ast.expr) -> str:
    """Return the name of the function that *node* calls; "" if it calls none by name."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id
    return ""
