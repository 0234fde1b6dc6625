"""PostgreSQL: tables, messages, many writers, lost connections, a server that goes away."""

import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from postgres_server import PostgresServer
from tiers import sample

from nomoledger.errors import ConflictError, LostError, StoreError, UsageError
from nomoledger.events import ClockAdvanced, Event
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.postgres import PostgresStore
from nomoledger.ledger.stores.postgres_link import address_of
from nomoledger.ledger.stores.store import Writer

WRITER = Path(__file__).parent / "writer_process.py"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SIZE = 5


@pytest.fixture
def url(postgres_url: str) -> str:
    """A ledger with the games chess and go, both empty."""
    with Ledger.open(postgres_url, create=True) as ledger:
        ledger.add_game("chess", b"secret of 16 bytes")
        ledger.add_game("go", b"secret of 16 bytes")
    return postgres_url


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    with Ledger.open(url) as ledger:
        yield ledger


def clock(name: str) -> Event:
    return ClockAdvanced(period=1, received_at=NOON, recorded_at=NOON, id=name)


def clocks(numbers: range) -> list[Event]:
    return [clock(str(number)) for number in numbers]


def ids(ledger: Ledger, game: str = "chess") -> list[str]:
    bodies = [entry.body for entry in ledger.read(game)]
    return [body.id for body in bodies if isinstance(body, ClockAdvanced)]


def message(location: str, kind: type[Exception] = StoreError, create: bool = True) -> str:
    with pytest.raises(kind) as refusal:
        Ledger.open(location, create=create)
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


# --- tables -------------------------------------------------------------------------------------


def columns(server: PostgresServer, url: str, schema: str) -> list[Any]:
    where = f"WHERE table_schema = '{schema}' AND table_name = 'stored_events'"
    return server.execute(
        "SELECT column_name, data_type, is_nullable, regexp_replace(column_default, '\\w+\\.', '')"
        f" FROM information_schema.columns {where} ORDER BY ordinal_position",
        url,
    )


def indexes(server: PostgresServer, url: str, schema: str) -> list[Any]:
    query = f"SELECT indexdef FROM pg_indexes WHERE schemaname = '{schema}'"
    query += " AND tablename = 'stored_events' ORDER BY indexname"
    return [text.replace(f"{schema}.", "") for (text,) in server.execute(query, url)]


@contextmanager
def library_recorder(url: str, schema: str) -> Iterator[PostgresApplicationRecorder]:
    """Yield the library's own recorder on the tables in *schema*."""
    address = psycopg.conninfo.conninfo_to_dict(url)
    dbname, host, user = (str(address[name]) for name in ("dbname", "host", "user"))
    with PostgresDatastore(
        dbname, host, 5432, user, "", schema=schema, originator_id_type="text"
    ) as datastore:
        yield PostgresApplicationRecorder(datastore)


def test_the_events_table_is_that_of_the_library(url: str, postgres_server: PostgresServer) -> None:
    with library_recorder(url, "public") as recorder:
        recorder.create_table()
    for look in (columns, indexes):
        ours, theirs = (look(postgres_server, url, each) for each in ("nomoledger", "public"))
        assert ours == theirs


def test_the_library_reads_the_log(url: str, ledger: Ledger) -> None:
    ledger.append("chess", clocks(range(30)), expected=-1)
    ledger.append("go", clocks(range(2)), expected=-1)
    with library_recorder(url, "nomoledger") as recorder:
        log = recorder.select_notifications(start=None, limit=100)
        assert [each.id for each in log] == list(range(1, 33))
        assert [each.originator_version for each in log] == [*range(30), 0, 1]


def test_names_are_sorted_by_code_point(postgres_url: str) -> None:
    with Ledger.open(postgres_url, create=True) as ledger:
        for game in ("b", "ä", "A", "a", "O'Neill; DROP TABLE games --", "%s {}"):
            ledger.add_game(game)
        assert ledger.games() == ["%s {}", "A", "O'Neill; DROP TABLE games --", "a", "b", "ä"]


def test_databases_can_be_created_at_once(postgres_url: str) -> None:
    errors: list[Exception] = []

    def create() -> None:
        try:
            Ledger.open(postgres_url, create=True).close()
        except Exception as error:
            errors.append(error)

    together([create] * 4)
    assert errors == []


