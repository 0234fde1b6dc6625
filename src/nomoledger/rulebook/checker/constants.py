"""Constants: the texts and numbers that code states."""

import ast
from typing import Any

from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.types import Type


def type_of_constant(node: ast.Constant) -> Type:
    """Return the type of a constant in code."""
    value = node.value
    if value is None:
        return t.NOTHING
    if isinstance(value, bool):
        return t.FLAG
    if isinstance(value, int):
        return t.COUNT
    return t.TEXT if isinstance(value, str) else t.NUMBER


def text_in(node: ast.expr | None) -> str | None:
    """Return the text that *node* states; None if it states none."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None


def whole_number_in(node: ast.expr | None) -> int | None:
    """Return the whole number that *node* states; None if it states none."""
    value: Any = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def product_in(node: ast.expr | None) -> int | None:
    """Return the whole number that *node* states, or computes as a product of such; else None."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        left, right = product_in(node.left), product_in(node.right)
        return None if left is None or right is None else left * right
    return whole_number_in(node)
