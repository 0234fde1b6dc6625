"""The check of calls of operations, and of functions of the same rule."""

import ast
from collections.abc import Iterator

from nomoledger.language.operations import Operation
from nomoledger.language.resolve import ANY_KIND
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.known_names import unit_in
from nomoledger.rulebook.checker.reader import Reader
from nomoledger.rulebook.checker.signatures import signature_of, signature_of_operation
from nomoledger.rulebook.checker.types import Type
from nomoledger.rulebook.checker.value_check import ValueCheck


class OperationCheck:
    """The check of the calls of operations in one rule."""

    def __init__(self, reader: Reader) -> None:
        """Check the calls that *reader* comes upon."""
        self.reader = reader
        self.names = reader.names
        self.values = ValueCheck(reader)

    def check(
        self, operation: Operation, node: ast.Call, types: list[Type], *, called: str = ""
    ) -> None:
        """Check the arguments of a call of *operation*, which have these *types* by position.

        *called* is the name that the call gives it, such as `proceed`.
        """
        problem = signature_of_operation(operation).problem(called or operation.name, node)
        if problem is not None:
            self.reader.fault(node, problem)
        for name, written, default, argument, type_ in self._by_parameter(operation, node, types):
            what = f"the {name} of {operation.name}"
            wanted = self.names.type_of_argument(written, default)
            if written == ANY_KIND:
                self.values.check_thing(what, argument, type_)
            elif wanted == t.NUMBER and (unit := unit_in(name)):
                self.values.check(what, argument, type_, t.number_of(unit))
            else:
                self.values.check(what, argument, type_, wanted)

    def check_function(
        self,
        function: ast.FunctionDef,
        node: ast.Call,
        types: list[Type],
        by_name: dict[str, Type],
    ) -> None:
        """Check the arguments of a call of a *function* of the rule itself."""
        problem = signature_of(function).problem(function.name, node)
        if problem is not None:
            self.reader.fault(node, problem)
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            return
        places = {keyword.arg: keyword.value for keyword in node.keywords}
        for i, parameter in enumerate(function.args.args):
            written = ast.unparse(parameter.annotation) if parameter.annotation else ""
            wanted = self.names.type_named(written)
            what = f"the {parameter.arg} of {function.name}"
            if i < len(types):
                self.values.check(what, node.args[i], types[i], wanted)
            elif parameter.arg in by_name:
                self.values.check(what, places[parameter.arg], by_name[parameter.arg], wanted)

    def _by_parameter(
        self, operation: Operation, node: ast.Call, types: list[Type]
    ) -> Iterator[tuple[str, str, str | None, ast.expr, Type]]:
        """Yield name, annotation, default, node and type of each argument that is given."""
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            return
        for each, argument, type_ in zip(operation.parameters, node.args, types, strict=False):
            yield each.name, each.type, each.default, argument, type_
        known = {each.name: each for each in operation.parameters}
        for keyword in node.keywords:
            if keyword.arg in known:
                each = known[keyword.arg]
                type_ = self.reader.seen(keyword.value)
                yield each.name, each.type, each.default, keyword.value, type_
