"""Arithmetic of rule code that mixes whole numbers and exact decimals.

The interpreter accepts a decimal on the left of a whole number but not on the right: if `d` is 1.5,
`2 < d` and `2 - d` fail, and `d + d == 3` is false. So comparisons and subtractions in rule code
are rewritten before they run. Every line keeps its number. What to rewrite, and where, is read from
the syntax tree.
"""

import ast
from functools import lru_cache
from typing import NamedTuple

from nomoledger.events.levels import LEVELS, NEWEST
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


class _Edit(NamedTuple):
    """A replacement at a place in the code.

    Edits at one place are sorted as the text has them: a closing parenthesis comes before an
    operator or an opening one, and an outer opening parenthesis before an inner one.
    """

    place: _Place
    is_closing: bool
    number: int
    length: int
    text: str

    @property
    def order(self) -> tuple[_Place, bool, int]:
        return self.place, not self.is_closing, self.number


@lru_cache(maxsize=4096)
def rewrite_arithmetic(code: str, level: int = NEWEST) -> str:
    """Return *code*, of a game of *level*, rewritten so that numbers of both kinds mix freely.

    >>> rewrite_arithmetic("return a < b or a - b == 2")
    'return _mixable(a) < b or _exact(a + -(b)) == 2'
    """
    is_exact = LEVELS[level].rewrites_exactly
    lines = [line.encode() for line in code.split("\n")]
    rewriting = _Rewriting(lines, is_exact=is_exact)
    for node in nodes_of(ast.parse(code)):
        rewriting.add(node)
    edits = rewriting.edits
    if is_exact:
        edits.sort(key=lambda edit: edit.order, reverse=True)
    else:
        edits.sort(key=lambda edit: edit.place, reverse=True)
    for (line, column), _, _, length, text in edits:
        old = lines[line - 1]
        lines[line - 1] = old[:column] + text.encode() + old[column + length :]
    return "\n".join(line.decode() for line in lines)


class _Rewriting:
    """The edits of one text of code.

    Attributes:
        edits: the edits so far.
    """

    def __init__(self, lines: list[bytes], *, is_exact: bool) -> None:
        """Edit *lines*; unless *is_exact*, as games up to level 2 did, with their mistakes."""
        self.edits: list[_Edit] = []
        self._lines = lines
        self._is_exact = is_exact

    def add(self, node: ast.AST) -> None:
        """Add the edits of *node* itself, without those of the nodes in it."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            self._add_minus(node.left, node.right)
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub):
            self._add_minus(node.target, node.value)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            self._add_comparison(node.left, node.ops[0], node.comparators[0])

    def _add_minus(self, left: ast.expr, right: ast.expr) -> None:
        if not _is_whole(right):
            self._edit(self._minus(_end(left)), "+", length=1)
            self._wrap(right, "-(")

    def _add_comparison(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> None:
        if isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            if not _is_whole(right):
                self._wrap(left, "_mixable(")
        elif isinstance(operator, ast.Eq | ast.NotEq):
            if self._may_be_numbers(left, right):
                for side in (left, right):
                    if not _is_whole(side):
                        self._wrap(side, "_exact(")
        elif self._is_exact and not (_is_whole(left) or _is_no_number(left)):
            self._wrap(left, "_exact(")

    def _may_be_numbers(self, left: ast.expr, right: ast.expr) -> bool:
        """Return whether the sides of an equation may be numbers, as far as the level asks."""
        if self._is_exact:
            return not (_is_no_number(left) or _is_no_number(right))
        return _is_computed(left) or _is_computed(right)

    def _wrap(self, node: ast.expr, opening: str) -> None:
        self._edit((node.lineno, node.col_offset), opening)
        self._edit(_end(node), ")", is_closing=True)

    def _edit(self, place: _Place, text: str, *, length: int = 0, is_closing: bool = False) -> None:
        self.edits.append(_Edit(place, is_closing, len(self.edits), length, text))

    def _minus(self, place: _Place) -> _Place:
        """Return the place of the minus that follows *place*, past parentheses and comments."""
        line, column = place
        while (offset := self._before_comment(line, column).find(b"-", column)) < 0:
            line, column = line + 1, 0
        return line, offset

    def _before_comment(self, line: int, column: int) -> bytes:
        """Return *line* up to the comment that begins at or after *column*, if there is one.

        Between an operand and its minus, there is no text, so that each `#` begins a comment. Old
        levels took any `#` of the line for one, even within a text before the operand.
        """
        text = self._lines[line - 1]
        end = text.find(b"#", column if self._is_exact else 0)
        return text if end < 0 else text[:end]


def _end(node: ast.expr) -> _Place:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


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


def _is_no_number(node: ast.expr) -> bool:
    """Return whether *node* is certainly no number: a text, a flag, None, a list or a table."""
    if isinstance(node, ast.Constant):
        return node.value is None or isinstance(node.value, str | bool)
    return isinstance(node, ast.List | ast.Dict | ast.ListComp | ast.DictComp | ast.Tuple)
