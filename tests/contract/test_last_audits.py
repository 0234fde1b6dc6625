"""The last audits of games, the sizes of games, and the programs that use a store."""

from datetime import UTC, datetime

from contract.databases import on_databases
from contract.test_store import fill
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.last_audit import LastAudit
from nomoledger.ledger.stores.location import is_postgres
from nomoledger.ledger.stores.store import Store

MAY = LastAudit("chess", 7, datetime(2026, 5, 1, 12, 30, tzinfo=UTC), is_sound=True)
JUNE = LastAudit("chess", 9, datetime(2026, 6, 1, tzinfo=UTC), is_sound=False)
OTHER = LastAudit("ärger", -1, datetime(2026, 4, 1, tzinfo=UTC), is_sound=True)


def test_the_last_audit_of_each_game_is_kept(store: Store) -> None:
    assert store.audits() == []
    for audit in (MAY, OTHER, JUNE):
        with store.writing() as writer:
            writer.set_audit(audit)
    assert store.audits() == [JUNE, OTHER]


def test_sizes_are_the_bytes_of_the_records(store: Store) -> None:
    assert store.sizes() == {}
    fill(store, "chess", range(12))
    fill(store, "go", range(1))
    assert store.sizes() == {"chess": 10 * len(b"state 0") + 2 * len(b"state 10"), "go": 7}


@on_databases
def test_a_server_lists_programs_by_name(location: str) -> None:
    with Ledger.open(location, create=True, program="nomoledger keeper of chess") as ledger:
        named = ledger.store.programs()
        assert (named is not None) == is_postgres(location)
        assert named is None or "nomoledger keeper of chess" in named
        with ledger.store.writing() as writer:
            writer.set_audit(MAY)
        assert ledger.foreign_objects() == []
