"""Statements about a game, as people write them: `money(Jamie) < 9000 and owner(18) == Cypher`.

`NAME(thing)` is an attribute of a player, a square or another thing, called as people call it, or
how much of a commodity it holds (`money` is the game's own). `NAME(thing, ...)` is a value that the
rules in force define, such as `rent(18, Jamie)`. `period()`, `closing()` (the period is about to be
closed), `ended()` (why the game is over) and `asked(Jamie)` (the question put to somebody) are
known in every game. They are compared with numbers, texts, `yes`, `no`, `none` and names; a name
with blanks stands in quotes. What is not there, such as a square still to come, is `none`.
"""

import ast
import operator
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from nomoledger.errors import UsageError
from nomoledger.events.rules import Rule
from nomoledger.language.values import from_units
from nomoledger.state.world import Attempt, World

if TYPE_CHECKING:
    from nomoledger.language.program import Program

LETTERS_MAX = 1_000
MONEY = "money"
_CONSTANTS = {"none": None, "None": None, "yes": True, "no": False, "true": True, "false": False}
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}


class Statement:
    """A statement, read and ready to be held against a world.

    Raises:
        UsageError: *text* is not a statement.
    """

    #: What is known in every game.
    OWN = frozenset(("money", "period", "closing", "ended", "asked"))

    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > LETTERS_MAX:
            raise UsageError(f"a statement has at most {LETTERS_MAX} letters")
        try:
            self.tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise UsageError(f"{text!r} is no statement: write it like owner(18) == Ann") from None
        _check(self.tree, text)

    def names(self) -> set[str]:
        """Every NAME that is asked for."""
        calls = (node for node in ast.walk(self.tree) if isinstance(node, ast.Call))
        return {node.func.id for node in calls if isinstance(node.func, ast.Name)}

    def holds(self, world: World, program: "Program | None") -> bool:
        """Whether it is so in *world*, under the rules linked as *program*.

        None will do where it `asks` the rules for no value.
        """
        return bool(_Reading(world, program).value(self.tree))

    def asks(self, rules: Iterable[Rule]) -> bool:
        """Whether it asks for a value that *rules* work out."""
        from nomoledger.language.code import parse_code

        names = self.names()
        return any(hook.operation in names for rule in rules for hook in parse_code(rule).hooks)

    def check_names(self, world: World, program: "Program") -> None:
        """Turn down what nothing in the game is called.

        Raises:
            UsageError: a NAME is no attribute, commodity or value of the rules in force.
        """
        values = {n for n, each in program.links.operations.items() if each.is_value}
        attributes = {name for kind in world.kinds for name in world.declared(kind)}
        known = {*Statement.OWN, *world.commodities(), *attributes, *values}
        if unknown := sorted(self.names() - known):
            there = ", ".join(sorted(known))
            raise UsageError(f"nothing in the game is called {unknown[0]!r}; there is: {there}")


def _check(tree: ast.expr, text: str) -> None:
    """Turn down what Python can say and a statement cannot."""
    for node in ast.walk(tree):
        is_plain = isinstance(node, _ALLOWED)
        if isinstance(node, ast.Call):
            is_plain = isinstance(node.func, ast.Name) and not node.keywords
        if not is_plain:
            raise UsageError(f"{text!r} is no statement: write it like owner(18) == Ann")


_ALLOWED = (
    *(ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.Compare, *_COMPARED),
    *(ast.Call, ast.Name, ast.Load, ast.Constant, ast.List),
)


class _Reading:
    """One statement being held against one world."""

    def __init__(self, world: World, program: "Program | None") -> None:
        self.world = world
        self.program = program
        self.commodities = world.commodities() if program is None else program.commodities

    def value(self, node: ast.expr) -> Any:
        """What *node* comes to, as people call it."""
        if isinstance(node, ast.BoolOp):
            every = all if isinstance(node.op, ast.And) else any
            return every(self.value(each) for each in node.values)
        if isinstance(node, ast.Compare):
            return self._compared(node)
        if isinstance(node, ast.UnaryOp):
            value = self.value(node.operand)
            return -value if isinstance(node.op, ast.USub) else not value
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            return self._asked(node.func.id, [self.value(each) for each in node.args])
        if isinstance(node, ast.List):
            return [self.value(each) for each in node.elts]
        if isinstance(node, ast.Name):
            return _CONSTANTS.get(node.id, node.id)
        assert isinstance(node, ast.Constant)
        return Decimal(str(node.value)) if isinstance(node.value, float) else node.value

    def _compared(self, node: ast.Compare) -> bool:
        left = self.value(node.left)
        for sign, each in zip(node.ops, node.comparators, strict=True):
            right = self.value(each)
            try:
                if not _COMPARED[type(sign)](left, right):
                    return False
            except TypeError:  # none is not less than anything
                return False
            left = right
        return True

    def _asked(self, name: str, arguments: list[Any]) -> Any:
        if name in _OWN:
            return _OWN[name](self.world, *arguments)
        if len(arguments) == 1:
            for kind in self.world.kinds:
                thing = self.world.find(kind, arguments[0])
                if thing is not None and name in self.world.declared(kind):
                    return _labelled(self.world, self.world.get(thing, name))
        commodity = next(iter(self.commodities), "") if name == MONEY else name
        if commodity in self.commodities:
            return self._held(commodity, arguments)
        return None if self.program is None else self._by_the_rules(self.program, name, arguments)

    def _held(self, commodity: str, arguments: list[Any]) -> Any:
        (called,) = arguments or ("",)
        account = self.world.find("player", called) or str(called)
        if account not in self.world.entities and account not in self.world.balances:
            return None
        places = self.commodities[commodity].places
        return from_units(self.world.balance(account, commodity), places)

    def _by_the_rules(self, program: "Program", name: str, arguments: list[Any]) -> Any:
        """A value of the rules; none where they refuse it, or it hangs on chance or somebody."""
        from nomoledger.language.host import Refused, Suspended
        from nomoledger.language.resolve import named_arguments

        operation = program.links.operations.get(name)
        if operation is None or not operation.definitions:
            return None
        host = program.host
        host.begin(self.world, Attempt(id="query", operation=name, at=self.world.game["now"]))
        try:
            named = named_arguments(self.world, operation, tuple(arguments), {})
            return _labelled(self.world, program.call(name, **named))
        except (Refused, Suspended):
            return None


def _labelled(world: World, value: Any) -> Any:
    return [world.label(each) for each in value] if isinstance(value, list) else world.label(value)


def _asked_of(world: World, called: Any = "", *_: Any) -> Any:
    question = world.waiting
    to = world.find("player", called)
    return question.text if question is not None and question.to == to else None


_OWN: dict[str, Callable[..., Any]] = {
    "period": lambda world, *_: world.period,
    "closing": lambda world, *_: any(each.operation == "@close" for each in world.agenda[:1]),
    "ended": lambda world, *_: world.game["ended"],
    "asked": _asked_of,
}
