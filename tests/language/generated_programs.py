"""Programs of rule code generated from a seed, and their values by three kinds of arithmetic.

A program is one function of whole numbers and, where asked for, exact decimals. Its code is meant
to mislead a rewriting that looks at text: marks within texts and comments, expressions over several
lines, letters of several bytes, comparisons within comparisons.
"""

import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import starlark

from nomoledger.events.levels import NEWEST
from nomoledger.language.arithmetic import SOURCES, rewrite_arithmetic
from nomoledger.language.codegen import DIALECT, GLOBALS

_TEXTS = ('"#"', "'-'", '"# - 1"', "'a\"#'", '"é - #"', "'\\''", '"""x\n# - y"""', '"(-"')
_COMMENTS = ("", "", "", "  # n - m", '  # "', "  # é == -1")
#: How deep expressions are nested.
_DEPTH = 4


class _Generator:
    """Generates one program."""

    def __init__(self, seed: int, *, decimals: bool) -> None:
        self.random = random.Random(seed)
        self.decimals = decimals
        self.names = ["a", "b", "c"]

    def program(self) -> str:
        """Return the code of a function `f` of `a`, `b` and `c` that returns a list of values."""
        body = [self.statement() for _ in range(self.random.randint(2, 5))]
        values = ", ".join([self.any_value(_DEPTH) for _ in range(3)] + self.names)
        lines = ["def f(a, b, c):", *body, f"    return [{values}]"]
        return "\n".join(lines) + "\n"

    def statement(self) -> str:
        comment = self.random.choice(_COMMENTS)
        kind = self.random.randrange(5)
        if kind == 0:
            name = self.random.choice(self.names)
            return f"    {name} {self.random.choice(('-=', '+='))} {self.number(2)}{comment}"
        if kind == 1:
            inner = f"        {self.random.choice(self.names)} -= {self.number(1)}"
            return f"    if {self.flag(3)}:{comment}\n{inner}"
        if kind == 2:
            name = self.random.choice(self.names)
            return f"    for each in [1, 2]: {name} = {name} - each{comment}"
        name = f"{self.random.choice('xyz')}{len(self.names)}"
        line = f"    {name} = {self.number(_DEPTH)}"
        if kind == 3:  # two statements in one line, the first of a text
            line = f"    t = {self.random.choice(_TEXTS)}; {line.lstrip()}"
        self.names.append(name)
        return line + comment

    def space(self, *, may_break: bool = False) -> str:
        spaces = ["", " ", " ", "  "]
        if may_break:
            spaces += ["\n ", "  # - #\n", ' # "é\n  ']
        return self.random.choice(spaces)

    def operator(self, sign: str) -> str:
        return (
            f" {sign} " if sign.isalpha() or " " in sign else f"{self.space()}{sign}{self.space()}"
        )

    def broken(self, sign: str) -> str:
        """Return *sign* with line breaks and comments around it, for use in parentheses."""
        return f"{self.space(may_break=True)}{sign}{self.space(may_break=True)}"

    def number(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.15:
            return self.random.choice([*self.names, *self.names, "2", "0", "7", "-1"])
        less = depth - 1
        return self.random.choice(
            (
                lambda: self.minus(less),
                lambda: self.minus(less),
                lambda: f"({self.number(less)}{self.broken('-')}{self.operand(less)})",
                lambda: f"{self.operand(less)}{self.operator('+')}{self.operand(less)}",
                lambda: f"{self.operand(0)}{self.operator('*')}{self.operand(0)}",
                lambda: f"-{self.operand(less)}",
                lambda: f"({self.number(less)} if {self.flag(less)} else {self.number(less)})",
                lambda: f"({self.flag(less)} and {self.number(less)} or {self.number(less)})",
                lambda: f"[{self.number(less)}, {self.number(less)}][{self.flag(less)} and 1 or 0]",
                lambda: f"max({self.number(less)}, {self.number(less)})",
                lambda: f"min({self.number(less)}, {self.number(less)})",
                lambda: f"sorted([{self.number(less)}, {self.number(less)}])[0]",
                lambda: (
                    f"(lambda n: n{self.operator('-')}{self.operand(less)})({self.number(less)})"
                ),
                lambda: f"len({self.text()}){self.operator('-')}{self.operand(less)}",
                lambda: f"[n - {self.operand(0)} for n in [{self.number(less)}]][0]",
            )
        )()

    def minus(self, depth: int) -> str:
        return f"{self.operand(depth)}{self.operator('-')}{self.operand(depth)}"

    def operand(self, depth: int) -> str:
        if depth <= 0:
            return self.random.choice([*self.names, "3", "10"])
        return f"({self.number(depth)})"

    def text(self) -> str:
        return self.random.choice(_TEXTS)

    def flag(self, depth: int) -> str:
        if depth <= 0:
            sign = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
            return f"({self.operand(0)}{self.operator(sign)}{self.operand(0)})"
        less = depth - 1
        signs = ("<", "<=", ">", ">=", "==", "!=", "==")
        return self.random.choice(
            (
                lambda: (
                    f"({self.number(less)}{self.broken(self.random.choice(signs))}{self.number(less)})"
                ),
                lambda: (
                    f"({self.flag(less)} {self.random.choice(('and', 'or'))} {self.flag(less)})"
                ),
                lambda: f"(not {self.flag(less)})",
                lambda: f"({self.flag(less)} == {self.flag(less)})",
                lambda: f"({self.text()} == {self.text()})",
                lambda: f"({self.number(less)} in [{self.number(less)}, {self.number(less)}])",
                lambda: f"({self.number(less)} not in [{self.number(less)}])",
            )
        )()

    def any_value(self, depth: int) -> str:
        return self.random.choice(
            (
                lambda: self.number(depth),
                lambda: self.flag(depth),
                lambda: f"[{self.number(depth)}, {self.text()}, {self.number(depth)}]",
            )
        )()

    def arguments(self) -> tuple[Any, ...]:
        whole = [self.random.randint(-9, 9) for _ in range(3)]
        if not self.decimals:
            return tuple(whole)
        return tuple(
            Decimal(n) / self.random.choice((2, 4, 5, 8, 10)) if self.random.random() < 0.7 else n
            for n in whole
        )


def generate(seed: int, *, decimals: bool) -> tuple[str, tuple[Any, ...]]:
    """Return the program of *seed*, and arguments for it: whole numbers, or also decimals."""
    generator = _Generator(seed, decimals=decimals)
    return generator.program(), generator.arguments()


def by_rule_code(
    code: str, arguments: tuple[Any, ...], *, rewritten: bool = True, level: int = NEWEST
) -> Any:
    """Return what the function of *code* returns in the language of rules of *level*."""
    module = starlark.Module()
    module["_one"] = Decimal(1)
    for source in SOURCES if rewritten else ():
        starlark.eval(module, starlark.parse("arithmetic", source, DIALECT), GLOBALS)
    text = rewrite_arithmetic(code, level) if rewritten else code
    starlark.eval(module, starlark.parse("code", text, DIALECT), GLOBALS)
    return _plain(module.freeze().call("f", *arguments))


def by_fractions(code: str, arguments: tuple[Any, ...]) -> Any:
    """Return what the function of *code* returns in Python, with exact fractions."""
    names: dict[str, Callable[..., Any]] = {}
    exec(compile(code, "code", "exec"), names)
    return _plain(names["f"](*map(Fraction, arguments)))


def _plain(value: Any) -> Any:
    """Return *value* in a form in which equal values of any kind of number are equal."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bool | str) or value is None:
        return value
    return Fraction(value)
