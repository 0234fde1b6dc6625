"""Statements of standing orders in words: `owner(4) == none` is "owner of 4 is none"."""

import ast

from nomoledger.engine.statements import Statement
from nomoledger.prose.names import plain

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "is",
    ast.NotEq: "is not",
    ast.Lt: "is less than",
    ast.LtE: "is at most",
    ast.Gt: "is more than",
    ast.GtE: "is at least",
    ast.In: "is among",
    ast.NotIn: "is not among",
}


def statement_words(text: str) -> str:
    """Return the statement *text* in words.

    Raises:
        UsageError: *text* is no statement.
    """
    return _words(Statement(text).tree)


def _words(node: ast.expr) -> str:
    if isinstance(node, ast.BoolOp):
        word = " and " if isinstance(node.op, ast.And) else " or "
        inner = (f"({_words(x)})" if isinstance(x, ast.BoolOp) else _words(x) for x in node.values)
        return word.join(inner)
    if isinstance(node, ast.Compare):
        told = _words(node.left)
        for comparison, comparator in zip(node.ops, node.comparators, strict=True):
            told += f" {_COMPARED[type(comparison)]} {_words(comparator)}"
        return told
    if isinstance(node, ast.UnaryOp):
        sign, operand = "minus" if isinstance(node.op, ast.USub) else "not", _words(node.operand)
        grouped = f"({operand})" if isinstance(node.operand, ast.BoolOp) else operand
        return f"{sign} {grouped}"
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        return _call(node.func.id, [_words(argument) for argument in node.args])
    if isinstance(node, ast.List):
        return ", ".join(map(_words, node.elts))
    if isinstance(node, ast.Name):
        return node.id
    assert isinstance(node, ast.Constant)
    return f"“{node.value}”" if isinstance(node.value, str) else str(node.value)


def _call(name: str, given: list[str]) -> str:
    own = {
        "period": "the number of the period",
        "closing": "the period is about to close",
        "ended": "why the game is over",
    }
    if name in own:
        return own[name]
    if name == "asked" and given:
        return f"what {given[0]} is asked"
    return f"{plain(name)} of {' and '.join(given)}" if given else plain(name)
