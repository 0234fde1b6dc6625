"""How things are printed: tables for people, JSON for programs, one line for what goes wrong."""

import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from nomoledger.game.read_models import ReadModel, Table

#: Characters that would move the cursor, change colours or otherwise command a terminal.
_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """*text* with what could command a terminal written out; line breaks and tabs stay.

    >>> harmless("Ann\\x1b[31m")
    'Ann\\\\x1b[31m'
    """
    return _COMMANDS.sub(lambda match: repr(match[0])[1:-1], text)


def one_line(text: str) -> str:
    """*text* as one harmless line."""
    return harmless(" ".join(text.split("\n"))).expandtabs(1)


def say(text: str) -> None:
    """Print *text*, which may have several lines."""
    click.echo(harmless(text))


def line(text: str) -> None:
    """Print *text* on one line."""
    click.echo(one_line(text))


def warn(text: str) -> None:
    """Print *text* on one line of standard error."""
    click.echo(f"nomoledger: {one_line(text)}", err=True)


def json(value: Any) -> None:
    """Print *value* as one JSON object on a line."""
    import msgspec

    encoder = msgspec.json.Encoder(decimal_format="number", enc_hook=str)
    click.echo(encoder.encode(value).decode())


def csv(block: "Table") -> None:
    """Print a table for a spreadsheet: comma-separated, the names of the columns first."""
    from csv import writer
    from io import StringIO

    text = StringIO()
    rows = writer(text, lineterminator="\n")
    rows.writerow(map(harmless, block.columns))
    rows.writerows([harmless(cell) for cell in row] for row in block.rows)
    click.echo(text.getvalue(), nl=False)


def show(model: "ReadModel", as_json: bool) -> None:
    """Print a read model, for people or as JSON."""
    if as_json:
        json(model)
        return
    is_first = True
    for block in model.show():
        if isinstance(block, str):
            say(block)
        else:
            if not (is_first or sys.stdout.isatty()):
                click.echo()
            table(block)
        is_first = False


def table(block: "Table") -> None:
    """Print a table: with lines and colour on a terminal, plain in columns into a pipe."""
    if not sys.stdout.isatty():
        click.echo("\n".join(_plain_lines(block)))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    style = box.SQUARE if block.grid else box.SIMPLE_HEAD
    rich = RichTable(box=style, show_header=bool(block.columns), show_lines=block.grid)
    for place, column in enumerate(block.columns or ("",) * max(map(len, block.rows))):
        rich.add_column(Text(harmless(column)), justify=_justify(block, place), overflow="fold")
    for row in block.rows:
        rich.add_row(*(Text(harmless(cell)) for cell in row))
    Console(highlight=False).print(rich)


def _justify(block: "Table", place: int) -> Any:
    cells = [row[place] for row in block.rows if row[place]]
    is_number = bool(block.columns) and all(re.fullmatch(r"-?[\d.]+", cell) for cell in cells)
    return "right" if cells and is_number else "left"


def _plain_lines(block: "Table") -> Iterable[str]:
    """Columns two spaces apart, as wide as they need to be; a cell may have several lines."""
    from rich.cells import cell_len

    rows = [block.columns] if block.columns else []
    cells = [[harmless(cell).split("\n") for cell in row] for row in (*rows, *block.rows)]
    widths = [max(cell_len(x) for row in cells for x in row[i]) for i in range(len(cells[0]))]
    for row in cells:
        for height in range(max(map(len, row))):
            parts = [cell[height] if height < len(cell) else "" for cell in row]
            gaps = [width - cell_len(part) for part, width in zip(parts, widths, strict=True)]
            padded = (part + " " * gap for part, gap in zip(parts, gaps, strict=True))
            yield "  ".join(padded).rstrip()
        if block.grid:
            yield ""
