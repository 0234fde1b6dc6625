"""What every store must do; to add one, add it to `location` and `connect` in conftest.py."""

import threading
from collections.abc import Callable

import pytest

from contract.databases import on_databases
from nomoledger.errors import CorruptError, UnknownError
from nomoledger.ledger.chain import Link
from nomoledger.ledger.stores.open_store import open_store
from nomoledger.ledger.stores.store import Row, Store


def row(number: int) -> Row:
    return number, "posted/1", b"state %d" % number


def link(number: int) -> Link:
    return number, b"commitment %d" % number, b"hash %d" % number


def fill(store: Store, game: str, numbers: range) -> None:
    with store.writing() as writer:
        if writer.secret(game) is None:
            writer.create_game(game, b"secret of " + game.encode())
        writer.insert(game, [row(n) for n in numbers], [link(n) for n in numbers])


@on_databases
def test_opening_a_missing_store_is_refused(location: str) -> None:
    with pytest.raises(UnknownError, match="no ledger at"):
        open_store(location)


def test_a_new_store_is_empty(store: Store) -> None:
    assert store.games() == []
    assert store.secret("chess") is None
    assert store.tail("chess") is None
    assert list(store.rows("chess", -1, 9)) == []


def test_data_survives_closing_and_opening(store: Store, connect: Callable[[], Store]) -> None:
    fill(store, "chess", range(3))
    fill(store, "ärger", range(0))
    store.close()
    again = connect()
    try:
        assert again.games() == ["chess", "ärger"]
        assert again.secret("ärger") == "secret of ärger".encode()
        assert again.tail("chess") == link(2)
        assert list(again.rows("chess", -1, 9)) == [row(0), row(1), row(2)]
    finally:
        again.close()


def test_the_secret_of_one_game_can_be_replaced(store: Store, connect: Callable[[], Store]) -> None:
    fill(store, "chess", range(3))
    fill(store, "go", range(1))
    with store.writing() as writer:
        writer.replace_secret("chess", b"another secret")
        assert writer.secret("chess") == b"another secret"
    store.close()
    again = connect()
    try:
        assert (again.secret("chess"), again.secret("go")) == (b"another secret", b"secret of go")
        assert again.tail("chess") == link(2)
    finally:
        again.close()


def test_rows_returns_a_range_of_one_game_in_order(store: Store) -> None:
    fill(store, "chess", range(2500))
    fill(store, "draughts", range(5))
    assert list(store.rows("chess", 990, 2100)) == [row(n) for n in range(991, 2101)]
    assert list(store.rows("draughts", 3, 2100)) == [row(4)]


def test_states_returns_the_given_topics_in_order(store: Store) -> None:
    numbers = range(2500)
    topics = ["posted/1", "moved/1", "ärger/2"]
    rows = [(n, topics[n % 3], b"state %d" % n) for n in numbers]
    with store.writing() as writer:
        writer.create_game("chess", b"s")
        writer.insert("chess", rows, [link(n) for n in numbers])
    fill(store, "draughts", range(5))
    wanted = {"posted/1", "ärger/2"}
    expected = [state for n, topic, state in rows if topic in wanted and n <= 2100]
    assert list(store.states("chess", wanted, 2100)) == expected
    assert list(store.states("chess", ["none/1"], 2100)) == []
    assert list(store.states("chess", wanted, -1)) == []


def test_count_includes_records_up_to_a_number(store: Store) -> None:
    fill(store, "chess", range(7))
    fill(store, "draughts", range(3))
    assert [store.count("chess", upto) for upto in (-1, 0, 5, 6, 9)] == [0, 1, 6, 7, 7]


def test_many_readers_may_stop_halfway(store: Store) -> None:
    fill(store, "chess", range(2500))
    halves = [store.rows("chess", -1, 2499) for _ in range(40)]
    assert [next(half) for half in halves] == 40 * [row(0)]


def test_evidence_does_not_see_later_writes(store: Store) -> None:
    fill(store, "chess", range(2))
    with store.evidence("chess") as evidence:
        assert next(evidence.contents) == (0, b"posted/1", b"state 0")
        fill(store, "chess", range(2, 4))
        assert [number for number, _, _ in evidence.contents] == [1]
        assert list(evidence.links) == [link(0), link(1)]


def test_containing_finds_bytes_in_states(store: Store) -> None:
    fill(store, "chess", range(30))
    assert list(store.containing("chess", "e 2")) == [row(2), *map(row, range(20, 30))]


def test_a_failing_transaction_stores_nothing(store: Store) -> None:
    fill(store, "chess", range(2))

    def act() -> None:
        with store.writing() as writer:
            writer.create_game("draughts", b"secret")
            writer.insert("chess", [row(2)], [link(2)])
            assert writer.tail("chess") == link(2)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        act()
    assert store.games() == ["chess"]
    assert store.tail("chess") == link(1)
    fill(store, "chess", range(2, 3))


def test_a_number_cannot_be_stored_twice(store: Store) -> None:
    fill(store, "chess", range(2))
    with pytest.raises(CorruptError, match="'chess' has a record behind the end of its chain"):
        fill(store, "chess", range(1, 3))
    assert list(store.rows("chess", -1, 9)) == [row(0), row(1)]


def test_a_writer_reads_stored_records(store: Store) -> None:
    fill(store, "chess", range(5))
    with store.writing() as writer:
        assert writer.secret("chess") == b"secret of chess"
        assert writer.rows("chess", 1, 3) == [row(2), row(3)]
        assert writer.link("chess", 3) == link(3)
        assert writer.link("chess", 5) is None


def test_threads_write_one_after_the_other(store: Store) -> None:
    fill(store, "chess", range(0))

    def write() -> None:
        for _ in range(20):
            with store.writing() as writer:
                tail = writer.tail("chess")
                number = 0 if tail is None else tail[0] + 1
                writer.insert("chess", [row(number)], [link(number)])

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [number for number, _, _ in store.rows("chess", -1, 99)] == list(range(80))


def test_unlisted_returns_games_that_only_have_records(store: Store) -> None:
    fill(store, "chess", range(2))
    assert store.unlisted() == []
    with store.writing() as writer:
        writer.insert("go", [row(0)], [link(0)])
    assert (store.games(), store.unlisted()) == (["chess"], ["go"])


@pytest.mark.parametrize("far", [10**30, -(10**30)])
def test_a_limit_may_be_any_number(store: Store, far: int) -> None:
    fill(store, "chess", range(2))
    assert store.snapshots("chess", "fold", far, far, 1) == []
    assert list(store.deltas("chess", far, far)) == []
