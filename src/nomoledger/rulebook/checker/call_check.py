"""The check of calls: each goes to a verb, an operation, or a function of the same rule."""

import ast

from nomoledger.language.linker import DEFINING
from nomoledger.language.reserved import BUILTINS
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.operation_check import OperationCheck
from nomoledger.rulebook.checker.reader import Reader
from nomoledger.rulebook.checker.signatures import signature_of_verb
from nomoledger.rulebook.checker.types import Type
from nomoledger.rulebook.checker.verb_check import VerbCheck


class CallCheck:
    """The check of the calls in one rule."""

    def __init__(self, reader: Reader) -> None:
        """Check the calls that *reader* comes upon."""
        self.reader = reader
        self.names = reader.names
        self.operations = OperationCheck(reader)
        self.verbs = VerbCheck(reader)

    def type_of(self, name: str, node: ast.Call) -> Type:
        """Return what the call *node* of *name* returns, and report the faults in it."""
        reader = self.reader
        is_local = name in reader.variables
        function = reader.type_of(node.func)
        types = [reader.type_of(argument) for argument in node.args]
        by_name = {k.arg or "": reader.type_of(k.value) for k in node.keywords}
        if is_local:
            return self._local(name, node, function, types)
        if not self._is_function(name, node, function):
            return t.UNKNOWN
        if name in reader.functions:
            self._is_free(name, node)
            self.operations.check_function(reader.functions[name], node, types, by_name)
            return reader.result_of(name)
        if name in self.names.operations:
            operation = self.names.operations[name]
            self.operations.check(operation, node, types)
            return reader.result_of_operation(operation)
        if name in self.names.verbs or name in BUILTINS:
            return self.verbs.type_of(name, node, types)
        return t.UNKNOWN

    def _is_free(self, name: str, node: ast.Call) -> None:
        """Check that a called function is no hook, which would leave out all other rules."""
        kind, _, operation = name.partition("_")
        if kind in DEFINING and operation in self.names.operations:
            text = f"{name} leaves out what other rules say of it: write {operation}(…)"
            self.reader.fault(node, text)

    def _is_function(self, name: str, node: ast.Call, function: Type) -> bool:
        if not function or t.names_of(function) == {"Function"}:
            return True
        text = f"{name!r} is {t.describe(function)} here, not a function"
        way = "give what is assigned to it another name"
        if "List" in t.names_of(function):
            way = "an item of a list is written with [ ]"
        self.reader.fault(node, f"{text}: {way}")
        return False

    def _local(self, name: str, node: ast.Call, function: Type, types: list[Type]) -> Type:
        """Return what the call of a variable returns, such as `proceed` of an `instead_` hook."""
        hook = self.reader.hook
        self._is_function(name, node, function)
        if hook is None or hook.kind != "instead" or name != hook.parameters[0].name:
            return t.UNKNOWN
        operation = self.names.operations.get(hook.operation)
        if operation is not None:
            self.operations.check(operation, node, types, called=name)
            return self.reader.result_of_operation(operation)
        signature = signature_of_verb(hook.operation)
        problem = None if signature is None else signature.problem(name, node)
        if problem is not None:
            self.reader.fault(node, problem)
        return t.UNKNOWN
