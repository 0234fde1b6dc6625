"""The check of expressions: what each can be, and whether it can be so."""

import ast

from nomoledger.intake.nearest import meant
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.arithmetic_check import ArithmeticCheck
from nomoledger.rulebook.checker.call_check import CallCheck
from nomoledger.rulebook.checker.comparison_check import ComparisonCheck
from nomoledger.rulebook.checker.constants import text_in, type_of_constant
from nomoledger.rulebook.checker.methods import FIELDS, METHODS
from nomoledger.rulebook.checker.reader import Reader
from nomoledger.rulebook.checker.types import Type


class ExpressionCheck:
    """The check of the expressions in one rule.

    Attributes:
        arithmetic, comparisons, calls: the checks of these expressions.
    """

    def __init__(self, reader: Reader) -> None:
        """Check the expressions that *reader* comes upon."""
        self.reader = reader
        self.arithmetic = ArithmeticCheck(reader)
        self.comparisons = ComparisonCheck(reader)
        self.calls = CallCheck(reader)

    def type_of(self, node: ast.expr) -> Type:
        """Return the type of *node*, and report the faults in it."""
        method = getattr(self, f"_type_of_{type(node).__name__}", None)
        if method is not None:
            found: Type = method(node)
            return found
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.reader.type_of(child)
        return t.UNKNOWN

    def _type_of_Constant(self, node: ast.Constant) -> Type:
        return type_of_constant(node)

    def _type_of_Name(self, node: ast.Name) -> Type:
        return self.reader.type_of_name(node)

    def _type_of_Compare(self, node: ast.Compare) -> Type:
        return self.comparisons.type_of(node)

    def _type_of_BoolOp(self, node: ast.BoolOp) -> Type:
        types, before = [], dict(self.reader.variables)
        for value in node.values:
            types.append(self.reader.type_of(value))
            if isinstance(node.op, ast.And):
                self.reader.variables |= self.comparisons.kinds_if(value)
        self.reader.variables = before
        if isinstance(node.op, ast.Or):
            types = [*map(t.something, types[:-1]), types[-1]]
            types = [each for each in types[:-1] if each != t.NOTHING] + types[-1:]
        return t.join(types)

    def _type_of_UnaryOp(self, node: ast.UnaryOp) -> Type:
        type_ = t.something(self.reader.type_of(node.operand))
        if isinstance(node.op, ast.Not):
            return t.FLAG
        self.arithmetic.need_number(node, type_)
        return type_ if t.is_numeric(type_) else t.NUMBER

    def _type_of_IfExp(self, node: ast.IfExp) -> Type:
        self.reader.type_of(node.test)
        before = dict(self.reader.variables)
        self.reader.variables |= self.comparisons.kinds_if(node.test)
        body = self.reader.type_of(node.body)
        self.reader.variables = before
        return t.join([body, self.reader.type_of(node.orelse)])

    def _type_of_BinOp(self, node: ast.BinOp) -> Type:
        left, right = self.reader.type_of(node.left), self.reader.type_of(node.right)
        return self.arithmetic.type_of(node, node.op, left, right, node.right, node.left)

    def _type_of_Call(self, node: ast.Call) -> Type:
        if isinstance(node.func, ast.Name):
            return self.calls.type_of(node.func.id, node)
        if isinstance(node.func, ast.Attribute):
            receiver = self.reader.type_of(node.func.value)
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                self.reader.type_of(argument)
            self._check_format(node)
            return self._method(node.func, receiver)
        for child in (node.func, *node.args, *(keyword.value for keyword in node.keywords)):
            self.reader.type_of(child)
        return t.UNKNOWN

    def _check_format(self, node: ast.Call) -> None:
        """Check that `"{} of {}".format(…)` is given as many values as it has places."""
        called, given = node.func, len(node.args)
        text = text_in(called.value) if isinstance(called, ast.Attribute) else None
        is_plain = not node.keywords and not any(isinstance(a, ast.Starred) for a in node.args)
        if text is None or not is_plain or ast.unparse(called)[-7:] != ".format" or "{{" in text:
            return
        places = text.count("{}")
        if places == text.count("{") and places != given:
            found = f"the text has {places} places for values, and is given {given}"
            self.reader.fault(node, found)

    def _method(self, node: ast.Attribute, receiver: Type) -> Type:
        receiver = t.something(receiver)
        sorts = {"Text" if atom.is_kind else atom.name for atom in receiver} or set(METHODS)
        methods: dict[str, Type] = {}
        for sort in sorts & METHODS.keys():
            methods |= METHODS[sort]
        if node.attr in FIELDS and not receiver:
            return t.UNKNOWN
        if receiver and all(atom.is_kind for atom in receiver) and node.attr in methods:
            text = f"{t.describe(receiver)} is no text, so it has no .{node.attr}()"
            self.reader.fault(node, f"{text}: write label(…) for its name")
            return methods[node.attr]
        if node.attr not in methods:
            owner = t.describe(receiver) if receiver else "a value"
            self.reader.fault(node, f"{owner} has no .{node.attr}(){meant(node.attr, methods)}")
            return t.UNKNOWN
        return methods[node.attr] if receiver else t.UNKNOWN

    def _type_of_Attribute(self, node: ast.Attribute) -> Type:
        receiver = t.something(self.reader.type_of(node.value))
        known = {name for methods in METHODS.values() for name in methods}
        if receiver and any(atom.is_kind for atom in receiver):
            text = f"attributes are read by get({ast.unparse(node.value)}, {node.attr!r})"
            self.reader.fault(node, text)
        elif node.attr not in known and node.attr not in FIELDS:
            self.reader.fault(node, f"a value has no .{node.attr}{meant(node.attr, FIELDS)}")
        return t.UNKNOWN

    def _type_of_Subscript(self, node: ast.Subscript) -> Type:
        type_ = t.something(self.reader.type_of(node.value))
        self.reader.type_of(node.slice)
        if isinstance(node.slice, ast.Slice):
            return type_
        if type_ and not t.names_of(type_) & {"List", "Table", "Text"}:
            self.reader.fault(node, f"{t.describe(type_)} has no items: a list is needed")
            return t.UNKNOWN
        index = (
            t.something(self.reader.seen(node.slice))
            if t.names_of(type_) == {"List"}
            else t.UNKNOWN
        )
        if not t.is_numeric(index):
            self.reader.fault(
                node, f"a place in a list is a number, and this is {t.describe(index)}"
            )
        return t.items_of(type_) if t.names_of(type_) == {"List"} else t.UNKNOWN

    def _type_of_Slice(self, node: ast.Slice) -> Type:
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self.arithmetic.need_number(part, t.something(self.reader.type_of(part)))
        return t.UNKNOWN

    def _type_of_List(self, node: ast.List | ast.Tuple) -> Type:
        types = [self.reader.type_of(item) for item in node.elts]
        return t.list_of(t.join(types) if types else t.UNKNOWN)

    _type_of_Tuple = _type_of_List

    def _type_of_Starred(self, node: ast.Starred) -> Type:
        return t.items_of(self.reader.type_of(node.value))

    def _type_of_Dict(self, node: ast.Dict) -> Type:
        for part in (*node.keys, *node.values):
            if part is not None:
                self.reader.type_of(part)
        return t.TABLE

    def _type_of_Lambda(self, node: ast.Lambda) -> Type:
        before = self.reader.variables
        self.reader.variables = before | {each.arg: t.UNKNOWN for each in node.args.args}
        self.reader.type_of(node.body)
        self.reader.variables = before
        return t.FUNCTION

    def _type_of_ListComp(self, node: ast.ListComp) -> Type:
        before = dict(self.reader.variables)
        self._generators(node.generators)
        items = self.reader.type_of(node.elt)
        self.reader.variables = before
        return t.list_of(items)

    def _type_of_DictComp(self, node: ast.DictComp) -> Type:
        before = dict(self.reader.variables)
        self._generators(node.generators)
        self.reader.type_of(node.key)
        self.reader.type_of(node.value)
        self.reader.variables = before
        return t.TABLE

    def _generators(self, generators: list[ast.comprehension]) -> None:
        for generator in generators:
            self.reader.bind(generator.target, self.items_of(generator.iter))
            for condition in generator.ifs:
                self.reader.type_of(condition)

    def items_of(self, node: ast.expr) -> Type:
        """Return the type of the items of the list *node*."""
        type_ = t.something(self.reader.type_of(node))
        if type_ and not t.names_of(type_) & {"List", "Table"}:
            hint = ": write range(…) to count" if t.is_numeric(type_) else ""
            hint = ": write .elems() for its letters" if type_ == t.TEXT else hint
            text = f"for visits the items of a list, and this is {t.describe(type_)}"
            self.reader.fault(node, text + hint)
            return t.UNKNOWN
        return t.items_of(type_) if t.names_of(type_) == {"List"} else t.UNKNOWN
