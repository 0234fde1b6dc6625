"""The check of comparisons: what can equal, be more than, or be in what."""

import ast

from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.constants import product_in, text_in
from nomoledger.rulebook.checker.reader import Reader, Variables
from nomoledger.rulebook.checker.types import Type
from nomoledger.rulebook.checker.value_check import ValueCheck
from nomoledger.rulebook.checker.written_duration import as_duration

#: The verbs that always return a list.
_OF_LISTS = ("all", "alike", "where", "roll", "holdings", "may", "sorted", "list")


class ComparisonCheck:
    """The check of the comparisons in one rule."""

    def __init__(self, reader: Reader) -> None:
        """Check the comparisons that *reader* comes upon."""
        self.reader = reader
        self.values = ValueCheck(reader)

    def type_of(self, node: ast.Compare) -> Type:
        """Return the type of a comparison, and report the faults in it."""
        sides = [node.left, *node.comparators]
        found = [self.reader.type_of(side) for side in sides]
        for i, op in enumerate(node.ops):
            self._compare(node, op, (sides[i], found[i]), (sides[i + 1], found[i + 1]))
        return t.FLAG

    def _compare(
        self,
        node: ast.Compare,
        op: ast.cmpop,
        first: tuple[ast.expr, Type],
        second: tuple[ast.expr, Type],
    ) -> None:
        left, right = first[1], second[1]
        if isinstance(op, ast.In | ast.NotIn):
            self._check_in(node, left, second)
            return
        self._check_kind(first[0], second[0])
        self._check_kind(second[0], first[0])
        self._check_list(first, second)
        self._check_list(second, first)
        self._check_named(first, second)
        self._check_named(second, first)
        left, right = t.something(left), t.something(right)
        if not isinstance(op, ast.Eq | ast.NotEq):
            for type_ in (left, right):
                if type_ and not (t.names_of(type_) & {*t.NUMERIC, "Text", "List"}):
                    text = f"{t.describe(type_)} is neither more nor less than anything"
                    self.reader.fault(node, text)
                    return
        if t.are_comparable(left, right):
            return
        text = f"{t.describe(left)} is compared with {t.describe(right)}"
        for (side, type_), other in ((first, right), (second, left)):
            atoms = [atom for atom in type_ if atom.name == "Number"]
            if atoms and any(atom.is_time for atom in other):
                if product_in(side) == 0:
                    return
                text = f"{text}: {as_duration(atoms[0], side)}"
                break
            kinds = [atom.name for atom in type_ if atom.is_kind]
            if kinds and t.is_numeric(other):
                text = f"{text}: write label(…) or get(…) for a number of the {kinds[0]}"
        self.reader.fault(node, text)

    def _check_list(self, side: tuple[ast.expr, Type], other: tuple[ast.expr, Type]) -> None:
        """Check that a list from a verb is not compared with None."""
        node, type_ = side
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if other[1] == t.NOTHING and called in _OF_LISTS and t.names_of(type_) == {"List"}:
            self.reader.fault(node, "a list is never None: write not … for an empty list")

    def _check_named(self, side: tuple[ast.expr, Type], other: tuple[ast.expr, Type]) -> None:
        """Check that a thing is only compared with a text that names a thing."""
        names = self.reader.names
        text, things = text_in(side[0]), t.something(other[1])
        known = {"game", *names.accounts, *names.things}
        if text is None or text in known or not things or not all(a.is_kind for a in things):
            return
        way = ": write None for nothing" if text in ("", "none", "None") else ""
        found = f"{t.describe(things)} is compared with the text {text!r}, which names no thing"
        self.reader.fault(side[0], found + way)

    def _check_in(self, node: ast.Compare, left: Type, second: tuple[ast.expr, Type]) -> None:
        right = t.something(second[1])
        names = t.names_of(right)
        if right and not names & {"List", "Table", "Text"} and not any(a.is_kind for a in right):
            self.reader.fault(node, f"in needs a list, and this is {t.describe(right)}")
        elif names == {"List"} and not t.are_comparable(left, t.items_of(right)):
            text = f"the list is of {t.describe(t.items_of(right))}, not {t.describe(left)}"
            self.reader.fault(node, text)

    def _check_kind(self, call: ast.expr, literal: ast.expr) -> None:
        """Check that what `kind(…)` is compared with is a kind."""
        is_kind = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        if not (is_kind and call.func.id == "kind" and "kind" not in self.reader.variables):  # type: ignore[attr-defined]
            return
        for each in literal.elts if isinstance(literal, ast.Tuple | ast.List) else [literal]:
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                self.values.check_kind(each, each.value)

    def kinds_if(self, test: ast.expr, operator: type[ast.cmpop] = ast.Eq) -> Variables:
        """Return variables that can have another kind where *test* holds: `kind(piece) == "blob"`.

        With `ast.NotEq` as the *operator*, where it does not hold.
        """
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return {n: type_ for each in test.values for n, type_ in self.kinds_if(each).items()}
        if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], operator)):
            return {}
        call, other = test.left, test.comparators[0]
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.args):
            return {}
        subject, kind = call.args[0], other.value if isinstance(other, ast.Constant) else None
        if call.func.id != "kind" or not isinstance(subject, ast.Name) or not self._is_kind(kind):
            return {}
        type_ = self.reader.variables.get(subject.id, t.UNKNOWN)
        return {subject.id: type_ | t.kind_of(str(kind))} if type_ else {}

    def _is_kind(self, kind: object) -> bool:
        return isinstance(kind, str) and kind in self.reader.names.kinds
