"""Commands on whole ledgers: export, import, verify and the demo."""

import json
import os
import re
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner
from tiers import sample

from cli.commands import data, ok, refusal, run, wrong
from nomoledger.cli import program


def test_an_imported_export_exports_the_same_bytes(landed: str) -> None:
    ok("export", landed, "one.jsonl")
    ok("import", "copy.db", "one.jsonl")
    assert (
        CliRunner().invoke(program, ["export", "copy.db", "-"]).stdout_bytes
        == Path("one.jsonl").read_bytes()
    )
    assert data("state", landed) == data("state", "copy.db")
    assert "there is a game 'mail-opening' already" in wrong("import", landed, "one.jsonl")


def test_an_export_replaces_its_file_only_when_complete(landed: str) -> None:
    Path("kept.jsonl").write_text("before")
    os.chmod("kept.jsonl", 0o640)
    Path("link.jsonl").symlink_to("kept.jsonl")
    assert run("export", landed, "kept.jsonl", "--force", "--game", "chess").exit_code == 2
    assert Path("kept.jsonl").read_text() == "before"
    ok("export", landed, "link.jsonl", "--force")
    assert Path("link.jsonl").is_symlink()
    assert Path("kept.jsonl").read_bytes().startswith(b'{"nomoledger":1')
    assert stat.S_IMODE(Path("kept.jsonl").stat().st_mode) == 0o640
    ok("export", landed, "/dev/null")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("kept", sample([3000, 0, 100, -1], 1))
def test_importing_a_truncated_export_leaves_nothing(landed: str, kept: int) -> None:
    ok("export", landed, "whole.jsonl")
    Path("cut.jsonl").write_bytes(Path("whole.jsonl").read_bytes()[:kept])
    assert "cut.jsonl:" in wrong("import", "new.db", "cut.jsonl")
    assert not list(Path().glob("new.db*"))


def test_verify_names_the_wrong_record(landed: str) -> None:
    import sqlite3

    head = data("verify", landed)["games"][0]["head"]
    written = f"{head['number']}:{head['hash']}"
    assert written in ok("verify", landed, "--head", written)
    with sqlite3.connect(landed) as database:
        database.execute("DELETE FROM stored_events WHERE originator_version = 40")
    database.close()
    assert "#40 is wrong (missing)" in refusal("verify", landed)
    result = json.loads(run("verify", landed, "--json").stdout)
    assert (result["ok"], result["games"][0]["number"]) == (False, 40)


@pytest.mark.slow
def test_the_demo_finds_the_slips_and_replays_one(tmp_path: Path) -> None:
    ledger = str(tmp_path / "season.db")
    output = ok("demo", "--weeks", "5", "--ledger", ledger)
    assert "square of Jamie: recorded 3, by the rules 1 (VI.1@1)" in output
    assert output.count("rent of Cypher: recorded 48, by the rules 54 (X.3@1)") == 3
    assert re.search(r"^Jamie +9789 +3 +9922 +1$", output, re.MULTILINE)
    assert data("state", ledger)["players"]["Jamie"]["square"] == 15  # nothing is recorded
    result = run("replay", ledger, "--period", "1", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (report["mode"], report["exact"], report["compared"]) == ("audit", False, 11)
    found = report["divergences"][0]
    assert len(report["divergences"]) == 1
    assert {key: found[key] for key in ("subject", "what", "recorded", "by_rules", "rule")} == {
        "subject": "Jamie",
        "what": "square",
        "recorded": 3,
        "by_rules": 1,
        "rule": "VI.1@1",
    }


@pytest.mark.slow
def test_a_hand_kept_record_is_imported(tmp_path: Path) -> None:
    from nomoledger.game.recorded_games import find

    ledger = str(tmp_path / "season.db")
    ok("import", ledger, str(find("weekly-vote-season")), "--game", "season")
    assert data("verify", ledger)["games"][0]["game"] == "season"
