"""`audit` replays every period of many ledgers, and one bad ledger hides no other."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from parallel.dask_cluster import running_cluster

from cli.commands import ok, run


@pytest.fixture
def league(game: str, season_file: Path) -> tuple[str, str]:
    shutil.copy(season_file, "season.db")
    ok("close", game)
    return game, "season.db"


def findings(*words: str) -> Any:
    result = run(*words, "--json")
    assert (result.exit_code, result.stderr) == (1, ""), result.output
    return json.loads(result.stdout)


@pytest.mark.slow
def test_each_game_gets_a_line_and_the_findings_of_its_periods(league: tuple[str, str]) -> None:
    result = run("audit", *league)
    assert result.exit_code == 1
    assert "g.db, mail-opening: 2 periods replayed" in result.stdout
    assert "nothing differs" in result.stdout.splitlines()[0]
    assert "#116 square of Jamie: recorded 3, by the rules 1" in result.stdout


def test_sound_ledgers_end_with_0(game: str) -> None:
    assert "1 period replayed" in ok("audit", game)


@pytest.mark.slow
def test_a_ledger_that_cannot_be_read_hides_no_other(league: tuple[str, str]) -> None:
    Path("broken.db").write_bytes(b"no database" * 100)
    result = run("audit", "missing.db", "broken.db", *league)
    assert result.exit_code == 2
    assert [line.split()[0] for line in result.stderr.splitlines()] == ["nomoledger:"] * 2
    assert "#116 square of Jamie" in result.stdout


@pytest.mark.slow
def test_the_findings_do_not_depend_on_the_number_of_workers(league: tuple[str, str]) -> None:
    here, shared_out = (findings("audit", *league, "--workers", count) for count in ("1", "3"))
    assert here == shared_out
    assert [len(game["periods"]) for game in here["games"]] == [2, 6]


@pytest.mark.slow
def test_the_findings_are_the_same_from_a_cluster(league: tuple[str, str], tmp_path: Path) -> None:
    locations = [str(Path(name).absolute()) for name in league]
    with running_cluster(tmp_path, workers=2) as cluster:
        there = findings("audit", *locations, "--scheduler", cluster.address)
    assert there == findings("audit", *locations, "--workers", "1")


def test_a_scheduler_nobody_runs_is_one_line(game: str) -> None:
    result = run("audit", game, "--scheduler", "nonsense://x")
    assert result.exit_code == 2
    assert "is no address of a scheduler: write one like tcp://" in result.stderr
