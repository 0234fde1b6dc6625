"""Tampering with the tables: verification names the first wrong record and what happened to it."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples, sample

from nomoledger.cli import program
from nomoledger.events import Posted
from nomoledger.events.codec import encode
from nomoledger.ledger.chain import commit, link, origin
from nomoledger.ledger.ledger import Head, Ledger
from nomoledger.ledger.verification import Verdict

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SIZE = 8
LAST = SIZE - 1
EVENTS, CHAIN = "stored_events", "chain"
NUMBER = {EVENTS: "originator_version", CHAIN: "number"}


def state(why: str) -> bytes:
    return encode(Posted(period=1, received_at=NOON, recorded_at=NOON, postings=(), why=why))


#: How many records share a row of the chain.
APART, SHARED, TOGETHER = (1,) * SIZE, (3, 5), (SIZE,)


@pytest.fixture(
    scope="module", params=sample([SHARED, APART, TOGETHER], 1), ids=["shared", "apart", "one"]
)
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stored(tmp_path_factory.mktemp("sound") / "games.db", request.param)


def stored(path: Path, sizes: tuple[int, ...]) -> Path:
    with Ledger.open(path, create=True) as ledger:
        for game in ("chess", "go"):
            ledger.add_game(game, b"secret of 16 bytes")
            numbers = iter(range(SIZE))
            for size in sizes:
                few = list(islice(numbers, size))
                records = [("posted/1", state(f"{game} {number}")) for number in few]
                with ledger.transaction() as transaction:
                    transaction.append_encoded(game, records, expected=few[0] - 1)
    return path


class Tables:
    """The tables of game chess, for tampering."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.execute = connection.execute

    def remove(self, table: str, number: int) -> None:
        self.execute(f"DELETE FROM {table} WHERE {self.where(table)}=?", (number,))

    def renumber(self, table: str, number: int, to: int | float | str | None) -> None:
        column = NUMBER[table]
        self.execute(f"UPDATE {table} SET {column}=? WHERE {self.where(table)}=?", (to, number))

    def shift(self, table: str, after: int, by: int) -> None:
        numbers = range(after + 1, SIZE)
        for number in reversed(numbers) if by > 0 else numbers:
            self.renumber(table, number, number + by)

    def swap(self, table: str, one: int, other: int) -> None:
        for number, to in ((one, 1000), (other, one), (1000, other)):
            self.renumber(table, number, to)

    def plant(self, number: int | None, content: bytes) -> None:
        self.execute(f"INSERT INTO {EVENTS} VALUES ('chess',?,'posted/1',?)", (number, content))

    def change(self, table: str, number: int, column: str, value: Any) -> None:
        self.execute(f"UPDATE {table} SET {column}=? WHERE {self.where(table)}=?", (value, number))

    def value(self, table: str, number: int, column: str) -> Any:
        query = f"SELECT {column} FROM {table} WHERE {self.where(table)}=?"
        return self.execute(query, (number,)).fetchone()[0]

    def where(self, table: str) -> str:
        game = {EVENTS: "originator_id", CHAIN: "game"}[table]
        return f"{game}='chess' AND {NUMBER[table]}"


class Tamper(Protocol):
    def __call__(self, act: Callable[[Tables], None], head: Head | None = None) -> Verdict: ...


def tampering(sound: Path, path: Path) -> Tamper:
    """Return a function that changes a copy of the *sound* ledger and verifies the copy."""

    def run(act: Callable[[Tables], None], head: Head | None = None) -> Verdict:
        shutil.copyfile(sound, path)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous=OFF")
            act(Tables(connection))
        with Ledger.open(path) as ledger:
            assert ledger.verify("go").ok
            return ledger.verify("chess", head)

    return run


@pytest.fixture
def tamper(sound: Path, tmp_path: Path) -> Tamper:
    """Tampers with records, for every way in which they share chain rows."""
    return tampering(sound, tmp_path / "copy.db")


@pytest.fixture
def apart(tmp_path: Path) -> Tamper:
    """Tampers with records that have a chain row each, and with those rows."""
    return tampering(stored(tmp_path / "games.db", APART), tmp_path / "copy.db")


