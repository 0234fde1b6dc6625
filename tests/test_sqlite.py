"""The SQLite file: opening, sharing, a full disk, killed processes."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from eventsourcing.sqlite import SQLiteApplicationRecorder
from tiers import sample

from nomoledger.errors import CorruptError, StoreError, UnknownError, UsageError
from nomoledger.events import ClockAdvanced, Event
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.open_store import open_store
from nomoledger.ledger.stores.sqlite import SqliteStore
from nomoledger.ledger.stores.sqlite_file import READERS_MAX

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
WRITER = """
import sys
from datetime import UTC, datetime
from nomoledger.errors import ConflictError
from nomoledger.events import ClockAdvanced
from nomoledger.ledger.ledger import Ledger

path, name, batches = sys.argv[1], sys.argv[2], int(sys.argv[3])
noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
with Ledger.open(path, create=True) as ledger:
    print("ready", flush=True)
    sys.stdin.readline()
    for batch in range(batches):
        bodies = [
            ClockAdvanced(period=1, received_at=noon, recorded_at=noon, id=f"{name}-{batch}-{n}")
            for n in range(5)
        ]
        while True:
            try:
                ledger.append("chess", bodies, expected=ledger.head("chess").number)
                break
            except ConflictError:
                continue
"""


def clock(name: str) -> Event:
    return ClockAdvanced(period=1, received_at=NOON, recorded_at=NOON, id=name)


def start(path: Path, name: str, batches: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(batches)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def begin(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "ready\n"
    process.stdin.write("go\n")
    process.stdin.flush()


def ids(ledger: Ledger) -> list[str]:
    bodies = [entry.body for entry in ledger.read("chess")]
    return [body.id for body in bodies if isinstance(body, ClockAdvanced)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "games.db"
    with Ledger.open(path, create=True) as ledger:
        ledger.add_game("chess", b"secret of 16 bytes")
    return path


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def message(location: str | Path, kind: type[Exception] = StoreError, create: bool = True) -> str:
    with pytest.raises(kind) as refusal:
        Ledger.open(location, create=create)
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


def test_opening_does_not_create(tmp_path: Path) -> None:
    assert "no ledger at" in message(tmp_path / "none.db", UnknownError, create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a b.db", "ä?x=1#2.db", "file:x", "%41.db", "mode=memory"])
def test_any_name_is_the_name_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with Ledger.open(name, create=True) as ledger:
        ledger.add_game("chess")
    with Ledger.open(f"sqlite:///{name}") as ledger:
        assert ledger.games() == ["chess"]
    with Ledger.open(f"sqlite:///{tmp_path / name}") as ledger:
        assert ledger.games() == ["chess"]
    assert {file.name for file in tmp_path.iterdir()} == {name}


def test_other_kinds_of_location(tmp_path: Path) -> None:
    assert "unknown kind of store" in message("mysql://host/games", UsageError)
    assert "unknown kind of store" in message("sqlite://games.db", UsageError)
    assert "not the path of a file" in message(":memory:", UsageError)
    assert "not the path of a file" in message("sqlite:///", UsageError)
    assert "is a folder" in message(tmp_path)
    assert "cannot open" in message(tmp_path / "none" / "games.db")


@pytest.mark.parametrize("create", [True, False])
def test_a_file_of_another_kind(tmp_path: Path, create: bool) -> None:
    (tmp_path / "notes.txt").write_text("Dear diary, " * 1000)
    assert "is not a ledger" in message(tmp_path / "notes.txt", create=create)
    change(tmp_path / "other.db", "CREATE TABLE diary (day)")
    before = (tmp_path / "other.db").read_bytes()
    expected = "is the database of another program" if create else "is not a ledger"
    assert expected in message(tmp_path / "other.db", create=create)
    assert (tmp_path / "other.db").read_bytes() == before


def test_an_empty_file_becomes_a_ledger_only_where_one_is_created(tmp_path: Path) -> None:
    (tmp_path / "games.db").touch()
    assert "is not a ledger" in message(tmp_path / "games.db", create=False)
    with Ledger.open(tmp_path / "games.db", create=True) as ledger:
        assert ledger.games() == []


def test_a_newer_schema_is_refused(path: Path) -> None:
    change(path, "PRAGMA user_version=4")
    assert "was written by a newer nomoledger (schema 4, this one knows 3)" in message(path)


def test_the_events_table_is_that_of_the_library(path: Path) -> None:
    with closing(SqliteStore(str(path))) as store, closing(sqlite3.connect(path)) as connection:
        query = "SELECT sql FROM sqlite_master WHERE name='stored_events'"
        (ours,) = connection.execute(query).fetchone()
        (theirs,) = SQLiteApplicationRecorder(store.datastore).create_table_statements
        assert theirs.replace("IF NOT EXISTS ", "").replace(" ", "") == ours.replace(" ", "")
        SQLiteApplicationRecorder(store.datastore).create_table()


def test_the_library_reads_the_log(path: Path) -> None:
    with closing(SqliteStore(str(path))) as store:
        Ledger(store).append("chess", [clock("1"), clock("2")], expected=-1)
        log = SQLiteApplicationRecorder(store.datastore).select_notifications(start=None, limit=10)
        assert [(each.id, each.originator_id, each.originator_version) for each in log] == [
            (1, "chess", 0),
            (2, "chess", 1),
        ]


def test_more_threads_may_read_than_there_are_connections(path: Path) -> None:
    with Ledger.open(path) as ledger, ThreadPoolExecutor(3 * READERS_MAX) as threads:
        ledger.append("chess", [clock(str(n)) for n in range(50)], expected=-1)
        readings = threads.map(lambda _: ids(ledger), range(200))
        assert all(reading == ids(ledger) for reading in readings)


def test_environment_variables_have_no_effect(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SQLITE_DBNAME", "PERSISTENCE_MODULE", "COMPRESSOR_TOPIC", "ORIGINATOR_ID_TYPE"):
        monkeypatch.setenv(name, "nonsense")
    with Ledger.open(path) as ledger:
        ledger.append("chess", [clock("1")], expected=-1)
        assert ids(ledger) == ["1"]


@pytest.mark.slow
def test_a_locked_file(path: Path) -> None:
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as other,
        closing(SqliteStore(str(path), lock_timeout=1)) as store,
    ):
        other.execute("BEGIN IMMEDIATE")
        ledger = Ledger(store)
        with pytest.raises(StoreError, match="is locked by another program: close it"):
            ledger.append("chess", [clock("1")], expected=-1)
        assert ids(ledger) == []
        other.execute("ROLLBACK")
        ledger.append("chess", [clock("1")], expected=-1)


def test_a_full_disk(path: Path) -> None:
    with closing(SqliteStore(str(path))) as store:
        ledger = Ledger(store)
        ledger.append("chess", [clock("1")], expected=-1)
        with store.writing() as writer:
            (pages,) = writer._cursor.execute("PRAGMA page_count").fetchone()
        with store.datastore.get_connection(commit=True) as connection:
            connection.cursor().execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(StoreError, match=r"no room left on the disk of .*games\.db"):
            ledger.append("chess", [clock(str(n)) for n in range(2, 2000)], expected=0)
        assert ids(ledger) == ["1"]
        assert ledger.verify("chess").ok
        with store.datastore.get_connection(commit=True) as connection:
            connection.cursor().execute("PRAGMA max_page_count=1000000")
        ledger.append("chess", [clock("2")], expected=0)


def test_a_damaged_file(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.append("chess", [clock(str(n)) for n in range(1000)], expected=-1)
    with path.open("r+b") as file:
        file.seek(8 * 4096)
        file.write(40 * 4096 * b"\xff")
    with Ledger.open(path) as ledger, pytest.raises(CorruptError, match="is damaged"):
        ids(ledger)


def test_a_read_only_file(path: Path) -> None:
    with closing(SqliteStore(str(path))) as store:
        with store.datastore.get_connection(commit=True) as connection:
            connection.cursor().execute("PRAGMA query_only=1")
        with pytest.raises(StoreError, match=r"cannot write .*: check the permissions"):
            Ledger(store).append("chess", [clock("1")], expected=-1)


def test_processes_that_create_and_append_at_once(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    processes = [start(path, str(number), 40) for number in range(3)]
    assert all(process.stdout and process.stdout.readline() == "ready\n" for process in processes)
    with Ledger.open(path) as ledger:
        ledger.add_game("chess")
    codes = [process.communicate("go\n") and process.returncode for process in processes]
    assert codes == [0, 0, 0]
    with Ledger.open(path) as ledger:
        stored = ids(ledger)
        assert ledger.verify("chess").records == len(stored) == 3 * 40 * 5
    for name in "012":
        mine = [each for each in stored if each.startswith(name)]
        assert mine == [f"{name}-{batch}-{n}" for batch in range(40) for n in range(5)]
    batches = [stored[n : n + 5] for n in range(0, 600, 5)]
    assert all(len({each.rsplit("-", 1)[0] for each in batch}) == 1 for batch in batches)


@pytest.mark.parametrize("seed", sample(range(4), 1))
def test_a_killed_writer_leaves_whole_batches(path: Path, seed: int) -> None:
    with start(path, "x", 1_000_000) as process:
        begin(process)
        time.sleep(random.Random(seed).uniform(0.02, 0.3))
        process.send_signal(signal.SIGKILL)
    with Ledger.open(path) as ledger:
        stored = ids(ledger)
        assert len(stored) % 5 == 0
        assert stored == [f"x-{n // 5}-{n % 5}" for n in range(len(stored))]
        verdict = ledger.verify("chess", ledger.head("chess"))
        assert (verdict.ok, verdict.records) == (True, len(stored))
        ledger.append("chess", [clock("after")], expected=len(stored) - 1)


def test_a_store_is_chosen_by_its_location(path: Path) -> None:
    openers: list[Callable[[], object]] = [lambda: open_store(path), lambda: open_store(str(path))]
    for opener in openers:
        store = opener()
        assert isinstance(store, SqliteStore)
        store.close()
