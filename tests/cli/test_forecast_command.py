"""The command forecast, on the real season."""

import json
import shutil
from pathlib import Path

import pytest

from cli.commands import ok, wrong
from nomoledger.errors import UsageError
from nomoledger.game.forecast import decode_forecast


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
        (["--change", "broken.yaml"], "'(' was never closed"),
        (["--change", "unknown.yaml"], "no rule says what 'nonsense' is"),
        (["--futures", "0"], "0 is not in the range 1<=x<=1000000"),
        (["--periods", "101"], "101 is not in the range 1<=x<=100"),
        (["--scheduler", "nonsense"], "write one like tcp://127.0.0.1:8786"),
        (["--save", "season.db"], "season.db is a ledger, or belongs to one"),
    ],
)
def test_what_makes_no_sense_is_one_line(season: str, words: list[str], message: str) -> None:
    Path("broken.yaml").write_text("- amend: X.3\n  code: |\n    def value_rent(\n")
    rule = {
        "number": "Z.1",
        "title": "T",
        "prose": "P.",
        "code": "def value_x() -> Number:\n    return nonsense()",
    }
    Path("unknown.yaml").write_text(json.dumps([{"enact": rule}]))
    assert message in wrong("forecast", season, *FEW, *words)


def test_a_game_without_a_closed_period_is_one_line(tmp_path: Path) -> None:
    ledger = str(tmp_path / "new.db")
    ok("init", ledger, "--rulebook", "mail-opening")
    assert "play and close one first" in wrong("forecast", ledger, *FEW)


def test_a_saved_forecast_is_what_json_says(season: str) -> None:
    printed = ok("forecast", season, *FEW, "--save", "f.json", "--json")
    assert json.loads(Path("f.json").read_text())["forecast"] == json.loads(printed)
    assert decode_forecast(Path("f.json").read_bytes(), "f.json").futures == 20
    for content in (b"", b"{}", b"\xff", b'{"form": "nomoledger-forecast/1", "forecast": {}}'):
        with pytest.raises(UsageError, match=r"f\.json is no saved forecast: make it with"):
            decode_forecast(content, "f.json")
