"""Arithmetic of rule code that mixes whole numbers and exact decimals.

The interpreter accepts a decimal on the left of a whole number but not on the right: if `d` is 1.5,
`2 < d` and `2 - d` fail, and `d + d == 3` is false. So comparisons and subtractions in rule code
are rewritten before they run. Every line keeps its number.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache

from nomoledger.language.syntax_tree import nodes_of

#: The functions that rewritten code calls: the first source saves those that the second replaces.
SOURCES = (
    "_max = max\n_min = min\n_sorted = sorted\n",
    """
def _mixable(n): return n * _one if type(n) == "int" else n
def _exact(n):
    return int(str(n // 1).split(".")[0]) if type(n) == "rust_decimal" and n // 1 == n else n
def _sortable(n):
    return tuple([_mixable(each) for each in n]) if type(n) == "tuple" else _mixable(n)
def _by(key): return _sortable if key == None else lambda each: _sortable(key(each))
def max(*args, key = None): return _max(key = _by(key), *args)
def min(*args, key = None): return _min(key = _by(key), *args)
def sorted(x, key = None, reverse = False): return _sorted(x, key = _by(key), reverse = reverse)
""",
)

_Place = tuple[int, int]
#: A replacement: at a place, so many bytes by a text.
_Edit = tuple[_Place, int, str]


@lru_cache(maxsize=4096)
def rewrite_arithmetic(code: str) -> str:
    """Return *code* rewritten so that whole numbers and decimals mix freely.

    >>> rewrite_arithmetic("return a < b or a - b == 2")
    'return _mixable(a) < b or _exact(a + -(b)) == 2'
    """
    lines = [line.encode() for line in code.split("\n")]
    edits = [edit for node in nodes_of(ast.parse(code)) for edit in _edits(node, lines)]
    for (line, column), length, text in sorted(edits, key=lambda edit: edit[0], reverse=True):
        old = lines[line - 1]
        lines[line - 1] = old[:column] + text.encode() + old[column + length :]
    return "\n".join(line.decode() for line in lines)


def _edits(node: ast.AST, lines: list[bytes]) -> Iterator[_Edit]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        if not _is_whole(node.right):
            yield _minus(_end(node.left), lines), 1, "+"
            yield from _wrap(node.right, "-(")
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub):
        if not _is_whole(node.value):
            yield _minus(_end(node.target), lines), 1, "+"
            yield from _wrap(node.value, "-(")
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = node.left, node.comparators[0]
        if isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            if not _is_whole(right):
                yield from _wrap(left, "_mixable(")
        elif isinstance(node.ops[0], ast.Eq | ast.NotEq) and (
            _is_computed(left) or _is_computed(right)
        ):
            for side in (left, right):
                if not _is_whole(side):
                    yield from _wrap(side, "_exact(")


def _wrap(node: ast.expr, opening: str) -> Iterator[_Edit]:
    yield (node.lineno, node.col_offset), 0, opening
    yield _end(node), 0, ")"


def _end(node: ast.expr) -> _Place:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


def _minus(place: _Place, lines: list[bytes]) -> _Place:
    """Return the place of the minus that follows *place*, past parentheses and comments."""
    line, column = place
    while (offset := lines[line - 1].split(b"#")[0].find(b"-", column)) < 0:
        line, column = line + 1, 0
    return line, offset


def _is_whole(node: ast.expr) -> bool:
    """Return whether *node* can only be a whole number: `3`, `-1`, `len(…)`."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _is_computed(node: ast.expr) -> bool:
    """Return whether *node* is certainly a number: a whole one, or the result of an operator."""
    return _is_whole(node) or isinstance(node, ast.BinOp)
