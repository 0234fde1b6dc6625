"""Writes a game as a table with a row per posting: CSV, or Parquet with pyarrow."""

import codecs
import csv
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from nomoledger.errors import UsageError
from nomoledger.prose.harmless import spreadsheet_cell
from nomoledger.views.journals.source import JournalSource, effective, exact, stamp

if TYPE_CHECKING:
    import pyarrow

COLUMNS = (
    *("event", "period", "effective", "received_at", "account"),
    *("commodity", "amount", "why", "rules", "cause"),
)
#: The number of rows in one group of a Parquet file, and so in memory.
GROUP = 20_000
#: Decimal places of an amount in Parquet. They are the same for every game, unless it needs more.
PLACES = 12


def write_csv(source: JournalSource, file: BinaryIO) -> None:
    """Write the postings of *source* as CSV. The items of a list are joined by spaces.

    No cell is a formula to a spreadsheet.
    """
    rows = csv.writer(codecs.getwriter("utf-8")(file), lineterminator="\n")
    rows.writerow(COLUMNS)
    for *first, moment, account, commodity, number, why, rules, cause in _rows(source):
        texts = map(spreadsheet_cell, (account, commodity, number, why, " ".join(rules)))
        rows.writerow((*first, stamp(moment), *texts, cause))


def write_parquet(source: JournalSource, file: BinaryIO) -> None:
    """Write the postings of *source* as Parquet, group by group.

    Raises:
        UsageError: The package pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        advice = "pip install 'nomoledger[parquet]'"
        raise UsageError(f"parquet needs pyarrow, which is not installed: {advice}") from None
    schema = _schema(source)
    rows = _rows(source)
    with parquet.ParquetWriter(file, schema) as writer:
        while group := list(islice(rows, GROUP)):
            columns = [list(column) for column in zip(*group, strict=True)]
            columns[6] = [Decimal(number) for number in columns[6]]
            typed = zip(columns, schema.types, strict=True)
            arrays = [pyarrow.array(values, type_) for values, type_ in typed]
            writer.write_batch(pyarrow.record_batch(arrays, schema=schema))


def _schema(source: JournalSource) -> "pyarrow.Schema":
    import pyarrow as pa

    places = max((PLACES, *source.chart.commodities.values()))
    types = (
        *(pa.int64(), pa.int64(), pa.int64(), pa.timestamp("s", "UTC"), pa.string()),
        *(pa.string(), pa.decimal128(38, places), pa.string(), pa.list_(pa.string()), pa.int64()),
    )
    return pa.schema(list(zip(COLUMNS, types, strict=True)))


def _rows(source: JournalSource) -> Iterator[tuple[Any, ...]]:
    """Yield the columns of every posting, with the amount as text."""
    accounts, places = source.chart.accounts, source.chart.commodities
    for number, body in source.payments():
        head = number, body.period, effective(body), body.received_at
        end = body.why, body.rules, body.cause
        for posting in body.postings:
            name = posting.commodity
            value = exact(posting.amount, places[name])
            yield *head, accounts[posting.account].label, name, value, *end
