"""Statements about the state of a game, such as `money(Jamie) < 9000 and owner(18) == Cypher`.

`NAME(thing)` is an attribute of a player, a square or another thing, or the amount of a commodity
that the thing holds (`money` is the first commodity of the game). `NAME(thing, ...)` is a value
that the rules in force define, such as `rent(18, Jamie)`. Every game has `period()`, `closing()`
(whether the period is about to close), `ended()` (why the game is over) and `asked(Jamie)` (the
question put to a player). Values are compared with numbers, texts, `yes`, `no`, `none` and names. A
name with spaces is written in quotes. The value of a thing that does not exist is `none`.
"""

import ast
import operator
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from nomoledger.errors import UsageError
from nomoledger.events.rules import Rule
from nomoledger.language.values import from_units
from nomoledger.state import shares
from nomoledger.state.world import Attempt, World

if TYPE_CHECKING:
    from nomoledger.language.program import Program

LETTERS_MAX = 1_000
#: How many operations the value of a rule in a statement may take, in games that add up limits.
OPERATIONS_MAX = 5_000
MONEY = "money"
CONSTANTS = {"none": None, "None": None, "yes": True, "no": False, "true": True, "false": False}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}


class Statement:
    """A parsed statement that can be evaluated on a world."""

    #: The names that every game has.
    OWN = frozenset(("money", "period", "closing", "ended", "asked"))

    def __init__(self, text: str) -> None:
        """Parse *text*.

        Raises:
            UsageError: *text* is not a statement.
        """
        self.text = text
        if len(text) > LETTERS_MAX:
            raise UsageError(f"a statement has at most {LETTERS_MAX} letters")
        try:
            self.tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise UsageError(
                f"{text!r} is not a statement: write it like owner(18) == Ann"
            ) from None
        _check(self.tree, text)

    def names(self) -> set[str]:
        """Return every NAME in the statement."""
        calls = (node for node in ast.walk(self.tree) if isinstance(node, ast.Call))
        return {node.func.id for node in calls if isinstance(node.func, ast.Name)}

    def holds(self, world: World, program: "Program | None") -> bool:
        """Return whether the statement is true in *world*, under the rules linked as *program*.

        *program* may be None if the statement does not use values of the rules (see `asks`).
        """
        return bool(_Evaluator(world, program).value(self.tree))

    def asks(self, rules: Iterable[Rule]) -> bool:
        """Return whether the statement uses a value that *rules* define."""
        # Imported late: most commands that parse a statement need no rule code (10 ms).
        from nomoledger.language.code import parse_code

        names = self.names()
        return any(hook.operation in names for rule in rules for hook in parse_code(rule).hooks)

    def check_names(self, world: World, program: "Program") -> None:
        """Check that each NAME is known in the game.

        Raises:
            UsageError: a NAME is not an attribute, a commodity or a value of the rules in force.
        """
        operations = program.links.operations.items()
        values = {name for name, operation in operations if operation.is_value}
        attributes = {name for kind in world.kinds for name in world.declared(kind)}
        known = {*Statement.OWN, *world.commodities(), *attributes, *values}
        if unknown := sorted(self.names() - known):
            names = ", ".join(sorted(known))
            raise UsageError(f"nothing in the game is called {unknown[0]!r}; there is: {names}")


def _check(tree: ast.expr, text: str) -> None:
    """Raise UsageError if *tree* uses Python syntax that a statement may not use."""
    for node in ast.walk(tree):
        is_allowed = isinstance(node, _ALLOWED)
        if isinstance(node, ast.Call):
            is_allowed = isinstance(node.func, ast.Name) and not node.keywords
        if not is_allowed:
            raise UsageError(f"{text!r} is not a statement: write it like owner(18) == Ann")


_ALLOWED = (
    *(ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.Compare, *_COMPARISONS),
    *(ast.Call, ast.Name, ast.Load, ast.Constant, ast.List),
)


