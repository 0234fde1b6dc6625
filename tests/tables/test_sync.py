"""Synchronisation applies every event exactly once, despite kills, rivals and lost connections."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner, Result
from postgres_server import PostgresServer

from nomoledger.cli import program
from nomoledger.errors import StoreError, UsageError
from nomoledger.game.simulation import Plan, simulate
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.location import is_postgres
from nomoledger.views.sql import runner, sync
from nomoledger.views.sql.databases import default_location, open_views
from nomoledger.views.sql.sql_views import ConcurrentWriteError, Views, create_tables, reset_tables
from nomoledger.views.sql.table import find_tables
from tables.table_tools import Rows, all_rows, ask, copy_in_pieces, synchronise

PROJECTOR = Path(__file__).parent / "projector_process.py"
KILLS = 4
PATIENCE_SECONDS = 60


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A game played by bots."""
    with Ledger.open(tmp_path_factory.mktemp("season") / "s.db", create=True) as ledger:
        simulate(ledger, "mail-opening", Plan(players=4, periods=6, requests=5, seed=4))
        yield ledger


@pytest.fixture(scope="module")
def expected(season: Ledger) -> dict[str, Rows]:
    """The expected rows of all tables, from SQLite."""
    synchronise(season, season.store.location)
    return all_rows(season.store.location)


@contextmanager
def projector(location: str, page: int, follow: str = "") -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, str(PROJECTOR), location, str(page), follow]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def is_complete(location: str, ledger: Ledger) -> bool:
    """Return whether all tables hold all events."""
    (last,) = (ledger.head(game).number for game in ledger.games())
    heads = ask(location, "SELECT number FROM {}heads")
    return len(heads) == len(find_tables()) and {x for (x,) in heads} == {last}


def reached(location: str) -> int:
    """Return the number of the last event in the tables, or -1."""
    ((number,),) = ask(location, "SELECT coalesce(max(number), -1) FROM {}heads")
    return int(number)


def wait_until_complete(location: str, ledger: Ledger) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not is_complete(location, ledger):
        assert time.monotonic() < give_up
        time.sleep(0.05)


def check(location: str, season: Ledger, expected: dict[str, Rows], tmp_path: Path) -> None:
    """Check that the tables equal rebuilt ones, and on SQLite the expected rows."""
    if is_postgres(location):
        before = all_rows(location)
        with Ledger.open(location) as ledger, closing(open_views(location, False)) as views:
            rebuild(ledger, views)
        assert all_rows(location) == before
        counts = {name: len(rows) for name, rows in before.items()}
        assert counts == {name: len(rows) for name, rows in expected.items()}
    else:
        assert all_rows(location) == expected


def rebuild(ledger: Ledger, views: Views) -> None:
    reset_tables(views, find_tables(), None)
    list(sync.sync_tables(ledger, views, find_tables(), ledger.games(), lambda count: None))


