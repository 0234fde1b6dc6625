"""Exports of a game's payments in the formats of accounting and analysis tools.

No maintained library writes these formats from a stream. Beancount's printer needs all entries in
memory, and its licence would apply to this project. Each format takes a few lines, and the tests
pass the exports to the tools themselves.
"""

from collections.abc import Callable, Iterator
from typing import BinaryIO

import msgspec

from nomoledger.errors import UsageError
from nomoledger.ledger.ledger import Head, Ledger
from nomoledger.views.journals import beancount
from nomoledger.views.journals import payment_table as tables
from nomoledger.views.journals import plain_text as plain
from nomoledger.views.journals.source import JournalSource

FORMATS = ("beancount", "csv", "hledger", "ledger", "parquet")


class ExportResult(msgspec.Struct, frozen=True):
    """The result of an export: the game's *head*, and the numbers of *payments* and *postings*."""

    game: str
    head: Head
    payments: int
    postings: int


def export_journal(
    ledger: Ledger, file: BinaryIO, game: str, format: str, *, is_public: bool = False
) -> ExportResult:
    """Write the payments of *game* to *file*. If *is_public*, write public payments only.

    The memory used does not depend on the number of payments.

    Raises:
        UsageError: The format is unknown, or needs a package that is not installed.
        UnknownError: The ledger has no such game.
        CorruptError: The game does not verify.
    """
    if format not in _WRITERS:
        raise UsageError(f"no format {format!r}: choose one of {', '.join(FORMATS)}")
    source = JournalSource(ledger, game, is_public)
    _WRITERS[format](source, file)
    return ExportResult(game, source.head, source.chart.payments, source.chart.postings)


def _journal(
    lines: Callable[[JournalSource], Iterator[str]],
) -> Callable[[JournalSource, BinaryIO], None]:
    def write(source: JournalSource, file: BinaryIO) -> None:
        for line in _heading(source):
            file.write(f"; {line}\n".encode())
        for piece in lines(source):
            file.write(piece.encode())

    return write


def _heading(source: JournalSource) -> Iterator[str]:
    """Yield the lines at the top of the file, which say what it holds."""
    upto = "what is public" if source.is_public else f"events up to {source.head}"
    yield f"{source.game}, from nomoledger: {upto}"  # The head would count secret events.
    if source.is_public:
        yield "only what everybody may see: balances are those of these payments alone"
    yield "amounts have the decimal places that each commodity has now"


_WRITERS: dict[str, Callable[[JournalSource, BinaryIO], None]] = {
    "beancount": _journal(beancount.lines),
    "csv": tables.write_csv,
    "hledger": _journal(plain.hledger),
    "ledger": _journal(plain.ledger),
    "parquet": tables.write_parquet,
}
