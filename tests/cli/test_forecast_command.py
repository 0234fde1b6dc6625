"""The command forecast, on the real season."""

import json
import shutil
from pathlib import Path

import pytest

from cli.commands import ok, wrong


@pytest.fixture
def season(season_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return str(shutil.copy(season_file, "season.db"))


FEW = ("--futures", "20", "--workers", "1")


@pytest.mark.slow
def test_each_player_has_a_line_and_a_band(season: str) -> None:
    lines = ok("forecast", season, *FEW).splitlines()
    assert "from 20 futures" in lines[0]
    assert sum(line.startswith("Penelope") for line in lines) == 2
    assert any("┃" in line for line in lines)
    assert all(len(line) <= 80 for line in lines if "Penelope" in line)


@pytest.mark.slow
def test_a_change_is_compared_with_no_change(season: str) -> None:
    output = ok("forecast", season, *FEW, "--amend", "X.3.dollars_per_number=30")
    assert "with the change" in output
    assert "±" in output


@pytest.mark.slow
def test_json_has_every_period(season: str) -> None:
    result = json.loads(ok("forecast", season, *FEW, "--periods", "2", "--json"))
    assert {len(ends) for ends in result["without"]["standings"].values()} == {2}


@pytest.mark.slow
def test_changes_from_a_file_and_a_repeal_take_force_together(season: str) -> None:
    Path("changes.yaml").write_text("- amend: X.3\n  parameters: {dollars_per_number: 30}\n")
    words = ("forecast", season, *FEW, "--json", "--change", "changes.yaml", "--repeal", "V.8")
    acted = json.loads(ok(*words))["with_change"]["acted"]
    assert "X.3" in acted
    assert "V.8" not in acted


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--proposal", "99"], "there is no proposal 99"),
        (["--proposal", "7", "--repeal", "X.3"], "--proposal brings its own changes"),
        (["--amend", "X.3=30"], "there is no rule X in force"),
        (["--amend", "X.3.dollars=30"], "dollars"),
        (["--change", "missing.yaml"], "missing.yaml cannot be read"),
    ],
)
def test_what_makes_no_sense_is_one_line(season: str, words: list[str], message: str) -> None:
    assert message in wrong("forecast", season, *FEW, *words)