# --- messages -----------------------------------------------------------------------------------


def test_missing_things_are_reported(postgres_server: PostgresServer) -> None:
    url = postgres_server.new_database()
    assert "no ledger at postgresql://" in message(url, UsageError, create=False)
    assert "there is no database postgresql://" in message(postgres_server.url("none"))
    stranger = url.replace("postgres@", "stranger@")
    assert "does not let you in: check user and password" in message(stranger)
    assert "cannot reach postgresql://127.0.0.1:1/games" in message(
        "postgresql://127.0.0.1:1/games"
    )
    assert "cannot read postgres://***: write" in message("postgres://h%zz/games", UsageError)


def test_missing_rights_are_reported(url: str, postgres_server: PostgresServer) -> None:
    postgres_server.execute("CREATE ROLE reader LOGIN", url)
    theirs = url.replace("postgres@", "reader@")
    assert "you may not do this in postgresql://reader@" in message(theirs)
    postgres_server.execute("GRANT USAGE ON SCHEMA nomoledger TO reader", url)
    postgres_server.execute("GRANT SELECT ON ALL TABLES IN SCHEMA nomoledger TO reader", url)
    with Ledger.open(theirs) as ledger:
        assert ledger.verify("chess").ok
        with pytest.raises(StoreError, match="you may not do this"):
            ledger.append("chess", clocks(range(1)), expected=-1)


def test_a_read_only_database(url: str, postgres_server: PostgresServer) -> None:
    with Ledger.open(f"{url}&options=-cdefault_transaction_read_only%3Don") as ledger:
        with pytest.raises(StoreError, match="the server only allows reading"):
            ledger.append("chess", clocks(range(1)), expected=-1)
        assert ids(ledger) == []


def test_options_of_the_address_reach_the_driver() -> None:
    address = address_of("postgresql://h1,h2:7/games?sslmode=require&connect_timeout=9")
    assert (address["host"], address["port"]) == ("h1,h2", ",7")
    assert (address["sslmode"], address["connect_timeout"]) == ("require", "9")