@pytest.fixture
def shared(tmp_path: Path) -> Tamper:
    """Tampers with chain rows that records share: three the first, five the second."""
    return tampering(stored(tmp_path / "games.db", SHARED), tmp_path / "copy.db")


def found(verdict: Verdict) -> tuple[int | None, str | None]:
    assert verdict.ok == (verdict.problem is None) == (verdict.detail is None)
    assert verdict.detail is None or "\n" not in verdict.detail
    return verdict.number, verdict.problem


@pytest.fixture
def head(sound: Path) -> Head:
    with Ledger.open(sound) as ledger:
        return ledger.head("chess")


any_number = st.integers(0, LAST)
not_last = st.integers(0, LAST - 1)
two_numbers = st.tuples(any_number, any_number).filter(lambda pair: pair[0] < pair[1])
many = examples(few=15, many=60)


def test_a_sound_ledger(tamper: Tamper, head: Head) -> None:
    verdict = tamper(lambda tables: None)
    assert verdict == Verdict(game="chess", records=SIZE, head=head, ok=True)


@many
@given(
    any_number,
    st.sampled_from(["topic", "state"]),
    st.one_of(st.none(), st.text(max_size=3), st.binary(max_size=3), st.integers(0, 9)),
)
def test_an_altered_record(tamper: Tamper, number: int, column: str, value: Any) -> None:
    verdict = tamper(lambda tables: tables.change(EVENTS, number, column, value))
    assert found(verdict) == (number, "altered")
    assert verdict.records == number
    assert verdict.head.number == number - 1


@many
@given(any_number, st.integers(0, 500), st.integers(0, 7))
def test_a_flipped_bit(tamper: Tamper, number: int, place: int, bit: int) -> None:
    def flip(tables: Tables) -> None:
        content = bytearray(tables.value(EVENTS, number, "state"))
        content[place % len(content)] ^= 1 << bit
        tables.change(EVENTS, number, "state", bytes(content))

    assert found(tamper(flip)) == (number, "altered")


@many
@given(two_numbers, st.booleans())
def test_a_record_overwritten_by_a_copy(tamper: Tamper, pair: tuple[int, int], later: bool) -> None:
    number, other = pair if later else pair[::-1]

    def copy(tables: Tables) -> None:
        tables.change(EVENTS, number, "state", tables.value(EVENTS, other, "state"))

    assert found(tamper(copy)) == (number, "altered")


@many
@given(any_number)
def test_a_removed_record_that_leaves_a_gap(tamper: Tamper, number: int) -> None:
    assert found(tamper(lambda tables: tables.remove(EVENTS, number))) == (number, "missing")


@many
@given(any_number, st.integers(1, 100))
def test_a_record_moved_after_the_end(tamper: Tamper, number: int, far: int) -> None:
    act = lambda tables: tables.renumber(EVENTS, number, LAST + far)  # noqa: E731
    assert found(tamper(act)) == (number, "missing")


@many
@given(any_number)
def test_a_removed_record_with_later_ones_renumbered(tamper: Tamper, number: int) -> None:
    def remove(tables: Tables) -> None:
        tables.remove(EVENTS, number)
        tables.shift(EVENTS, number, -1)

    assert found(tamper(remove)) == (number, "missing")


@many
@given(not_last, st.booleans())
def test_a_record_removed_with_its_chain_row(apart: Tamper, number: int, shift: bool) -> None:
    def remove(tables: Tables) -> None:
        for table in (EVENTS, CHAIN):
            tables.remove(table, number)
            if shift:
                tables.shift(table, number, -1)

    assert found(apart(remove)) == (number, "missing")


@many
@given(any_number, any_number)
def test_an_inserted_record_with_later_ones_renumbered(
    tamper: Tamper, number: int, copied: int
) -> None:
    def insert(tables: Tables) -> None:
        planted = tables.value(EVENTS, copied, "state") if copied != number else state("planted")
        tables.shift(EVENTS, number - 1, 1)
        tables.plant(number, planted)

    assert found(tamper(insert)) == (number, "inserted")


