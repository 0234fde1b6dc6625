"""Programs of which only the part is compiled that a case is known to need."""

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from nomoledger.events.rules import Rule
from nomoledger.language.code import Code, parse_code
from nomoledger.language.codegen import write_program
from nomoledger.language.program import Program
from nomoledger.state.declared_rules import Ruleset


class NotCompiledError(Exception):
    """A partial program called an operation that it left out."""


class PartialProgram(Program):
    """A program with the code of *operations* only; it does exactly what the whole program does.

    Calling any other operation raises `NotCompiledError`: the run must then be repeated with the
    whole program. Checks, `on_enact` and rules that differ from *unchanged* are always compiled,
    so that errors of linking are found.
    """

    has_names = False

    def __init__(
        self,
        operations: frozenset[str],
        unchanged: Mapping[str, Rule],
        ruleset: Ruleset,
    ) -> None:
        """Link the rules of *ruleset*."""
        self._wanted = operations
        self._unchanged = unchanged
        super().__init__(ruleset)

    def _sources(self) -> list[tuple[str, str, str]]:
        links = self.links
        compiled = {name: op for name, op in links.operations.items() if name in self._wanted}
        self._left_out = links.operations.keys() - compiled.keys()
        codes = {rule.number: self._needed(rule, links.codes[rule.number]) for rule in self.rules}
        sources = [
            (number, file, _without_functions(source, self.by_number[number], codes[number]))
            if number
            else (number, file, source)
            for number, file, source in write_program(
                replace(links, operations=compiled, codes=codes), self._names, self.unreported
            )
        ]
        before = next(i for i, (_, file, _) in enumerate(sources) if file == "operations")
        return [*sources[:before], ("", "left out", self._stubs()), *sources[before:]]

    def _needed(self, rule: Rule, code: Code) -> Code:
        """Return *code* with the hooks that have to be compiled."""
        if self._unchanged.get(rule.number) != rule:
            return code
        hooks = [h for h in code.hooks if h.kind in ("check", "on") or h.operation in self._wanted]
        return replace(code, hooks=tuple(hooks))

    def _stubs(self) -> str:
        """Write a function that stops the program for each operation that is left out."""
        lines = []
        for name in sorted(self._left_out):
            lines.append(f"def {name}(*args, **named): return _left_out({name!r})")
            if self.links.operations[name].of("forbid"):
                lines.append(f"_guards[{name!r}] = {name}")
        return "\n".join(lines) + "\n"

    def _callables(self) -> dict[str, Callable[..., Any]]:
        return super()._callables() | {"_left_out": self._stop}

    def _stop(self, name: str) -> None:
        self.host.stop(NotCompiledError(name))


def _without_functions(source: str, rule: Rule, needed: Code) -> str:
    """Return the *source* of *rule* with blank lines for each hook that is not *needed*."""
    kept = {hook.name for hook in needed.hooks}
    first = 1  # where `write_rule` puts the first line of the code
    lines: list[str] = []
    if needed.hooks == parse_code(rule).hooks:
        return source
    for name, start, end in _hooks_called_by_nobody(rule.code):
        if name not in kept:
            lines = lines or source.split("\n")
            lines[first + start : first + end] = [""] * (end - start)
    return "\n".join(lines) if lines else source


@lru_cache(maxsize=1024)
def _hooks_called_by_nobody(code: str) -> list[tuple[str, int, int]]:
    """Return the functions that no other code of the rule names, with their lines from 0."""
    tree = ast.parse(code)
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return [
        (node.name, node.lineno - 1, node.end_lineno or node.lineno)
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name not in named
    ]
