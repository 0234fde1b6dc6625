"""Mutants of a rulebook: copies with one rule, hook or parameter altered."""

import ast
from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger.events.rules import Rule
from nomoledger.language.code import parse_code
from nomoledger.rulebook.loading import Rulebook
from nomoledger.rulebook.reach import Place, places_of


class Mutant(msgspec.Struct, frozen=True):
    """A rulebook with one thing altered.

    Attributes:
        what: what is altered: `VI.3`, `VI.3.value_block` or `VI.1.parameters.squares`.
        number: the number of the altered rule.
        rules: all rules of the mutant.
        places: where a case must come by to notice, as far as the code shows.
    """

    what: str
    number: str
    rules: tuple[Rule, ...]
    places: frozenset[Place]


def mutants(rulebook: Rulebook) -> list[Mutant]:
    """Return a mutant for the code of each rule, for each of its hooks and each parameter."""
    return [
        Mutant(
            what,
            rule.number,
            tuple(altered_rule if other is rule else other for other in rulebook.rules),
            frozenset(places),
        )
        for rule in rulebook.rules
        for what, altered_rule, places in _alterations(rule, rulebook)
    ]


def _alterations(rule: Rule, rulebook: Rulebook) -> Iterator[tuple[str, Rule, set[Place]]]:
    hooks = [hook for hook in parse_code(rule).hooks if not hook.mechanic]
    everywhere = {place for hook in hooks for place in places_of(rule, hook)}
    if rule.code:
        yield rule.number, msgspec.structs.replace(rule, code=""), everywhere
    for hook in hooks if len(hooks) > 1 else ():
        code = _without(rule.code, hook.name)
        altered_rule = msgspec.structs.replace(rule, code=code)
        yield f"{rule.number}.{hook.name}", altered_rule, places_of(rule, hook)
    for name, value in rule.parameters.items():
        parameters = rule.parameters | {name: altered(value)}
        what = f"{rule.number}.parameters.{name}"
        places = _reads_of(rule, name, rulebook) or everywhere
        yield what, msgspec.structs.replace(rule, parameters=parameters), places


def _without(code: str, function: str) -> str:
    """Return *code* with *function* replaced by blank lines, so that line numbers stay."""
    lines = code.splitlines()
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            assert node.end_lineno is not None
            for i in range(node.lineno - 1, node.end_lineno):
                lines[i] = ""
    return "\n".join(lines) + "\n"


def _reads_of(rule: Rule, parameter: str, rulebook: Rulebook) -> set[Place]:
    """Return the places of the hooks that use *parameter* of *rule* by name or by `param`."""
    places: set[Place] = set()
    for reader in rulebook.rules:
        code = parse_code(reader)
        calls = (call.constants[:2] for call in code.calls if call.name == "param")
        asks = (rule.number, parameter) in calls
        for hook in code.hooks:
            if (reader is rule and parameter in hook.uses) or (asks and "param" in hook.uses):
                places |= places_of(reader, hook)
    return places


def altered(value: Any) -> Any:
    """Return another value of the same type: one more, the contrary, other text, one item fewer.

    >>> altered(7), altered(True), altered("red"), altered([1, 2])
    (8, False, 'red (altered)', [1])
    """
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return f"{value} (altered)"
    if isinstance(value, dict):
        return dict(list(value.items())[:-1]) if value else {"altered": 1}
    return list(value)[:-1] if value else ["altered"]
