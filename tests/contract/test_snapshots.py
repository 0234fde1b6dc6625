"""Snapshots on every store: written at a close, read instead of the events, and disposable."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import msgspec
import psycopg
import pytest
from click.testing import CliRunner

from contract.databases import on_databases
from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.errors import StoreError
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger import as_of as state
from nomoledger.ledger import snapshots
from nomoledger.ledger.as_of import as_known, as_of, world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.snapshots import SnapshotCheck, fold_version
from nomoledger.ledger.stores.location import is_postgres
from nomoledger.ledger.stores.memory import MemoryWriter
from nomoledger.ledger.stores.postgres_side_tables import PostgresSideTableWriter
from nomoledger.ledger.stores.scratch import ScratchWriter
from nomoledger.ledger.stores.sqlite_side_tables import SqliteSideTableWriter
from nomoledger.ledger.stores.store import Store
from nomoledger.proof.content_audit import ContentAudit
from nomoledger.rulebook.loading import load
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

#: The default run tries SQLite and memory.
pytestmark = pytest.mark.slow_with("postgres")

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
PERIODS = 3
SIDE_TABLES = (SqliteSideTableWriter, PostgresSideTableWriter)


@pytest.fixture
def desk(connect: Callable[[], Store]) -> Iterator[Game]:
    """Three periods; in the third a die of the first is put right."""
    with Ledger(connect()) as ledger:
        desk = open_game(ledger, "g", load("mail-opening"), at=NOON, secret=b"s" * 32)
        for name in ("Ann", "Bob"):
            desk.join(name, {"email": name}, at=NOON)
        for period in range(1, PERIODS + 1):
            made = desk.propose("Ann", "Nothing", (), at=NOON, id=f"{period}").events[0]
            assert isinstance(made, e.ProposalMade)
            desk.judge(made.number, "accepted", at=NOON)
            if period == 3:
                reroll(desk, 1, 6)
            desk.close(at=NOON)
        yield desk


def reroll(desk: Game, period: int, value: int) -> None:
    die = next(
        each.number
        for each in desk.ledger.read("g")
        if isinstance(each.body, e.DrawRecorded) and each.body.period == period
    )
    edits = (e.Replaced(event=die, value=[value, value]),)
    desk.rule_on("replace", "misread", edits=edits, settle="all", questions="default", at=NOON)


def folded(ledger: Ledger, upto: int | None = None) -> World:
    world = World()
    for entry in ledger.read("g", upto=upto):
        apply(world, entry.body)
    return world


def spelled(world: World) -> dict[str, Any]:
    state = vars(world).items()
    return {name: each for name, each in state if name[0] != "_" and name != "index"}


def change(ledger: Ledger, location: str, statement: str, *values: Any) -> None:
    """Change a table past the store."""
    if is_postgres(location):
        with psycopg.connect(location, autocommit=True) as there:
            there.execute("SET search_path = nomoledger")
            there.execute(statement.replace("?", "%s").encode(), values)
        return
    with closing(sqlite3.connect(location)) as connection:
        connection.execute(statement, values)
        connection.commit()


def numbers(ledger: Ledger) -> list[int]:
    return [number for number, _ in ledger.store.snapshots("g", fold_version())]


def readings(ledger: Ledger) -> list[Any]:
    """How things stood at every close, as known at every other, and stand."""
    pairs = [(w, k) for k in (*range(1, PERIODS + 1), None) for w in range(1, (k or PERIODS) + 1)]
    found = [spelled(as_known(ledger, "g", *pair).known) for pair in pairs]
    return [*found, *(spelled(as_of(ledger, "g", w)) for w in (1, 2, 3, None))]


def verified(location: str) -> tuple[int, str]:
    result = CliRunner().invoke(program, ["verify", location])
    return result.exit_code, result.output


def test_a_close_stores_a_snapshot_of_the_state(desk: Game) -> None:
    ledger = desk.ledger
    closes = [x for x in ledger.read("g") if isinstance(x.body, e.PeriodClosed)]
    places = ledger.store.snapshots("g", fold_version())
    assert places == [(each.number, each.body.period) for each in closes]
    checked = SnapshotCheck(ledger, "g")
    audit = ContentAudit("g", ledger.secret("g"), snapshots=checked)
    assert ledger.verify("g", audit=audit).ok
    for number, period in places:
        assert spelled(snapshots.load_nearest(ledger, "g", number)) == spelled(
            folded(ledger, number)
        )
        assert spelled(as_of(ledger, "g", period)) == spelled(folded(ledger, number))
    last = ledger.head("g").number
    for upto in (0, places[0][0] - 1, places[1][0], places[1][0] + 1, last, None):
        assert spelled(world_of(ledger, "g", upto)) == spelled(folded(ledger, upto))


def test_a_past_close_is_read_from_its_snapshot(
    desk: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[e.Event] = []

    def noting(world: World, body: e.Event) -> None:
        taken.append(body)
        apply(world, body)

    monkeypatch.setattr(state, "apply", noting)
    for period in range(1, PERIODS + 1):
        as_of(desk.ledger, "g", period)
        as_known(desk.ledger, "g", period, PERIODS)
    assert taken == []
    as_known(desk.ledger, "g", 2)
    assert len(taken) <= desk.ledger.head("g").number - numbers(desk.ledger)[-1]


@on_databases
def test_snapshots_are_disposable(desk: Game, location: str) -> None:
    ledger, expected = desk.ledger, readings(desk.ledger)
    one, other, *_ = numbers(ledger)
    for which in (f"number={other}", f"number<>{one}", "number>0"):
        change(ledger, location, f"DELETE FROM snapshots WHERE {which}")
        assert readings(ledger) == expected
        CliRunner().invoke(program, ["rebuild", location])
        assert len(numbers(ledger)) == PERIODS
    change(ledger, location, "DELETE FROM snapshot_parts")
    assert readings(ledger) == expected
    with Ledger.open(location) as again:
        Game(again, "g").close(at=NOON)  # a new snapshot has all its parts with it
        assert as_of(again, "g", PERIODS + 1).head == numbers(again)[-1]
        assert snapshots.load_nearest(again, "g").head == numbers(again)[-1]


def test_another_version_of_the_fold_ignores_snapshots(
    desk: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, expected = desk.ledger, readings(desk.ledger)
    monkeypatch.setattr(snapshots, "fold_version", lambda: "another")
    assert snapshots.load_nearest(ledger, "g").head == -1
    assert readings(ledger) == expected
    desk.close(at=NOON)
    assert [period for _, period in ledger.store.snapshots("g", "another")] == [PERIODS + 1]


@on_databases
def test_snapshots_of_another_history_are_ignored(desk: Game, location: str) -> None:
    ledger = desk.ledger
    first, *_, last = numbers(ledger)
    change(ledger, location, "DELETE FROM stored_events WHERE originator_version > ?", last - 3)
    change(ledger, location, "DELETE FROM chain WHERE number > ?", last - 3)
    assert last not in numbers(ledger)
    assert spelled(world_of(ledger, "g")) == spelled(folded(ledger))
    change(ledger, location, "UPDATE chain SET hash = ? WHERE number = ?", b"x" * 32, first)
    assert first not in numbers(ledger)


@on_databases
def test_an_altered_snapshot_is_named_and_rebuilt(desk: Game, location: str) -> None:
    ledger = desk.ledger
    one, other = numbers(ledger)[1:3]
    sound = ledger.store.snapshot("g", fold_version(), one)
    change(ledger, location, "UPDATE snapshots SET root=? WHERE number=?", sound, other)
    code, said = verified(location)
    assert code == 1
    assert (
        f"#{other} is wrong (snapshot): the snapshot of its close: the snapshot after #{other} is"
        " not the one that was stored there" in said
    )
    assert spelled(as_of(ledger, "g", 3)) == spelled(folded(ledger, other))
    CliRunner().invoke(program, ["rebuild", location])
    assert verified(location)[0] == 0


@on_databases
def test_a_part_that_was_altered_is_named(desk: Game, location: str) -> None:
    ledger = desk.ledger
    expected = readings(ledger)
    change(ledger, location, "UPDATE snapshot_parts SET part=?", msgspec.msgpack.encode(((), 0)))
    code, said = verified(location)
    assert code == 1
    assert "a part of a snapshot is not what was written" in said
    assert readings(ledger) == expected


def test_a_close_succeeds_if_its_snapshot_cannot_be_stored(
    desk: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise StoreError("no room left")

    with monkeypatch.context() as patched:
        for writer in (MemoryWriter, ScratchWriter, *SIDE_TABLES):
            patched.setattr(writer, "add_snapshot", fail)
        closed = desk.close(at=NOON)
    assert isinstance(closed.events[-1], e.PeriodClosed | e.AttemptDone)
    assert len(numbers(desk.ledger)) == PERIODS
    desk.close(at=NOON)
    assert len(numbers(desk.ledger)) == PERIODS + 1
    assert spelled(world_of(desk.ledger, "g")) == spelled(folded(desk.ledger))


@on_databases
def test_a_snapshot_under_the_label_of_another_period_is_named_and_not_used(
    desk: Game, location: str
) -> None:
    ledger, expected = desk.ledger, readings(desk.ledger)
    one, other = numbers(ledger)[:2]
    change(ledger, location, "UPDATE snapshots SET period=99 WHERE number=?", one)
    change(ledger, location, "UPDATE snapshots SET period=1 WHERE number=?", other)
    change(ledger, location, "UPDATE snapshots SET period=2 WHERE number=?", one)
    assert readings(ledger) == expected
    assert spelled(snapshots.load_nearest(ledger, "g", period=1)) != spelled(folded(ledger, other))
    code, said = verified(location)
    assert code == 1
    assert f"#{one} is wrong (snapshot)" in said
    assert "it is stored as that of period 2" in said
    CliRunner().invoke(program, ["rebuild", location])
    assert verified(location)[0] == 0


@on_databases
def test_a_snapshot_under_another_event_or_reducer_is_named_and_not_used(
    desk: Game, location: str
) -> None:
    ledger, expected = desk.ledger, readings(desk.ledger)
    one = numbers(ledger)[0]
    before = ledger.head_at("g", one - 1).hash
    change(
        ledger, location, "UPDATE snapshots SET number=?, hash=? WHERE number=?",
        one - 1, bytes.fromhex(before), one,
    )  # fmt: skip
    assert readings(ledger) == expected
    assert verified(location)[0] == 1 or one - 1 not in numbers(ledger)
    CliRunner().invoke(program, ["rebuild", location])
    change(ledger, location, "UPDATE snapshots SET fold='another' WHERE fold=?", fold_version())
    assert numbers(ledger) == []
    original = snapshots.fold_version
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshots, "fold_version", lambda: "another")
        assert snapshots.load_nearest(ledger, "g").head == -1
        assert readings(ledger) == expected
    assert snapshots.fold_version is original
