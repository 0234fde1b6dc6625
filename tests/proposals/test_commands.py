"""Proposals on the command line."""

import json
from pathlib import Path

import pytest

from .fines import command


def test_check_prints_findings_and_exits_with_1_on_errors(file: str) -> None:
    Path("good.yaml").write_text("- {repeal: I.2}\n")
    good = command("proposal", "check", file, "good.yaml")
    assert good.exit_code == 0
    assert "left without a definition: pay_fine, which I.3 would still use" in good.stdout
    assert json.loads(command("proposal", "check", file, "good.yaml", "--json").stdout)[
        "left_undefined"
    ] == [{"name": "pay_fine", "used_by": ["I.3"]}]
    Path("bad.yaml").write_text("- {amend: I.2, parameters: {amount: many}}\n")
    bad = command("proposal", "check", file, "bad.yaml")
    assert (bad.exit_code, bad.stdout) == (
        1,
        "error: rule I.2: amount is a number of dollars, not 'many'\n",
    )
    Path("code.yaml").write_text("- {amend: I.2, code: 'def value_fine(: pass'}\n")
    code = command("proposal", "check", file, "code.yaml", "--json")
    assert code.exit_code == 1
    assert json.loads(code.stdout)["errors"][0].startswith("rule I.2, line 1: ")


def test_a_file_without_a_change_is_refused(file: str) -> None:
    Path("none.yaml").write_text("[]\n")
    Path("folder.yaml").mkdir()
    result = command("proposal", "check", file, "none.yaml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "none.yaml: there is no change in it: write one, such as {repeal: IV.2}" in result.stderr
    result = command("proposal", "check", file, "folder.yaml")
    assert "folder.yaml cannot be read: it is a folder, not a file" in result.stderr
    assert command("propose", file, "Ann", "Only words").exit_code == 0


@pytest.mark.parametrize("verb", [("propose", "Ann"), ("ruling",)])
def test_what_does_not_fit_is_refused_with_a_line_per_error(
    verb: tuple[str, ...], file: str
) -> None:
    Path("bad.yaml").write_text("- {repeal: V.9}\n- {repeal: V.8}\n")
    words = (verb[0], file, *verb[1:], "Text", "--changes", "bad.yaml")
    log = command("log", file).stdout
    result = command(*words)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[:2] == [
        "refused: repeal V.9: there is no rule V.9 in force",
        "refused: repeal V.8: there is no rule V.8 in force",
    ]
    as_json = command(*words, "--json")
    assert as_json.exit_code == 1
    assert json.loads(as_json.stdout)["refused"] == [
        "repeal V.9: there is no rule V.9 in force",
        "repeal V.8: there is no rule V.8 in force",
    ]
    assert command("log", file).stdout == log


def test_a_proposal_is_made_and_its_findings_are_printed(file: str) -> None:
    words = ("propose", file, "Ann", "Dear", "--amend", "I.2.amount=20", "--id", "p1")
    made = command(*words)
    assert made.exit_code == 0
    assert "Ann makes proposal 1: Dear" in made.stdout
    assert "mismatch: rule I.2: the prose says ten dollars" in made.stdout
    assert "case would fail: late.yaml:4: Ann is late" in made.stdout
    assert "mismatch" not in command(*words).stdout
    shown = command("proposal", "show", file, "1")
    assert "amend rule I.2 Fines\n  amount: 10 → 20\n" in shown.stdout
    assert json.loads(command("proposal", "show", file, "1", "--json").stdout)["by"] == "Ann"


def test_words_only_on_the_command_line(file: str) -> None:
    Path("bad.yaml").write_text("- {repeal: V.9}\n")
    made = command("propose", file, "Ann", "Text", "--changes", "bad.yaml", "--words-only")
    assert made.exit_code == 0
    assert "Ann makes proposal 1 (in words only): Text" in made.stdout
