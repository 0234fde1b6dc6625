"""Rendering: tables and lines for people, JSON and CSV for programs."""

import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from nomoledger.prose.harmless import harmless, harmless_json, spreadsheet_cell

if TYPE_CHECKING:
    from nomoledger.game.read_models import ReadModel, Table


def one_line(text: str) -> str:
    """Return *text* as one harmless line."""
    return harmless(" ".join(text.split("\n"))).expandtabs(1)


def print_text(text: str) -> None:
    """Print *text*, which may have several lines."""
    click.echo(harmless(text))


def print_line(text: str) -> None:
    """Print *text* on one line."""
    click.echo(one_line(text))


def print_blocks(blocks: "Iterable[str | Table]") -> None:
    """Print *blocks* one after the other: a string on one line, a table as a table."""
    for block in blocks:
        if isinstance(block, str):
            print_line(block)
        else:
            print_table(block)


def warn(text: str) -> None:
    """Print *text* on one line of standard error."""
    click.echo(f"nomoledger: {one_line(text)}", err=True)


def prompt(question: str) -> str:
    """Ask *question* on standard error, and return what the user types."""
    answer: str = click.prompt(one_line(question), err=True)
    return answer


def print_json(value: Any) -> None:
    """Print *value* as one JSON object on a line; control characters are escaped as JSON does."""
    import msgspec

    encoder = msgspec.json.Encoder(decimal_format="number", enc_hook=str)
    click.echo(harmless_json(encoder.encode(value).decode()))


def print_csv(sheet: "Table") -> None:
    """Print *sheet* as comma-separated values, with the names of the columns first.

    No cell is a formula to a spreadsheet.
    """
    from csv import writer
    from io import StringIO

    text = StringIO()
    rows = writer(text, lineterminator="\n")
    rows.writerow(map(spreadsheet_cell, sheet.columns))
    rows.writerows([spreadsheet_cell(cell) for cell in row] for row in sheet.rows)
    click.echo(text.getvalue(), nl=False)


def print_model(model: "ReadModel", as_json: bool) -> None:
    """Print a read model, for people or as JSON."""
    if as_json:
        print_json(model)
        return
    is_first = True
    for block in model.show():
        if isinstance(block, str):
            print_text(block)
        else:
            if not (is_first or sys.stdout.isatty()):
                click.echo()
            print_table(block)
        is_first = False


def print_table(table: "Table") -> None:
    """Print a table: with lines and colour on a terminal, as plain columns into a pipe."""
    if not sys.stdout.isatty():
        click.echo("\n".join(_plain_lines(table)))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    style = box.SQUARE if table.grid else box.SIMPLE_HEAD
    rich = RichTable(box=style, show_header=bool(table.columns), show_lines=table.grid)
    for index, column in enumerate(table.columns or ("",) * max(map(len, table.rows))):
        rich.add_column(Text(harmless(column)), justify=_alignment(table, index), overflow="fold")
    for row in table.rows:
        rich.add_row(*(Text(harmless(cell)) for cell in row))
    Console(highlight=False).print(rich)


def _alignment(table: "Table", index: int) -> Any:
    cells = [row[index] for row in table.rows if row[index]]
    is_number = bool(table.columns) and all(re.fullmatch(r"-?[\d.]+", cell) for cell in cells)
    return "right" if cells and is_number else "left"


def _plain_lines(table: "Table") -> Iterable[str]:
    """Lay *table* out in columns two spaces apart; a cell may have several lines."""
    from rich.cells import cell_len

    rows = [table.columns] if table.columns else []
    cells = [[harmless(cell).split("\n") for cell in row] for row in (*rows, *table.rows)]
    widths = [
        max(cell_len(part) for row in cells for part in row[index])
        for index in range(len(cells[0]))
    ]
    for row in cells:
        for height in range(max(map(len, row))):
            parts = [cell[height] if height < len(cell) else "" for cell in row]
            gaps = [width - cell_len(part) for part, width in zip(parts, widths, strict=True)]
            padded = (part + " " * gap for part, gap in zip(parts, gaps, strict=True))
            yield "  ".join(padded).rstrip()
        if table.grid:
            yield ""
