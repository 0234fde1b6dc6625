"""A game's payments in the formats of bookkeeping and analysis: journals that other tools check.

There is no maintained library that writes journals from a stream: beancount's printer wants all
entries in memory, and its licence on ours. The formats are a few lines each, and the tests hand
what is written to the tools themselves.
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


class Exported(msgspec.Struct, frozen=True):
    """What was exported: *payments* (events) of *postings* in a game that has come to *head*."""

    game: str
    head: Head
    payments: int
    postings: int


def export_journal(
    ledger: Ledger, file: BinaryIO, game: str, format: str, *, is_public: bool = False
) -> Exported:
    """Write the payments of *game* into *file*; those alone that everybody may see, if asked for.

    Memory does not grow with the number of payments.

    Raises:
        UsageError: there is no such *format*, or what it needs is not installed.
        UnknownError: there is no such game.
        CorruptError: the game does not verify.
    """
    if format not in _WRITERS:
        raise UsageError(f"no format {format!r}: choose one of {', '.join(FORMATS)}")
    source = JournalSource(ledger, game, is_public)
    _WRITERS[format](source, file)
    return Exported(game, source.head, source.chart.payments, source.chart.postings)


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
    """What the file is, in words."""
    upto = "what is public" if source.is_public else f"events up to {source.head}"
    yield f"{source.game}, from nomoledger: {upto}"  # whose head would count what is not
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
