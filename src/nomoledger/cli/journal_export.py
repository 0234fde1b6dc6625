"""The formats of export that are not our own: journals and tables, one game a file."""

from typing import TYPE_CHECKING, Any, BinaryIO

from nomoledger.cli.progress import counting, progress, records_in

if TYPE_CHECKING:
    from nomoledger.ledger.ledger import Ledger
    from nomoledger.views.journals import Exported

OURS = "jsonl"
FORMATS = (OURS, "beancount", "csv", "hledger", "ledger", "parquet")
#: How often each record is read: to verify it, for its names, and to write it.
PASSES = 3


def exported(
    ledger: "Ledger", file: BinaryIO, game: str | None, format: str, is_public: bool
) -> "Exported":
    """Write *game*, or the one there is, into *file* in that *format*."""
    from nomoledger.ledger.as_of import only_game
    from nomoledger.views.journals import export_journal

    name = game or only_game(ledger)
    with progress("exporting", PASSES * records_in(ledger, [name])) as advance:
        return export_journal(counting(ledger, advance), file, name, format, is_public=is_public)


def told(found: "Exported", format: str) -> str:
    """What was exported, in words."""
    counted = f"{found.payments} payments in {found.postings} postings"
    return f"exported {found.game} as {format}: {counted}, head {found.head}"


def shown(found: "Exported") -> dict[str, Any]:
    """What was exported, for JSON."""
    counted = {"payments": found.payments, "postings": found.postings}
    return {"game": found.game, "head": str(found.head), **counted}
