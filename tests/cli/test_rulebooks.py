"""Commands on rulebooks and their cases."""

import json
from pathlib import Path

import pytest

from cli.commands import data, ok, refusal, run, wrong


def test_passing_and_failing_cases(game: str) -> None:
    case = (
        "rulebook: mail-opening\ncase: joining\n"
        "steps:\n- {do: join, with: {name: Ann, email: a@x}}\n"
        "then:\n  players: {Ann: {money: MONEY}}\n"
    )
    Path("good.yaml").write_text(case.replace("MONEY", "1000"))
    Path("bad.yaml").write_text(case.replace("MONEY", "999"))
    assert ok("test", "good.yaml") == "1 cases, 0 failed\n"
    assert "no file or folder 'nowhere'" in wrong("test", "nowhere")
    assert "bad.yaml: joining" in refusal("test", "good.yaml", "bad.yaml")
    assert json.loads(run("test", "bad.yaml", "--json").stdout)["failed"] == 1


@pytest.mark.slow
def test_a_rulebook_is_shown_and_checked(game: str) -> None:
    assert "mail-opening" in ok("rules", "list").splitlines()
    assert "    def value_market_value(square: Square) -> Money:" in ok(
        "rules", "show", "mail-opening", "V.1"
    )
    assert len(data("rules", "show", "mail-opening")["rules"]) == 27
    found = data("rules", "check", "mail-opening")
    assert (found["rulebook"], found["rules"], found["errors"]) == ("mail-opening", 27, [])
    assert "buy" in ok("rules", "vocabulary", "mail-opening")


def test_a_rulebook_with_an_error(game: str) -> None:
    Path("mine.md").write_text("### I.1 Broken\n\nWords.\n\n```python\ndef define_x(:\n```\n")
    assert "mine.md:" in refusal("rules", "check", "mine.md")
    result = run("rules", "check", "mine.md", "--json")
    assert result.exit_code == 1
    assert len(json.loads(result.stdout)["errors"]) == 1
    Path("mine.md").write_text("### I.1\n")
    assert "mine.md:1" in refusal("rules", "check", "mine.md")
