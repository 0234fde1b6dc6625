"""Rendering: tables and lines for people, JSON and CSV for programs."""

import os
import sys
from collections.abc import Iterable
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TextIO

import click

from nomoledger.prose.harmless import harmless, harmless_json, spreadsheet_cell

if TYPE_CHECKING:
    from nomoledger.game.read_models import ReadModel, Table

#: The width of tables in a pipe.
PIPE_WIDTH = 80
#: How lines begin that say that something failed.
FAILURES = ("refused: ", "error: ", "wrong: ", "case would fail: ")


def one_line(text: str) -> str:
    """Return *text* as one harmless line."""
    return harmless(" ".join(text.split("\n"))).expandtabs(1)


def page_width(stream: TextIO) -> int | None:
    """Return how wide lines of *stream* may be; None for lines of any length, into a pipe."""
    return get_terminal_size((PIPE_WIDTH, 24)).columns if stream.isatty() else None


def styled(text: str, *, err: bool = False, **style: Any) -> str:
    """Return *text* in a colour or weight on a terminal; as it is in a pipe, or with NO_COLOR."""
    stream = sys.stderr if err else sys.stdout
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if is_plain or not stream.isatty() else click.style(text, **style)


def print_text(text: str, **style: Any) -> None:
    """Print *text*, which may have several lines, in a *style* of `styled`."""
    _echo(harmless(text), **style)


def print_line(text: str, **style: Any) -> None:
    """Print *text* as one line, in a *style* of `styled`; a failure in red."""
    _echo(one_line(text), **({"fg": "red"} if text.startswith(FAILURES) else style))


def print_failure(text: str) -> None:
    """Print *text* on one line of standard error, after the name of the program."""
    _echo(f"nomoledger: {one_line(text)}", err=True, fg="red")


def print_aside(text: str) -> None:
    """Print *text* on one line of standard error."""
    _echo(one_line(text), err=True)


def _echo(text: str, *, err: bool = False, **style: Any) -> None:
    """Print *text*; a terminal breaks its lines between words, a pipe does not."""
    width = page_width(sys.stderr if err else sys.stdout)
    if width is not None:
        from nomoledger.cli.line_wrap import wrap_text

        text = wrap_text(text, width)
    click.echo(styled(text, err=err, **style) if any(style.values()) else text, err=err)


def print_blocks(blocks: "Iterable[str | Table]") -> None:
    """Print *blocks* one after the other: a string on one line, a table as a table."""
    for block in blocks:
        if isinstance(block, str):
            print_line(block)
        else:
            print_table(block)


def warn(text: str) -> None:
    """Print *text* on one line of standard error."""
    _echo(f"nomoledger: {one_line(text)}", err=True, fg="yellow")


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
            if not is_first:
                click.echo()
            print_table(block)
        is_first = False


def print_table(table: "Table") -> None:
    """Print a table in the width of the page, with its headings in bold on a terminal."""
    from nomoledger.cli.table_layout import lay_out

    width = page_width(sys.stdout) or PIPE_WIDTH
    for line, is_heading in lay_out(table, width):
        click.echo(styled(line, bold=True) if is_heading else line)
