"""The check of arithmetic: what can be added, multiplied and put into a text."""

import ast
import re

from nomoledger.events.durations import SECONDS
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.constants import product_in, whole_number_in
from nomoledger.rulebook.checker.reader import Reader
from nomoledger.rulebook.checker.types import Atom, Type
from nomoledger.rulebook.checker.written_duration import as_duration

_SECONDS_IN = (7, 24, 60, 168, 1440, 3600, 86_400, 604_800)
_PLACEHOLDER = re.compile(r"%[-+ 0#]*\d*(?:\.\d+)?([a-zA-Z%])")


class ArithmeticCheck:
    """The check of the arithmetic in one rule."""

    def __init__(self, reader: Reader) -> None:
        """Check the arithmetic that *reader* comes upon."""
        self.reader = reader

    def need_number(self, node: ast.AST, type_: Type) -> bool:
        """Return whether *type_* is a number, and report it if it is none."""
        if t.is_numeric(type_):
            return True
        self.reader.fault(node, f"a number is needed here, and this is {t.describe(type_)}")
        return False

    def type_of(
        self,
        node: ast.AST,
        op: ast.operator,
        left: Type,
        right: Type,
        right_node: ast.expr,
        left_node: ast.expr | None = None,
    ) -> Type:
        """Return the type of a sum, a product and the like, and report the faults in it."""
        left, right = t.something(left), t.something(right)
        names = t.names_of(left), t.names_of(right)
        if isinstance(op, ast.Mod) and (not left or "Text" in names[0]):
            if left:
                self._check_format(left_node, right_node, right)
            return left if names[0] == {"Text"} else t.UNKNOWN
        if isinstance(op, ast.Add) and not (t.is_numeric(left) and t.is_numeric(right)):
            return self._joined(node, left, right)
        if isinstance(op, ast.Mult) and (names[0] | names[1]) & {"Text", "List"}:
            other = right if names[0] & {"Text", "List"} else left
            if not t.is_numeric(other):
                self.reader.fault(node, f"{t.describe(left)} times {t.describe(right)} is nothing")
            return t.UNKNOWN if not left or not right else left if other is right else right
        if isinstance(op, ast.BitOr) and (names[0] | names[1]) & {"Table"}:
            return t.TABLE
        if not (self.need_number(node, left) and self.need_number(node, right)):
            return t.NUMBER
        if not left or not right:
            return t.UNKNOWN if isinstance(op, ast.Add | ast.Mult) else t.NUMBER
        return self._arithmetic(node, op, left, right, right_node, left_node)

    def _joined(self, node: ast.AST, left: Type, right: Type) -> Type:
        """Return the type of a sum that is no number: texts and lists can be joined, too."""
        if not left or not right:
            other = left or right
            if t.names_of(other) & {"Flag", "Nothing", "Step", "Function"} == t.names_of(other):
                self.reader.fault(node, f"{t.describe(other)} cannot be added to anything")
            return t.UNKNOWN
        sorts = [{_sort(atom) for atom in side} for side in (left, right)]
        if not (sorts[0] & sorts[1] & {"text", "list", "number"}):
            text = f"{t.describe(left)} and {t.describe(right)} cannot be added"
            is_mixed = {"text", "number"} <= sorts[0] | sorts[1]
            self.reader.fault(node, text + (": write str(…) round the number" if is_mixed else ""))
            return t.UNKNOWN
        if sorts[0] == sorts[1] == {"text"}:
            for side in (left, right):
                if all(atom.is_kind and atom.name != "player" for atom in side):
                    text = f"{t.describe(side)} is joined to a text: write label(…) for its name"
                    self.reader.fault(node, text)
            return t.TEXT
        if sorts[0] == sorts[1] == {"list"}:
            empty = [not t.items_of(side) for side in (left, right)]
            items = [t.items_of(side) for side in (left, right)]
            return t.list_of(t.UNKNOWN if any(empty) else t.join(items))
        return t.UNKNOWN

    def _arithmetic(
        self,
        node: ast.AST,
        op: ast.operator,
        left: Type,
        right: Type,
        right_node: ast.expr,
        left_node: ast.expr | None,
    ) -> Type:
        pairs = [(a, b) for a in left for b in right if a.name in t.NUMERIC and b.name in t.NUMERIC]
        if isinstance(op, ast.Add | ast.Sub):
            operator = "-" if isinstance(op, ast.Sub) else "+"
            totals = [t.total(a, b, operator) for a, b in pairs]
            found = frozenset(each for each in totals if each is not None)
            is_next_second = isinstance(left_node, ast.BinOp) and product_in(right_node) == 1
            if not found and not is_next_second:
                self.reader.fault(node, self._why_no_sum(pairs[0], operator, right_node, left_node))
            return found or t.NUMBER
        if isinstance(op, ast.Mult):
            factors = [whole_number_in(each) for each in (left_node, right_node)]
            if any(each in _SECONDS_IN for each in factors) and not (
                t.names_of(left) | t.names_of(right)
            ) - {"Number"}:
                units = {atom.unit for atom in left | right} - {t.PLAIN}
                if self.reader.names.level > 1 and self._are_seconds(node, factors, units):
                    return t.DURATION
                return t.COUNT if not units else t.NUMBER
            return frozenset(t.product(a, b) for a, b in pairs)
        if isinstance(op, ast.Div):
            self.reader.fault(
                node, "write divide(a, b), which is exact, or a // b for the whole part"
            )
        if isinstance(op, ast.FloorDiv) and all(b.unit == t.PLAIN for b in right):
            times = t.names_of(left) - {"Number"}
            return t.NUMBER if times else left
        return t.COUNT if left == right == t.COUNT else t.NUMBER

    def _are_seconds(self, node: ast.AST, factors: list[int | None], units: set[str]) -> bool:
        """Return whether a number of a unit of time is turned into seconds, and report it."""
        for unit in units & SECONDS.keys():
            if SECONDS[unit] in factors and isinstance(node, ast.BinOp):
                is_right = factors[0] == SECONDS[unit]
                written = ast.unparse(node.right if is_right else node.left)
                self.reader.fault(node, f"write {unit}({written}) for a duration")
                return True
        return False

    def _why_no_sum(
        self,
        pair: tuple[Atom, Atom],
        operator: str,
        right_node: ast.expr,
        left_node: ast.expr | None,
    ) -> str:
        done = "subtracted" if operator == "-" else "added"
        for atom, other, node in ((pair[1], pair[0], right_node), (pair[0], pair[1], left_node)):
            if other.is_time and atom.name == "Number":
                return as_duration(atom, node)
        texts = [t.describe_atom(atom) for atom in pair]
        if operator == "-":
            texts = texts[::-1]
            return f"{texts[0]} cannot be {done} from {texts[1]}"
        return f"{texts[0]} and {texts[1]} cannot be {done}"

    def _check_format(self, left: ast.expr | None, right_node: ast.expr, right: Type) -> None:
        if not (isinstance(left, ast.Constant) and isinstance(left.value, str)):
            return
        places = [each for each in _PLACEHOLDER.findall(left.value) if each != "%"]
        is_tuple = isinstance(right_node, ast.Tuple)
        given = len(right_node.elts) if isinstance(right_node, ast.Tuple) else 1
        if not is_tuple and (not right or "List" in t.names_of(right)):
            return
        if len(places) != given:
            text = f"the text has {len(places)} places for values, and is given {given}"
            self.reader.fault(left, text)


def _sort(atom: Atom) -> str:
    """Return how a value of type *atom* is added: as a text, a list or a number."""
    if atom.name == "Text" or atom.is_kind:
        return "text"
    if atom.name in t.NUMERIC:
        return "number"
    return "list" if atom.name == "List" else atom.name
