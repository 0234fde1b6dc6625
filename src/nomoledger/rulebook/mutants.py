"""Rulebooks with one thing missing or changed, and whether any case notices."""

import ast
import multiprocessing
import os
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from nomoledger.errors import NomoledgerError
from nomoledger.events.rules import Rule
from nomoledger.language.code import parse_code
from nomoledger.rulebook.cases import Case, run_case
from nomoledger.rulebook.loading import Rulebook

Progress = Callable[[str], None]


class Mutant(msgspec.Struct, frozen=True):
    """*rules* with *what* (`VI.3`, `VI.3.value_block`, `VI.1.parameters.squares`) altered."""

    what: str
    number: str
    rules: tuple[Rule, ...]


def mutants(rulebook: Rulebook) -> list[Mutant]:
    """Every rulebook with the code of one rule, one of its hooks, or one parameter altered."""
    return [
        Mutant(what, rule.number, tuple(new if each is rule else each for each in rulebook.rules))
        for rule in rulebook.rules
        for what, new in _altered(rule)
    ]


def _altered(rule: Rule) -> Iterator[tuple[str, Rule]]:
    if rule.code:
        yield rule.number, msgspec.structs.replace(rule, code="")
    hooks = parse_code(rule).hooks
    for hook in hooks if len(hooks) > 1 else ():
        code = _without(rule.code, hook.name)
        yield f"{rule.number}.{hook.name}", msgspec.structs.replace(rule, code=code)
    for name, value in rule.parameters.items():
        parameters = rule.parameters | {name: altered(value)}
        what = f"{rule.number}.parameters.{name}"
        yield what, msgspec.structs.replace(rule, parameters=parameters)


def _without(code: str, function: str) -> str:
    """*code* with the lines of *function* left blank, so that all others keep their number."""
    lines = code.splitlines()
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            assert node.end_lineno is not None
            for i in range(node.lineno - 1, node.end_lineno):
                lines[i] = ""
    return "\n".join(lines) + "\n"


def altered(value: Any) -> Any:
    """Another value of the same sort: one more, the contrary, other text, one item fewer.

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


# --- does anybody notice? ---------------------------------------------------------------------

_Work = tuple[Rulebook, list[Case], list[Mutant]]
_work: _Work | None = None


def find_unnoticed(
    rulebook: Rulebook, cases: list[Case], progress: Progress | None = None
) -> list[str]:
    """What of *rulebook* could be altered without any of *cases* failing, in rulebook order."""
    work = (rulebook, cases, mutants(rulebook))
    context = multiprocessing.get_context("fork")
    missed: list[str] = []
    with context.Pool(os.cpu_count(), _begin, (work,)) as pool:
        for what, noticed in pool.imap(_try, range(len(work[2]))):
            if progress is not None:
                progress(what)
            if not noticed and not any(what.startswith(f"{rule}.") for rule in missed):
                missed.append(what)
    return missed


def _begin(work: _Work) -> None:
    global _work
    _work = work


def _try(place: int) -> tuple[str, bool]:
    assert _work is not None
    rulebook, cases, all_mutants = _work
    mutant = all_mutants[place]
    book = msgspec.structs.replace(rulebook, rules=mutant.rules)
    first = sorted(cases, key=lambda case: mutant.number not in case.source)
    return mutant.what, any(_fails(case, book) for case in first)


def _fails(case: Case, rulebook: Rulebook) -> bool:
    try:
        return not run_case(case, rulebook=rulebook).ok
    except NomoledgerError:
        return True