class _Evaluator:
    """Evaluates the nodes of one statement on one world."""

    def __init__(self, world: World, program: "Program | None") -> None:
        self.world = world
        self.program = program
        self.commodities = world.commodities() if program is None else program.commodities

    def value(self, node: ast.expr) -> Any:
        """Return the value of *node*, with ids replaced by labels."""
        if isinstance(node, ast.BoolOp):
            combine = all if isinstance(node.op, ast.And) else any
            return combine(self.value(operand) for operand in node.values)
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.UnaryOp):
            value = self.value(node.operand)
            return -value if isinstance(node.op, ast.USub) else not value
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            return self._call(node.func.id, [self.value(argument) for argument in node.args])
        if isinstance(node, ast.List):
            return [self.value(element) for element in node.elts]
        if isinstance(node, ast.Name):
            return CONSTANTS.get(node.id, node.id)
        assert isinstance(node, ast.Constant)
        return Decimal(str(node.value)) if isinstance(node.value, float) else node.value

    def _compare(self, node: ast.Compare) -> bool:
        left = self.value(node.left)
        for comparison, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.value(comparator)
            try:
                if not _COMPARISONS[type(comparison)](left, right):
                    return False
            except TypeError:  # `none` cannot be ordered
                return False
            left = right
        return True

    def _call(self, name: str, arguments: list[Any]) -> Any:
        if name in _BUILTIN:
            return _BUILTIN[name](self.world, *arguments)
        if len(arguments) == 1:
            for kind in self.world.kinds:
                thing = self.world.find(kind, arguments[0])
                if thing is not None and name in self.world.declared(kind):
                    return _label(self.world, self.world.get(thing, name))
        commodity = next(iter(self.commodities), "") if name == MONEY else name
        if commodity in self.commodities:
            return self._amount_held(commodity, arguments)
        return None if self.program is None else self._value_by_rules(self.program, name, arguments)

    def _amount_held(self, commodity: str, arguments: list[Any]) -> Any:
        (name,) = arguments or ("",)
        account = self.world.find("player", name) or str(name)
        if account not in self.world.entities and account not in self.world.balances:
            return None
        places = self.commodities[commodity].places
        return from_units(self.world.balance(account, commodity), places)

    def _value_by_rules(self, program: "Program", name: str, arguments: list[Any]) -> Any:
        """Return the value *name* of the rules; None if they refuse it or it needs an oracle."""
        # Imported late: the host takes 30 ms, and is loaded already where there is a *program*.
        from nomoledger.language.host import Refused, Suspended
        from nomoledger.language.resolve import named_arguments

        operation = program.links.operations.get(name)
        if operation is None or not operation.definitions:
            return None
        host = program.host
        query = Attempt(id="query", operation=name, at=self.world.game["now"])
        host.begin(self.world, query, allowance=_of_query(self.world))
        try:
            named = named_arguments(self.world, operation, tuple(arguments), {})
            return _label(self.world, program.call(name, **named))
        except (Refused, Suspended):
            return None


def _of_query(world: World) -> shares.Allowance | None:
    """Return what the value of a rule in a statement may use; None where only play is limited."""
    if not shares.adds_up(world):
        return None
    most = shares.Use(operations=OPERATIONS_MAX, changes=OPERATIONS_MAX, bytes=shares.BYTES_MAX)
    text = f"a statement can use {OPERATIONS_MAX} operations"
    return shares.Allowance(most, dict.fromkeys(shares.WORDS, text))


def _label(world: World, value: Any) -> Any:
    return [world.label(item) for item in value] if isinstance(value, list) else world.label(value)


def _question_to(world: World, name: Any = "", *_: Any) -> Any:
    question = world.waiting
    to = world.find("player", name)
    return question.text if question is not None and question.to == to else None


_BUILTIN: dict[str, Callable[..., Any]] = {
    "period": lambda world, *_: world.period,
    "closing": lambda world, *_: any(attempt.operation == "@close" for attempt in world.agenda[:1]),
    "ended": lambda world, *_: world.game["ended"],
    "asked": _question_to,
}
