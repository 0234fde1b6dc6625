"""Killed, doubled, cut off, pointed at the wrong thing: tables tell every event exactly once."""

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
from nomoledger.views.sql import runner
from nomoledger.views.sql import sync as keeping
from nomoledger.views.sql.databases import beside, open_views
from nomoledger.views.sql.sql_views import Overtaken, Views, empty, prepare
from nomoledger.views.sql.table import chosen
from tables.kept import Rows, again_in_pieces, all_rows, ask, bring_up

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
    """What is to stand in the tables, as SQLite has it."""
    bring_up(season, season.store.location)
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


def told(location: str, ledger: Ledger) -> bool:
    """Whether all tables tell all events."""
    (last,) = (ledger.head(game).number for game in ledger.games())
    heads = ask(location, "SELECT number FROM {}heads")
    return len(heads) == len(chosen()) and {x for (x,) in heads} == {last}


def reached(location: str) -> int:
    """The number of the last event that is told; -1 where nothing is."""
    ((number,),) = ask(location, "SELECT coalesce(max(number), -1) FROM {}heads")
    return int(number)


def until_told(location: str, ledger: Ledger) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not told(location, ledger):
        assert time.monotonic() < give_up
        time.sleep(0.05)


def check(location: str, season: Ledger, expected: dict[str, Rows], tmp_path: Path) -> None:
    """The tables are as if they had been made at once; on PostgreSQL, in another database."""
    if is_postgres(location):
        kept = all_rows(location)
        with Ledger.open(location) as ledger, closing(open_views(location, False)) as views:
            keeping_from_nothing(ledger, views)
        assert all_rows(location) == kept
        counts = {name: len(rows) for name, rows in kept.items()}
        assert counts == {name: len(rows) for name, rows in expected.items()}
    else:
        assert all_rows(location) == expected


def keeping_from_nothing(ledger: Ledger, views: Views) -> None:
    empty(views, chosen(), None)
    list(keeping.sync_tables(ledger, views, chosen(), ledger.games(), lambda count: None))


# --- killed --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_projector_killed_at_random_moments_resumes(
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
    assert told(location, ledger)
    check(location, season, expected, tmp_path)


@pytest.mark.slow
def test_followers_killed_during_play_leave_correct_tables(
    season: Ledger, expected: dict[str, Rows], location: str, tmp_path: Path
) -> None:
    moments = random.Random(9)
    with Ledger.open(location, create=True) as ledger:
        pieces = again_in_pieces(season, ledger, iter(lambda: moments.randrange(1, 40), 0))
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
            until_told(location, ledger)
    check(location, season, expected, tmp_path)


# --- two at once ---------------------------------------------------------------------------------


@pytest.mark.slow_with("postgres")
def test_two_followers_leave_correct_tables(
    season: Ledger, expected: dict[str, Rows], location: str, tmp_path: Path
) -> None:
    moments = random.Random(10)
    with Ledger.open(location, create=True) as ledger:
        pieces = again_in_pieces(season, ledger, iter(lambda: moments.randrange(1, 30), 0))
        next(pieces)
        with projector(location, 4, "follow") as one, projector(location, 7, "follow") as other:
            for _ in pieces:
                time.sleep(moments.uniform(0, 0.02))
            until_told(location, ledger)
            assert one.poll() is other.poll() is None
    check(location, season, expected, tmp_path)


# --- cut off -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_follower_survives_dropped_connections(
    season: Ledger,
    postgres_server: PostgresServer,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    expected: dict[str, Rows],
) -> None:
    monkeypatch.setattr(keeping, "WAIT_SECONDS", 0.05)
    monkeypatch.setattr(keeping, "LOOK_SECONDS", 0.02)
    moments = random.Random(12)
    with (
        Ledger.open(postgres_url, create=True) as ledger,
        closing(open_views(postgres_url, False)) as views,
    ):
        prepare(views, chosen())
        said: list[str] = []
        follower = keeping.Follower(ledger, views, chosen(), None, said.append)
        is_told = threading.Event()

        def follow() -> None:
            while not is_told.is_set():
                follower.follow(2)

        following = threading.Thread(target=follow)
        following.start()
        with Ledger.open(postgres_url) as writer:
            sizes = iter(lambda: moments.randrange(10, 40), 0)
            for number, _ in enumerate(again_in_pieces(season, writer, sizes)):
                if number % 4 == 0:
                    postgres_server.drop_connections()
            try:
                until_told(postgres_url, writer)
            finally:
                is_told.set()
        following.join()
    assert all("broke" in line and "trying again" in line for line in said), said
    check(postgres_url, season, expected, tmp_path)


