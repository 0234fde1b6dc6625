"""`rules check --ledger`: files of rules checked against the rules of a game."""

import json
import shutil
from pathlib import Path

import pytest

from cli.commands import data, ok, refusal, wrong

REPLAYS = Path(__file__).parents[2] / "replays"
WEEK_1, WEEK_2 = "weekly-vote-season/week-1.md", "weekly-vote-season/week-2.md"

NO_CASE = "no case was tried: the ledger has none for this game, such as for every imported game"
STARTING_MONEY = """
### IV.1 Starting money

A player begins with 1100 dollars.

```yaml
parameters:
  starting_money: {value: 1100, unit: dollars}
commodities: {"$": {places: 0}}
```

```python
def after_join(player):
    pay("admin", player, starting_money, "starting money")
```
"""


@pytest.fixture(scope="module")
def first_week_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ledger of a season up to the line that brings in the rules of week 2."""
    folder = tmp_path_factory.mktemp("season")
    shutil.copytree(REPLAYS / "weekly-vote-season", folder / "weekly-vote-season")
    lines = (REPLAYS / "weekly-vote-season.jsonl").read_text("utf-8").splitlines(keepends=True)
    until = next(i for i, line in enumerate(lines) if WEEK_2 in line)
    (folder / "season.jsonl").write_text("".join(lines[:until]), "utf-8")
    ok("import", str(folder / "s.db"), str(folder / "season.jsonl"))
    return folder


@pytest.fixture
def season(first_week_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A season after its first week, as s.db in the current folder, with its files of rules."""
    folder = tmp_path / "season"
    shutil.copytree(first_week_file, folder)
    monkeypatch.chdir(folder)
    return folder


def altered(old: str, new: str) -> int:
    """Write week.md, which is week 2 with *new* in place of *old*, and return the line of that."""
    text = Path(WEEK_2).read_text("utf-8")
    assert text.count(old) == 1
    Path("week.md").write_text(text.replace(old, new), "utf-8")
    return text[: text.index(old)].count("\n") + 1


def check(file: str) -> tuple[str, ...]:
    return "rules", "check", file, "--ledger", "s.db"


def test_a_file_that_fits_is_listed_and_recorded_nowhere(season: Path) -> None:
    before = Path("s.db").read_bytes()
    assert ok(*check(WEEK_2)).splitlines() == [
        "new: rule X.1 Options to buy",
        "new: rule X.2 Names",
        NO_CASE,
        "week-2.md fits the rules of weekly-vote-season; nothing is recorded",
    ]
    assert "as in force: rule VI.1 Moves" in ok(*check(WEEK_1)).splitlines()
    assert Path("s.db").read_bytes() == before


def test_a_rule_in_force_is_shown_as_amended(season: Path) -> None:
    text = Path(WEEK_1).read_text("utf-8")
    Path("week.md").write_text(text.replace("parameters: {dice: 2}", "parameters: {dice: 3}"))
    lines = ok(*check("week.md")).splitlines()
    assert lines[:2] == ["amend rule VI.1 Moves", "  dice: 2 → 3"]


def test_a_hook_that_would_never_act_is_told_which_operations_there_are(season: Path) -> None:
    line = altered("def after_land(", "def after_turn(")
    error = refusal(*check("week.md"))
    assert (
        f"error: week.md:{line}: rule X.1: after_turn bends 'turn', which no rule defines" in error
    )
    assert "operations with the same arguments are land (rule VI.1)" in error
    rule = "### X.9 A fee\n\nA fee.\n\n```python\ndef after_turn(player):\n    settle()\n```\n"
    Path("week.md").write_text(rule)
    error = refusal(*check("week.md"))
    assert "week.md:6: rule X.9: after_turn bends" in error
    assert "operations with the same arguments are take_move (rule VI.1), " in error


@pytest.mark.parametrize(
    ("old", "new", "below", "text"),
    [
        ("square: {owner: Player}", "square: {owner: Playr}", 0, "there is no type 'Playr'"),
        ("if player not in in_line(square):\n        create", "if on:\n        create", 0, "'on'"),
        ("facts:\n  option: {asks", "facts: [\n  option: {asks", 2, "not YAML"),
        ("def value_whole_line(", "def value_((", 0, "Function parameters"),
    ],
)  # fmt: skip
def test_errors_have_file_and_line(season: Path, old: str, new: str, below: int, text: str) -> None:
    line = altered(old, new) + below
    error = refusal(*check("week.md"))
    assert any(
        one.startswith(f"error: week.md:{line}: rule X.1: ") and text in one
        for one in error.splitlines()
    ), error


def test_a_file_of_changes(season: Path) -> None:
    Path("changes.yaml").write_text("- amend: VI.1\n  parameters: {dice: 3}\n- repeal: X.77\n")
    error = refusal(*check("changes.yaml"))
    assert "  dice: 2 → 3" in error
    assert "error: changes.yaml: repeal X.77: there is no rule X.77 in force" in error
    Path("changes.yaml").write_text("- amend: VI.1\n  parameters: {dice: 3}\n")
    assert "changes.yaml fits the rules" in ok(*check("changes.yaml"))


def test_what_an_amendment_leaves_out_is_said(season: Path) -> None:
    text = Path(WEEK_1).read_text("utf-8")
    more = "parameters: {dice: 2}\naccounts: [pot]"
    Path("week.md").write_text(text.replace("parameters: {dice: 2}", more))
    output = ok(*check("week.md"))
    assert "note: rule VI.1: an amendment leaves as they are, whatever the file says: accounts" in (
        " ".join(output.split())
    )


def test_misuse(season: Path) -> None:
    assert "cannot be read" in wrong(*check("none.yaml"))
    assert "no such file" in wrong(*check("none.md"))
    assert "--ledger excludes" in wrong(*check(WEEK_2), "--blank")
    assert "give --ledger" in wrong("rules", "check", WEEK_2, "--game", "x")
    assert "give --ledger" in wrong("rules", "check", WEEK_2, "--cases", "1")


def test_the_cases_of_a_new_game_are_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ok("init", "s.db", "--rulebook", "mail-opening")
    Path("money.md").write_text(STARTING_MONEY)
    told = data(*check("money.md"), "--cases", "600")
    assert (told["errors"], told["why_no_cases"], told["cases_not_tried"]) == ([], "", 0)
    assert 0 < len(told["cases_failing"]) < told["cases_tried"]
    lines = ok(*check("money.md")).splitlines()
    count = f"{told['cases_tried']} cases tried, {len(told['cases_failing'])} would fail"
    assert lines[-2:] == [count, "money.md fits the rules of mail-opening; nothing is recorded"]
    assert sum(line.startswith("case would fail: ") for line in lines) == len(told["cases_failing"])
    Path("money.md").write_text(STARTING_MONEY.replace("1100", "1000"))
    assert "cases tried, none would fail" in ok(*check("money.md"))
    assert "time was up" in ok(*check("money.md"), "--cases", "0")


def test_no_case_is_tried_of_a_file_with_errors_or_without_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ok("init", "s.db", "--rulebook", "mail-opening")
    Path("money.md").write_text(STARTING_MONEY.replace("after_join(player)", "after_join(who)"))
    told = json.loads(refusal(*check("money.md"), "--json"))
    assert (told["cases_tried"], told["why_no_cases"]) == (0, "mend the errors first")
    Path("changes.yaml").write_text("- {set: {square: 1, color: Red}}\n")
    assert "no case was tried: no rule would change" in ok(*check("changes.yaml"))
