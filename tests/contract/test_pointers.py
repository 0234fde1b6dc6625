"""Pointers: a game that is elsewhere is no game of this store, but its records stay."""

from collections.abc import Callable

import pytest
from click.testing import CliRunner

from contract.databases import on_databases
from contract.test_store import fill, link, row
from nomoledger.cli import program
from nomoledger.errors import MovedError
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.pointer import Pointer
from nomoledger.ledger.stores.store import Store

SECRET = b"secret of chess"
GONE = Pointer("chess", "/games/new.db", is_arriving=False, secret=SECRET)
ARRIVING = Pointer("chess", "/games/old.db", is_arriving=True, secret=SECRET)


def point(store: Store, pointer: Pointer) -> None:
    with store.writing() as writer:
        writer.set_pointer(pointer)
        assert writer.pointer(pointer.game) == pointer
        assert writer.secret(pointer.game) is None


def test_a_store_has_no_pointer_at_first(store: Store) -> None:
    fill(store, "chess", range(3))
    assert (store.pointers(), store.pointer("chess"), store.pointer("go")) == ([], None, None)
    with store.writing() as writer:
        assert writer.pointer("chess") is None


def test_a_game_with_a_pointer_is_not_there_but_its_records_are(
    store: Store, connect: Callable[[], Store]
) -> None:
    fill(store, "chess", range(3))
    fill(store, "go", range(2))
    point(store, GONE)
    store.close()
    again = connect()
    try:
        assert (again.games(), again.unlisted()) == (["go"], [])
        assert (again.pointers(), again.pointer("chess")) == ([GONE], GONE)
        assert again.pointer("go") is None
        assert again.secret_and_tail("chess") == (None, link(2))
        assert again.secret_and_tail("go") == (b"secret of go", link(1))
        assert list(again.rows("chess", -1, 9)) == [row(n) for n in range(3)]
        with again.writing() as writer:
            assert writer.tail("chess") == link(2)
    finally:
        again.close()


def test_a_pointer_can_be_replaced_and_dropped(store: Store) -> None:
    fill(store, "chess", range(3))
    point(store, GONE)
    point(store, ARRIVING)
    with store.writing() as writer:
        writer.insert("chess", [row(3)], [link(3)])
        writer.drop_pointer("chess")
        assert (writer.secret("chess"), writer.pointer("chess")) == (SECRET, None)
    assert (store.games(), store.pointers()) == (["chess"], [])
    assert store.secret_and_tail("chess") == (SECRET, link(3))


def test_records_can_arrive_where_there_was_no_game(store: Store) -> None:
    point(store, ARRIVING)
    with store.writing() as writer:
        writer.insert("chess", [row(0)], [link(0)])
    assert (store.games(), store.unlisted()) == ([], [])
    assert store.tail("chess") == link(0)
    with store.writing() as writer:
        writer.drop_pointer("chess")
    assert store.games() == ["chess"]


def test_a_failing_transaction_leaves_no_pointer(store: Store) -> None:
    fill(store, "chess", range(3))

    def act() -> None:
        with store.writing() as writer:
            writer.set_pointer(GONE)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        act()
    assert (store.games(), store.pointers()) == (["chess"], [])
    assert store.secret("chess") == SECRET


def test_nothing_can_be_written_to_a_game_that_is_elsewhere(store: Store) -> None:
    ledger = Ledger(store)
    ledger.add_game("chess")
    place = "/games/new.db"
    point(store, Pointer("chess", place, is_arriving=False, secret=ledger.secret("chess")))
    said = rf"game 'chess' has moved from .* to {place}: give that place"
    for act in (
        lambda: ledger.append("chess", [], expected=-1),
        lambda: ledger.add_game("chess"),
        lambda: ledger.head("chess"),
        lambda: ledger.secret("chess"),
        lambda: list(ledger.read("chess")),
        lambda: ledger.verify("chess"),
    ):
        with pytest.raises(MovedError, match=said):
            act()
    with pytest.raises(MovedError, match=said), ledger.side_tables("chess"):
        pytest.fail("the block must not begin")


@on_databases
def test_the_table_of_pointers_is_ours(location: str) -> None:
    """verify counts it among our own tables, and a ledger has it only if it needs it."""
    with Ledger.open(location, create=True) as ledger:
        ledger.add_game("go")
        ledger.add_game("chess")
        point(ledger.store, GONE)
        assert ledger.foreign_objects() == []
    assert CliRunner().invoke(program, ["verify", location]).exit_code == 0