@many
@given(any_number, st.booleans())
def test_a_record_inserted_with_a_chain_row(apart: Tamper, number: int, fitting: bool) -> None:
    def insert(tables: Tables) -> None:
        planted = state("planted")
        before = origin("chess") if number == 0 else tables.value(CHAIN, number - 1, "hash")
        commitment = (
            commit(b"secret of 16 bytes", number, b"posted/1", planted) if fitting else b"x" * 32
        )
        for table in (EVENTS, CHAIN):
            tables.shift(table, number - 1, 1)
        tables.plant(number, planted)
        row = (number, commitment, link(before, number, commitment))
        tables.execute("INSERT INTO chain VALUES ('chess',?,?,?)", row)

    assert found(apart(insert)) == (number, "inserted")


def test_a_record_added_after_the_end(tamper: Tamper, head: Head) -> None:
    act = lambda tables: tables.plant(SIZE, state("planted"))  # noqa: E731
    assert found(tamper(act)) == (SIZE, "inserted")


@pytest.mark.parametrize("number", [None, "x", -1, 2.5])
def test_a_record_added_with_an_impossible_number(tamper: Tamper, number: Any) -> None:
    assert found(tamper(lambda tables: tables.plant(number, b""))) == (-1, "inserted")


@many
@given(two_numbers, st.booleans())
def test_swapped_records(apart: Tamper, pair: tuple[int, int], with_chain: bool) -> None:
    def swap(tables: Tables) -> None:
        tables.swap(EVENTS, *pair)
        if with_chain:
            tables.swap(CHAIN, *pair)

    verdict = apart(swap)
    assert found(verdict) == (pair[0], "swapped")
    assert verdict.detail == f"#{pair[0]} has the content of #{pair[1]}"


@many
@given(any_number, st.sampled_from(["commitments", "hash"]), st.binary(max_size=32))
def test_an_altered_chain_row(apart: Tamper, number: int, column: str, value: bytes) -> None:
    verdict = apart(lambda tables: tables.change(CHAIN, number, column, value))
    assert found(verdict) == (number, "chain")


@many
@given(two_numbers)
def test_swapped_chain_rows(apart: Tamper, pair: tuple[int, int]) -> None:
    assert found(apart(lambda tables: tables.swap(CHAIN, *pair))) == (pair[0], "chain")


#: The rows that are shared: by their last numbers, the first that they are for.
FIRSTS = {2: 0, 7: 3}


