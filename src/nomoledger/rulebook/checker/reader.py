"""The reader of a rule's code, as the checks of its parts see it."""

import ast
from typing import Protocol

from nomoledger.events.rules import Rule
from nomoledger.language.code import Hook
from nomoledger.language.operations import Operation
from nomoledger.rulebook.checker.known_names import KnownNames
from nomoledger.rulebook.checker.types import Type

#: The names that have a value at some place of the code, with the types of the values.
Variables = dict[str, Type]


class Reader(Protocol):
    """What the check of a part of the code needs to know of the code around it."""

    rule: Rule
    names: KnownNames
    functions: dict[str, ast.FunctionDef]
    variables: Variables
    hook: Hook | None
    used: set[str]

    def type_of(self, node: ast.expr) -> Type:
        """Return the type of *node*, and report the faults in it."""

    def type_of_name(self, node: ast.Name) -> Type:
        """Return the type of what a name stands for."""

    def seen(self, node: ast.expr) -> Type:
        """Return the type of *node*, which was read before."""

    def bind(self, target: ast.expr, type_: Type) -> None:
        """Note that *target* is given a value of *type_*."""

    def fault(self, node: ast.AST, text: str) -> None:
        """Report *text* at the line of *node*."""

    def result_of(self, name: str) -> Type:
        """Return what the function *name* of the rule returns."""

    def result_of_operation(self, operation: Operation) -> Type:
        """Return what *operation* returns."""