def test_a_follower_gives_up_on_a_ledger_that_stays_away(
    season: Ledger, copied: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(keeping, "LOOK_SECONDS", 0.01)
    place = str(tmp_path / "g.db")
    ledger = copied(season, place)
    said: list[str] = []
    with closing(open_views(beside(place, False), False)) as views:
        prepare(views, chosen())
        follower = keeping.Follower(ledger, views, chosen(), None, said.append)
        follower.follow(0.1)
        assert not said
        Path(place).rename(tmp_path / "elsewhere.db")
        with pytest.raises(StoreError, match=r"g\.db is gone: put it back"):
            follower.follow()
        assert len(said) == keeping.REACHES_MAX - 1
        assert said[0].endswith("(trying again)")


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


# --- what it is pointed at -----------------------------------------------------------------------


def run(*words: str) -> Result:
    return CliRunner().invoke(program, words)


def failed(*words: str) -> str:
    """What is said where *words* are misuse."""
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
def test_a_database_of_another_program_is_refused(
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
    bring_up(ledger, location, ["standings"])
    for version, said in ((2, "newer version"), (0, r"older version .* --rebuild")):
        execute(location, f"UPDATE {{}}made SET version = {version}")
        with pytest.raises(StoreError, match=said):
            bring_up(ledger, location, ["standings"])
    newer = "UPDATE {}layout SET version = 2" if is_postgres(location) else "PRAGMA user_version=2"
    execute(location, newer)
    with pytest.raises(StoreError, match=r"newer nomoledger \(schema 2, this one knows 1\)"):
        bring_up(ledger, location, ["standings"])


def execute(location: str, statement: str) -> None:
    if is_postgres(location):
        with psycopg.connect(location) as connection:
            connection.execute(statement.format("nomoledger_views.").encode())
    else:
        with closing(sqlite3.connect(beside(location, False))) as file:
            file.execute(statement.format(""))
            file.commit()


@pytest.mark.slow
def test_tables_of_another_ledger_are_refused(
    season: Ledger, tmp_path: Path, copied: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same name, but not the same events; or fewer of them, as in an old copy."""
    place, views = str(tmp_path / "g.db"), str(tmp_path / "v.db")
    copied(season, place)
    assert run("project", place, "--into", views).exit_code == 0
    (game,) = season.games()
    entries = [entry.body for entry in season.read(game)]
    for name, bodies, said in (
        ("short", entries[:100], "an older copy"),
        ("other", [*entries[:-1], entries[5]], "were not made from"),
    ):
        other = str(tmp_path / f"{name}.db")
        with Ledger.open(other, create=True) as ledger:
            ledger.create_game(game)
            ledger.append(game, bodies, expected=-1)
        assert said in failed("project", other, "--into", views)
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


def test_json_output_reports_the_work_done(season: Ledger, copied: Any, tmp_path: Path) -> None:
    place = str(tmp_path / "g.db")
    ledger = copied(season, place)
    (game,) = ledger.games()
    events = ledger.head(game).number + 1
    for new in (events, 0):
        done = json.loads(run("project", place, "board", "--json").output)
        assert done["tables"] == ["board"]
        assert done["into"] == str(tmp_path / "g.views.db")
        assert done["games"] == [{"game": game, "events": events, "new": new}]


def test_a_page_that_another_writer_committed_is_folded_again(
    season: Ledger, copied: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that began at once, with pages of other lengths: the later one notices."""
    place = str(tmp_path / "g.db")
    ledger = copied(season, place)
    (game,) = ledger.games()
    with closing(open_views(beside(place, False), False)) as views:
        prepare(views, chosen())
        kept = runner.KeptTables(views, game, chosen(), lambda count: None)
        source = runner.EventSource(ledger, game, [], is_endless=False)
        monkeypatch.setattr(runner, "PAGE", 30)
        page = source.page(-1)
        assert page is not None
        monkeypatch.setattr(runner, "PAGE", 20)
        other = runner.KeptTables(views, game, chosen(), lambda count: None)
        first = source.page(-1)
        assert first is not None
        other.process_event(first, None)  # type: ignore[arg-type]
        with pytest.raises(Overtaken):
            kept.process_event(page, None)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="ends at"):
            runner._check_not_behind(ledger, game, 5, 9)