@many
@given(st.integers(0, LAST * 32), st.integers(1, 255))
def test_an_altered_commitment_in_a_shared_row(shared: Tamper, place: int, by: int) -> None:
    row, within = (2, place) if place < 3 * 32 else (7, place - 3 * 32)

    def change(tables: Tables) -> None:
        commitments = bytearray(tables.value(CHAIN, row, "commitments"))
        commitments[within] ^= by
        tables.change(CHAIN, row, "commitments", bytes(commitments))

    assert found(shared(change)) == (place // 32, "chain")


@many
@given(st.sampled_from([2, 7]), st.binary(max_size=40))
def test_an_altered_hash_of_a_shared_row(shared: Tamper, row: int, value: bytes) -> None:
    verdict = shared(lambda tables: tables.change(CHAIN, row, "hash", value))
    assert found(verdict) == (row, "chain")


@many
@given(st.sampled_from([2, 7]), st.integers(-96, 96).filter(bool), st.booleans())
def test_commitments_added_or_removed(
    shared: Tamper, row: int, size: int, at_the_end: bool
) -> None:
    def change(tables: Tables) -> None:
        held = tables.value(CHAIN, row, "commitments")
        if size < 0:
            held = held[:size] if at_the_end else held[-size:]
        else:
            held = held + b"x" * size if at_the_end else b"x" * size + held
        tables.change(CHAIN, row, "commitments", held)

    number, problem = found(shared(change))
    assert (problem, number in range(FIRSTS[row], row + 2)) == ("chain", True)


@many
@given(st.sampled_from([2, 7]), st.integers(0, 20))
def test_a_shared_row_renumbered(shared: Tamper, row: int, to: int) -> None:
    verdict = shared(lambda tables: tables.renumber(CHAIN, row, to) if to not in (2, 7) else None)
    assert verdict.ok if to in (2, 7) else found(verdict)[1] in ("chain", "missing")


def test_shared_rows_swapped(shared: Tamper) -> None:
    assert found(shared(lambda tables: tables.swap(CHAIN, 2, 7)))[1] == "chain"


def test_a_shared_row_removed(shared: Tamper) -> None:
    assert found(shared(lambda tables: tables.remove(CHAIN, 2))) == (0, "chain")
    assert found(shared(lambda tables: tables.remove(CHAIN, 7))) == (3, "inserted")


@many
@given(st.sampled_from([-1, 0, 1, 5, 9]), st.integers(0, 4))
def test_a_row_planted_in_the_chain(shared: Tamper, number: int, size: int) -> None:
    def plant(tables: Tables) -> None:
        row = (number, b"x" * 32 * size, tables.value(CHAIN, LAST, "hash"))
        tables.execute("INSERT INTO chain VALUES ('chess',?,?,?)", row)

    assert found(shared(plant))[1] in ("chain", "missing")


@many
@given(not_last, st.booleans())
def test_a_removed_chain_row(apart: Tamper, number: int, shift: bool) -> None:
    def remove(tables: Tables) -> None:
        tables.remove(CHAIN, number)
        if shift:
            tables.shift(CHAIN, number, -1)

    assert found(apart(remove)) == (number, "chain")


@many
@given(any_number)
def test_a_tail_cut_off_with_its_chain(apart: Tamper, head: Head, number: int) -> None:
    def cut(tables: Tables) -> None:
        for table in (EVENTS, CHAIN):
            for gone in range(number, SIZE):
                tables.remove(table, gone)

    verdict = apart(cut, head)
    assert found(verdict) == (number, "cut off")
    assert apart(cut).ok, "without the head a shorter ledger is as good as any"


@many
@given(any_number)
def test_a_tail_cut_off_without_its_chain(tamper: Tamper, number: int) -> None:
    def cut(tables: Tables) -> None:
        for gone in range(number, SIZE):
            tables.remove(EVENTS, gone)

    assert found(tamper(cut)) == (number, "missing")


@many
@given(any_number)
def test_records_rewritten_with_the_whole_chain(apart: Tamper, head: Head, number: int) -> None:
    def rewrite(tables: Tables) -> None:
        tables.change(EVENTS, number, "state", state("planted"))
        last = origin("chess")
        for each in range(SIZE):
            commitment = commit(
                b"secret of 16 bytes", each, b"posted/1", tables.value(EVENTS, each, "state")
            )
            last = link(last, each, commitment)
            tables.change(CHAIN, each, "commitments", commitment)
            tables.change(CHAIN, each, "hash", last)

    assert found(apart(rewrite, head)) == (LAST, "differs")
    assert apart(rewrite).ok, "without the head a rewritten chain is as good as any"


def test_a_changed_secret(tamper: Tamper) -> None:
    def change(tables: Tables) -> None:
        tables.execute("UPDATE games SET secret=x'00' WHERE game='chess'")

    verdict = tamper(change)
    assert found(verdict) == (0, "altered")
    assert "secret or its chain was changed" in str(verdict.detail)


@pytest.mark.parametrize("act", ["DELETE FROM games", "UPDATE games SET game='chest'"])
def test_a_game_removed_from_the_list(sound: Path, tmp_path: Path, act: str) -> None:
    copy = tmp_path / "copy.db"
    shutil.copyfile(sound, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute(f"{act} WHERE game='chess'")
    with Ledger.open(copy) as ledger:
        assert ledger.unlisted() == ["chess"]
        assert found(ledger.verify("chess")) == (None, "unlisted")
        assert ledger.verify("go").ok
    result = CliRunner().invoke(program, ["verify", str(copy)])
    assert result.exit_code == 1
    assert "chess: is wrong (unlisted): it has records, but is not among the games" in result.output


def test_the_head_of_another_game(tamper: Tamper) -> None:
    other = Head(-1, origin("go").hex())
    assert found(tamper(lambda tables: None, other)) == (-1, "differs")


def test_a_record_of_a_later_version(sound: Path, tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "new.db", create=True) as ledger:
        ledger.add_game("chess")
        with ledger.transaction() as transaction:
            transaction.append_encoded("chess", [("castled/1", b"?")], expected=-1)
        verdict = ledger.verify("chess")
    assert found(verdict) == (0, "unreadable")
    assert "written by a newer nomoledger" in str(verdict.detail)