# --- kills ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_kills_at_random_moments_lose_and_repeat_nothing(
    season: Ledger, expected: dict[str, Rows], location: str, copied: Any, tmp_path: Path
) -> None:
    ledger = copied(season, location)
    moments = random.Random(8)
    (last,) = (ledger.head(game).number for game in ledger.games())
    for number in sorted(moments.sample(range(last * 2 // 3), KILLS)):
        with projector(location, 3) as process:
            while process.poll() is None and reached(location) < number:
                time.sleep(moments.uniform(0, 0.01))
            process.send_signal(signal.SIGKILL)
    with projector(location, 40) as process:
        assert process.wait(PATIENCE_SECONDS) == 0
    assert is_complete(location, ledger)
    check(location, season, expected, tmp_path)


@pytest.mark.slow
def test_followers_killed_during_play_lose_and_repeat_nothing(
    season: Ledger, expected: dict[str, Rows], location: str, tmp_path: Path
) -> None:
    moments = random.Random(9)
    with Ledger.open(location, create=True) as ledger:
        pieces = copy_in_pieces(season, ledger, iter(lambda: moments.randrange(1, 40), 0))
        next(pieces)
        for _ in range(KILLS // 2):
            with projector(location, 9, "follow") as process:
                for _ in range(6):
                    next(pieces, None)
                    time.sleep(moments.uniform(0, 0.05))
                process.send_signal(signal.SIGKILL)
        with projector(location, 9, "follow"):
            for _ in pieces:
                pass
            wait_until_complete(location, ledger)
    check(location, season, expected, tmp_path)


# --- two writers ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_followers_apply_every_event_once(
    season: Ledger, expected: dict[str, Rows], location: str, tmp_path: Path
) -> None:
    moments = random.Random(10)
    with Ledger.open(location, create=True) as ledger:
        pieces = copy_in_pieces(season, ledger, iter(lambda: moments.randrange(1, 30), 0))
        next(pieces)
        with projector(location, 4, "follow") as first, projector(location, 7, "follow") as second:
            for _ in pieces:
                time.sleep(moments.uniform(0, 0.02))
            wait_until_complete(location, ledger)
            assert first.poll() is second.poll() is None
    check(location, season, expected, tmp_path)


# --- lost connections ----------------------------------------------------------------------------


@pytest.mark.slow
def test_a_follower_survives_lost_connections(
    season: Ledger,
    postgres_server: PostgresServer,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    expected: dict[str, Rows],
) -> None:
    monkeypatch.setattr(sync, "WAIT_SECONDS", 0.05)
    monkeypatch.setattr(sync, "LOOK_SECONDS", 0.02)
    moments = random.Random(12)
    with (
        Ledger.open(postgres_url, create=True) as ledger,
        closing(open_views(postgres_url, False)) as views,
    ):
        create_tables(views, find_tables())
        warnings: list[str] = []
        follower = sync.Follower(ledger, views, find_tables(), None, warnings.append)
        is_complete_event = threading.Event()

        def follow() -> None:
            while not is_complete_event.is_set():
                follower.follow(2)

        following = threading.Thread(target=follow)
        following.start()
        with Ledger.open(postgres_url) as writer:
            sizes = iter(lambda: moments.randrange(10, 40), 0)
            for number, _ in enumerate(copy_in_pieces(season, writer, sizes)):
                if number % 4 == 0:
                    postgres_server.drop_connections()
            try:
                wait_until_complete(postgres_url, writer)
            finally:
                is_complete_event.set()
        following.join()
    assert all("broke" in line and "trying again" in line for line in warnings), warnings
    check(postgres_url, season, expected, tmp_path)


@pytest.mark.slow
def test_a_follower_gives_up_on_a_missing_ledger(
    season: Ledger, copied: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(sync, "LOOK_SECONDS", 0.01)
    place = str(tmp_path / "g.db")
    ledger = copied(season, place)
    warnings: list[str] = []
    with closing(open_views(default_location(place, False), False)) as views:
        create_tables(views, find_tables())
        follower = sync.Follower(ledger, views, find_tables(), None, warnings.append)
        follower.follow(0.1)
        assert not warnings
        Path(place).rename(tmp_path / "elsewhere.db")
        with pytest.raises(StoreError, match=r"g\.db is gone: put it back"):
            follower.follow()
        assert len(warnings) == sync.REACHES_MAX - 1
        assert warnings[0].endswith("(trying again)")


@pytest.mark.slow
def test_ctrl_c_ends_a_follower(season: Ledger, copied: Any, tmp_path: Path) -> None:
    place = str(tmp_path / "g.db")
    copied(season, place)
    code = "import sys; from nomoledger.cli import main; sys.argv[0] = 'nomoledger'; main()"
    command = [sys.executable, "-c", code, "project", place, "--follow"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert "events in" in process.stdout.readline()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        try:
            _, err = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            process.kill()
    assert process.returncode == 130
    assert err == "nomoledger: interrupted; what was recorded stays recorded\n"


# --- wrong databases -----------------------------------------------------------------------------


def run(*words: str) -> Result:
    return CliRunner().invoke(program, words)


def failed(*words: str) -> str:
    """Return the error message of a misuse of the command."""
    done = subprocess.run(
        [sys.executable, "-c", "from nomoledger.cli import main; main()", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.slow
def test_a_database_of_something_else_is_left_alone(
    season: Ledger, copied: Any, tmp_path: Path
) -> None:
    place = str(tmp_path / "g.db")
    copied(season, place)
    other, page = tmp_path / "other.db", tmp_path / "page.html"
    with closing(sqlite3.connect(other)) as file:
        file.execute("CREATE TABLE mine (x)")
    page.write_text("<html>" * 200)
    for into in (place, str(other), str(page)):
        before = Path(into).read_bytes()
        assert f"{into} holds no tables of ours" in failed("project", place, "--into", into)
        assert Path(into).read_bytes() == before or into == place
    assert run("verify", place).exit_code == 0
    assert "is a folder" in failed("project", place, "--into", str(tmp_path))
    assert "no table 'chess'" in failed("project", place, "chess")
    assert "no game 'chess'" in failed("project", place, "--game", "chess")


def test_tables_of_another_version_are_refused(season: Ledger, location: str, copied: Any) -> None:
    ledger = copied(season, location)
    synchronise(ledger, location, ["standings"])
    for version, message in ((2, "newer version"), (0, r"older version .* --rebuild")):
        execute(location, f"UPDATE {{}}made SET version = {version}")
        with pytest.raises(StoreError, match=message):
            synchronise(ledger, location, ["standings"])
    newer = "UPDATE {}layout SET version = 2" if is_postgres(location) else "PRAGMA user_version=2"
    execute(location, newer)
    with pytest.raises(StoreError, match=r"newer nomoledger \(schema 2, this one knows 1\)"):
        synchronise(ledger, location, ["standings"])


def execute(location: str, statement: str) -> None:
    if is_postgres(location):
        with psycopg.connect(location) as connection:
            connection.execute(statement.format("nomoledger_views.").encode())
    else:
        with closing(sqlite3.connect(default_location(location, False))) as file:
            file.execute(statement.format(""))
            file.commit()


@pytest.mark.slow
def test_tables_of_another_ledger_are_refused(
    season: Ledger, tmp_path: Path, copied: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another ledger has a game of the same name with other events, or with fewer events."""
    place, views = str(tmp_path / "g.db"), str(tmp_path / "v.db")
    copied(season, place)
    assert run("project", place, "--into", views).exit_code == 0
    (game,) = season.games()
    entries = [entry.body for entry in season.read(game)]
    for name, bodies, message in (
        ("short", entries[:100], "an older copy"),
        ("other", [*entries[:-1], entries[5]], "were not made from"),
    ):
        other = str(tmp_path / f"{name}.db")
        with Ledger.open(other, create=True) as ledger:
            ledger.add_game(game)
            ledger.append(game, bodies, expected=-1)
        assert message in failed("project", other, "--into", views)
        assert run("project", other, "--into", views, "--rebuild").exit_code == 0
        run("project", place, "--into", views, "--rebuild")


@pytest.mark.slow
def test_public_and_secret_tables_are_not_mixed(
    season: Ledger, copied: Any, tmp_path: Path
) -> None:
    place, views = str(tmp_path / "g.db"), str(tmp_path / "v.db")
    copied(season, place)
    assert run("project", place, "--into", views).exit_code == 0
    assert "holds tables with secrets" in failed("project", place, "--into", views, "--public")
    assert run("project", place, "--public").exit_code == 0
    assert "holds public tables" in failed(
        "project", place, "--into", str(tmp_path / "g.public.db")
    )


@pytest.mark.slow
def test_json_says_what_was_done(season: Ledger, copied: Any, tmp_path: Path) -> None:
    place = str(tmp_path / "g.db")
    ledger = copied(season, place)
    (game,) = ledger.games()
    events = ledger.head(game).number + 1
    for new in (events, 0):
        done = json.loads(run("project", place, "board", "--json").output)
        assert done["tables"] == ["board"]
        assert done["into"] == str(tmp_path / "g.views.db")
        assert done["games"] == [{"game": game, "events": events, "new": new}]


def test_a_page_that_another_writer_began_is_refused(
    season: Ledger, copied: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two writers start together with pages of different lengths. The later one notices."""
    place = str(tmp_path / "g.db")
    ledger = copied(season, place)
    (game,) = ledger.games()
    with closing(open_views(default_location(place, False), False)) as views:
        create_tables(views, find_tables())
        slow = runner.TablesProjection(views, game, find_tables(), lambda count: None)
        source = runner.EventSource(ledger, game, [], is_endless=False)
        monkeypatch.setattr(runner, "PAGE", 30)
        page = source.page(-1)
        assert page is not None
        monkeypatch.setattr(runner, "PAGE", 20)
        fast = runner.TablesProjection(views, game, find_tables(), lambda count: None)
        first = source.page(-1)
        assert first is not None
        fast.process_event(first, None)  # type: ignore[arg-type]
        with pytest.raises(ConcurrentWriteError):
            slow.process_event(page, None)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="ends at"):
            runner._check_not_behind(ledger, game, 5, 9)
