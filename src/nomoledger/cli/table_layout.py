"""The layout of tables: columns that fit a width, without breaking a word.

A table that fits is laid out as it is. Otherwise its texts are wrapped at words. Where that does
not suffice, figures are shown in bands of columns below each other, and anything else as a list
with a line for each cell.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from nomoledger.cli.line_wrap import cell_width, wrap_words
from nomoledger.prose.harmless import harmless

if TYPE_CHECKING:
    from nomoledger.game.read_models import Table

Rows = Sequence[Sequence[str]]
_GAP = 2
#: A table of which some row would have more lines than this is shown as a list.
_HEIGHT_MAX = 5
#: A figure, perhaps with a rank in brackets: columns of figures are aligned to the right.
_FIGURE = re.compile(r"[+-]?\d[\d.]*( \(\d+\))?")


def lay_out(table: "Table", width: int) -> Iterator[tuple[str, bool]]:
    """Yield the lines of *table* in *width* columns; True says that a line is a heading."""
    columns = [harmless(column) for column in table.columns]
    rows = [[harmless(cell) for cell in row] for row in table.rows]
    count = max(map(len, [columns, *rows]), default=0)
    rows = [[*row, *[""] * (count - len(row))] for row in rows]
    if table.grid:
        yield from _grid(table, rows, width)
        return
    columns, rows = _without_empty_columns(columns, rows, width)
    is_figure = [_holds_figures(rows, index) for index in range(len(columns))]
    least, room = _least_widths(columns, rows), width - _GAP * (len(columns) - 1)
    if sum(least) > room and all(is_figure[1:]):
        yield from _bands(columns, rows, is_figure, width)
    elif sum(least) > room:
        yield from _listed(columns, rows, width)
    else:
        widths = _fitted(_natural_widths(columns, rows), least, room)
        is_cramped = any(_height(row, widths) > _HEIGHT_MAX for row in rows)
        if is_cramped:
            yield from _listed(columns, rows, width)
        else:
            yield from _columned(columns, rows, is_figure, widths)


def _without_empty_columns(
    columns: list[str], rows: list[list[str]], width: int
) -> tuple[list[str], list[list[str]]]:
    """Return the table without its empty columns, if it is too wide with them."""
    natural = _natural_widths(columns, rows)
    if sum(natural) + _GAP * (len(columns) - 1) <= width or not rows:
        return columns, rows
    kept = [index for index in range(len(columns)) if any(row[index] for row in rows)]
    return [columns[index] for index in kept], [[row[index] for index in kept] for row in rows]


def _holds_figures(rows: Rows, index: int) -> bool:
    cells = [row[index] for row in rows if row[index]]
    return bool(cells) and all(_FIGURE.fullmatch(cell) for cell in cells)


def _natural_widths(columns: Sequence[str], rows: Rows) -> list[int]:
    lines = [[cell.split("\n") for cell in row] for row in (columns, *rows)]
    return [
        max(cell_width(part) for row in lines for part in row[index])
        for index in range(len(columns))
    ]


def _least_widths(columns: Sequence[str], rows: Rows) -> list[int]:
    """Return the width of the longest word of each column; a figure with a rank is one word."""
    return [
        max(
            cell_width(word)
            for cell in (columns[index], *(row[index] for row in rows))
            for word in ([cell] if _FIGURE.fullmatch(cell) else cell.split() or [""])
        )
        for index in range(len(columns))
    ]


def _fitted(natural: list[int], least: list[int], width: int) -> list[int]:
    """Return widths between *least* and *natural* that sum up to *width* at most.

    >>> _fitted([2, 40, 30], [2, 5, 5], 32)
    [2, 15, 15]
    """
    low, high = 0, max(natural, default=0)
    while low < high:  # the greatest width that columns may share
        middle = (low + high + 1) // 2
        shared = (max(a, min(b, middle)) for a, b in zip(least, natural, strict=True))
        low, high = (middle, high) if sum(shared) <= width else (low, middle - 1)
    return [max(a, min(b, low)) for a, b in zip(least, natural, strict=True)]


def _height(row: Sequence[str], widths: list[int]) -> int:
    cells = zip(row, widths, strict=True)
    return max((len(wrap_words(cell, size)) for cell, size in cells), default=0)


def _columned(
    columns: list[str], rows: Rows, is_figure: list[bool], widths: list[int]
) -> Iterator[tuple[str, bool]]:
    """Yield a heading and the rows, in columns of these *widths* beside each other."""
    for number, row in enumerate((columns, *rows)):
        cells = [wrap_words(cell, size) for cell, size in zip(row, widths, strict=True)]
        for line in _beside(cells, widths, is_figure):
            if line or number:
                yield line, number == 0


def _beside(cells: list[list[str]], widths: list[int], is_figure: list[bool]) -> Iterator[str]:
    for height in range(max(map(len, cells))):
        parts = []
        for cell, size, is_right in zip(cells, widths, is_figure, strict=True):
            part = cell[height] if height < len(cell) else ""
            space = " " * (size - cell_width(part))
            parts.append(space + part if is_right else part + space)
        yield (" " * _GAP).join(parts).rstrip()


def _bands(
    columns: list[str], rows: Rows, is_figure: list[bool], width: int
) -> Iterator[tuple[str, bool]]:
    """Yield as many columns beside the first one as fit, and the others below them."""
    least = _least_widths(columns, rows)
    start = 1
    while start < len(columns):
        end, taken = start, least[0]
        while end < len(columns) and (end == start or taken + _GAP + least[end] <= width):
            taken += _GAP + least[end]
            end += 1
        band = [0, *range(start, end)]
        if start > 1:
            yield "", False
        yield from _columned(
            [columns[index] for index in band],
            [[row[index] for index in band] for row in rows],
            [is_figure[index] for index in band],
            [least[index] for index in band],
        )
        start = end


def _listed(columns: list[str], rows: Rows, width: int) -> Iterator[tuple[str, bool]]:
    """Yield each row as a list: a line for its first cell, and one for each other that it has."""
    names = max(map(cell_width, columns[1:]), default=0)
    for number, row in enumerate(rows):
        if number:
            yield "", False
        for line in wrap_words(f"{columns[0]} {row[0]}".strip(), width):
            yield line, True
        for name, cell in zip(columns[1:], row[1:], strict=True):
            lines = wrap_words(cell, width - names - 2 * _GAP) if cell else []
            for line_number, line in enumerate(lines):
                title = name if line_number == 0 else ""
                gap = " " * (names - cell_width(title) + _GAP)
                yield f"{' ' * _GAP}{title}{gap}{line}".rstrip(), False


def _grid(table: "Table", rows: list[list[str]], width: int) -> Iterator[tuple[str, bool]]:
    """Yield the cells of a grid; or the table that stands for the grid, if it is too wide."""
    names = [""] * len(rows[0])
    is_text = [False] * len(names)
    least = sum(_least_widths(names, rows)) + _GAP * (len(names) - 1)
    if least > width and table.narrow is not None:
        yield from lay_out(table.narrow, width)
        return
    natural = _natural_widths(names, rows)
    widths = _fitted(natural, _least_widths(names, rows), width - _GAP * (len(names) - 1))
    for row in rows:
        cells = [wrap_words(cell, size) for cell, size in zip(row, widths, strict=True)]
        yield from ((line, False) for line in _beside(cells, widths, is_text))
        yield "", False