def test_the_environment_variables_of_the_library_have_no_effect(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("POSTGRES_DBNAME", "PERSISTENCE_MODULE", "POSTGRES_SCHEMA"):
        monkeypatch.setenv(name, "nonsense")
    ledger.append("chess", clocks(range(2)), expected=-1)
    assert ids(ledger) == ["0", "1"]


# --- concurrency --------------------------------------------------------------------------------


def together(acts: list[Any]) -> None:
    threads = [threading.Thread(target=act) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextmanager
def writer(
    url: str, name: str, game: str = "chess", batches: int = 1_000_000
) -> Iterator[subprocess.Popen[str]]:
    """Start a process that appends once `go_on` is called."""
    with subprocess.Popen(
        [sys.executable, str(WRITER), url, game, name, str(batches)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield process
        finally:
            process.kill()


def go_on(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def acknowledged(output: str) -> list[int]:
    return [int(line) for line in output.splitlines() if line.isdecimal()]


def test_a_conflict_is_reported(url: str, ledger: Ledger) -> None:
    with Ledger.open(url) as other:
        other.append("chess", clocks(range(2)), expected=-1)
    with pytest.raises(ConflictError, match="is at #1, not at #-1: another writer appended"):
        ledger.append("chess", [clock("x")], expected=-1)
    assert ledger.append("chess", clocks(range(2)), expected=-1) == ledger.head("chess")


@pytest.mark.slow
def test_processes_write_to_one_game_and_to_several(url: str) -> None:
    with (
        writer(url, "a", "chess", 40) as a,
        writer(url, "b", "chess", 40) as b,
        writer(url, "c", "go", 40) as c,
    ):
        for process in (a, b, c):
            go_on(process)
        codes = [process.communicate(timeout=60) and process.returncode for process in (a, b, c)]
    assert codes == [0, 0, 0]
    with Ledger.open(url) as ledger:
        for game, names in {"chess": "ab", "go": "c"}.items():
            stored = ids(ledger, game)
            assert ledger.verify(game).records == len(stored) == len(names) * 40 * SIZE
            for name in names:
                mine = [each for each in stored if each.startswith(name)]
                assert mine == [f"{name}-{n // SIZE}-{n % SIZE}" for n in range(40 * SIZE)]


def test_more_threads_than_connections(ledger: Ledger) -> None:
    for n in range(25):
        ledger.add_game(f"game {n}")

    def play(n: int) -> None:
        for turn in range(4):
            ledger.append(f"game {n}", clocks(range(30)), expected=turn * 30 - 1)

    together([lambda n=n: play(n) for n in range(25)])
    assert all(ledger.verify(f"game {n}").records == 120 for n in range(25))


@pytest.mark.slow
def test_connections_that_nobody_needs_any_more_are_closed(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nomoledger.ledger.stores.postgres_link.IDLE_SECONDS", 0.05)
    with closing(PostgresStore(url)) as store:
        all_write = threading.Barrier(5)

        def write(game: str) -> None:
            with store.writing() as writer:
                writer.secret(game)
                all_write.wait()

        together([lambda n=n: write(f"game {n}") for n in range(5)])
        give_up = time.monotonic() + 10
        while store.datastore.pool.get_stats()["pool_size"] > 1:
            assert time.monotonic() < give_up
            time.sleep(0.05)


def test_a_writer_locks_only_its_game(url: str, ledger: Ledger) -> None:
    with closing(PostgresStore(url, lock_timeout=1)) as store, ledger.transaction() as held:
        held.append("chess", clocks(range(2)), expected=-1)
        other = Ledger(store)
        other.append("go", clocks(range(3)), expected=-1)
        assert ids(other, "chess") == []
        with pytest.raises(StoreError, match="the game is locked by another program"):
            other.append("chess", clocks(range(3)), expected=-1)
    assert ids(ledger) == ["0", "1"]


@pytest.mark.slow
def test_a_deadlock_is_reported(ledger: Ledger) -> None:
    both_hold, failed = threading.Barrier(2), []

    def write(first: str, second: str) -> None:
        def take(writer: Writer) -> None:
            writer.secret(first)
            both_hold.wait()
            writer.secret(second)

        try:
            with ledger.store.writing() as writer:
                take(writer)
        except StoreError as error:
            failed.append(str(error))

    together([lambda: write("chess", "go"), lambda: write("go", "chess")])
    (told,) = failed
    assert "nothing was written; try again" in told


# --- lost connections ---------------------------------------------------------------------------


@pytest.mark.slow
def test_broken_idle_connections_are_replaced(
    ledger: Ledger, postgres_server: PostgresServer
) -> None:
    ledger.append("chess", clocks(range(2500)), expected=-1)
    postgres_server.drop_connections()
    assert ledger.head("chess").number == 2499
    postgres_server.drop_connections()
    ledger.append("chess", [clock("2500")], expected=2499)
    reading = ledger.read("chess")
    first = [next(reading) for _ in range(1500)]
    postgres_server.drop_connections()
    assert [entry.number for entry in [*first, *reading]] == list(range(2501))


def test_a_connection_that_breaks_during_a_transaction(
    ledger: Ledger, postgres_server: PostgresServer
) -> None:
    def write() -> None:
        with ledger.transaction() as transaction:
            transaction.append("chess", clocks(range(2)), expected=-1)
            postgres_server.drop_connections()
            transaction.append("chess", clocks(range(2, 4)), expected=1)

    with pytest.raises(LostError, match="broke: what was under way is stored whole or not at all"):
        write()
    assert ids(ledger) == []
    ledger.append("chess", clocks(range(2)), expected=-1)


@pytest.mark.parametrize("is_stored", [True, False])
def test_a_batch_with_a_lost_acknowledgement_is_stored_once(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, is_stored: bool
) -> None:
    """The connection breaks just after a commit, so the answer never arrives."""
    writing = ledger.store.writing
    lost: list[int] = []

    @contextmanager
    def breaking() -> Iterator[Writer]:
        with writing() as writer:
            yield writer
            if not lost and not is_stored:
                lost.append(1)
                raise LostError("lost")
        if not lost:
            lost.append(1)
            raise LostError("lost")

    monkeypatch.setattr(ledger.store, "writing", breaking)
    head = ledger.append("chess", clocks(range(3)), expected=-1)
    assert lost
    assert head == ledger.head("chess")
    assert ids(ledger) == ["0", "1", "2"]


def test_a_batch_is_in_doubt_if_the_server_is_away_after_a_lost_acknowledgement(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = [LostError("lost"), StoreError("cannot reach it")]
    monkeypatch.setattr(ledger.store, "writing", lambda: (_ for _ in ()).throw(errors.pop(0)))
    with pytest.raises(LostError, match=r"cannot reach it; .* whole or not at all"):
        ledger.append("chess", clocks(range(3)), expected=-1)


@pytest.mark.slow
def test_a_server_that_stays_away(ledger: Ledger, postgres_server: PostgresServer) -> None:
    assert isinstance(ledger.store, PostgresStore)
    pool = ledger.store.datastore.pool
    patience, pool.timeout = pool.timeout, 1
    postgres_server.stop()
    try:
        with pytest.raises(StoreError, match=r"cannot reach .* check that the server runs"):
            ledger.append("chess", clocks(range(2)), expected=-1)
    finally:
        postgres_server.start()
    pool.timeout = patience
    ledger.append("chess", clocks(range(2)), expected=-1)


@pytest.mark.slow
def test_a_server_restarted_during_writes(url: str, postgres_server: PostgresServer) -> None:
    with writer(url, "x") as process:
        go_on(process)
        for how in (signal.SIGINT, signal.SIGQUIT):
            time.sleep(0.3)
            postgres_server.stop(how)
            postgres_server.start()
        with Ledger.open(url) as ledger:
            before, give_up = ledger.head("chess").number, time.monotonic() + 10
            while ledger.head("chess").number <= before and time.monotonic() < give_up:
                time.sleep(0.05)
        process.kill()
        output, errors = process.communicate(timeout=60)
    assert not errors
    check_whole(url, "x", acknowledged(output), before)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.slow
def test_connections_dropped_during_writes(
    url: str, postgres_server: PostgresServer, seed: int
) -> None:
    with writer(url, "x") as process:
        go_on(process)
        for _ in range(4):
            time.sleep(0.03 * (seed + 1))
            postgres_server.drop_connections()
        time.sleep(0.1)
        process.kill()
        output, errors = process.communicate(timeout=60)
    assert not errors
    check_whole(url, "x", acknowledged(output))


@pytest.mark.parametrize("seed", sample(range(3), 1))
def test_a_killed_writer_leaves_whole_batches(url: str, seed: int) -> None:
    with writer(url, "x") as process:
        go_on(process)
        time.sleep(0.05 + 0.09 * seed)
        process.kill()
        output, _ = process.communicate(timeout=60)
    check_whole(url, "x", acknowledged(output))


def check_whole(url: str, name: str, acknowledged: list[int], beyond: int = -1) -> None:
    """Check for whole batches in order, each once, with all acknowledged ones; then append more."""
    with Ledger.open(url) as ledger:
        with ledger.transaction() as transaction:  # after whoever was cut off has let go
            transaction.append_encoded("go", [], expected=-1)
        stored = ids(ledger)
        assert stored == [f"{name}-{n // SIZE}-{n % SIZE}" for n in range(len(stored))]
        assert len(stored) % SIZE == 0
        assert len(stored) > max(beyond, SIZE * (len(acknowledged) - 1))
        assert acknowledged == list(range(len(acknowledged)))
        assert len(acknowledged) * SIZE <= len(stored)
        assert ledger.verify("chess", ledger.head("chess")).records == len(stored)
        ledger.append("chess", [clock("after")], expected=len(stored) - 1)


# --- size ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_records_read(ledger: Ledger) -> None:
    for first in range(0, 20_000, 5000):
        ledger.append("chess", clocks(range(first, first + 5000)), expected=first - 1)
    tracemalloc.start()
    try:
        assert sum(1 for _ in ledger.read("chess")) == 20_000
        assert ledger.verify("chess").ok
        assert tracemalloc.get_traced_memory()[1] < 1_500_000
    finally:
        tracemalloc.stop()


def test_a_huge_event_and_a_huge_batch(ledger: Ledger) -> None:
    ledger.append("chess", [clock("x" * 10_000_000)], expected=-1)
    ledger.append("go", [clock("y" * 1000) for _ in range(5000)], expected=-1)
    assert len(ids(ledger)[0]) == 10_000_000
    assert ledger.verify("go").records == 5000
