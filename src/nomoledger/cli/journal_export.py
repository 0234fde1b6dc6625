"""Exports of one game in formats of other programs: journals and tables."""

from typing import TYPE_CHECKING, Any, BinaryIO

from nomoledger.cli.progress import count_records, counting, progress

if TYPE_CHECKING:
    from nomoledger.ledger.ledger import Ledger
    from nomoledger.views.journals import ExportResult

OURS = "jsonl"
FORMATS = (OURS, "beancount", "csv", "hledger", "ledger", "parquet")
#: How often each record is read: to verify it, to collect names, and to write it.
PASSES = 3


def export_for_program(
    ledger: "Ledger", file: BinaryIO, game_name: str | None, format: str, is_public: bool
) -> "ExportResult":
    """Write *game_name*, or the only game of *ledger*, to *file* in *format*."""
    from nomoledger.ledger.as_of import only_game
    from nomoledger.views.journals import export_journal

    name = game_name or only_game(ledger)
    with progress("exporting", PASSES * count_records(ledger, [name])) as advance:
        return export_journal(counting(ledger, advance), file, name, format, is_public=is_public)


def describe_export(export: "ExportResult", format: str) -> str:
    """Return one line about *export*."""
    counts = f"{export.payments} payments in {export.postings} postings"
    return f"exported {export.game} as {format}: {counts}, head {export.head}"


def export_as_json(export: "ExportResult") -> dict[str, Any]:
    """Return *export* as a value for JSON."""
    counts = {"payments": export.payments, "postings": export.postings}
    return {"game": export.game, "head": str(export.head), **counts}
