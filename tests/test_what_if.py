"""`what-if` on the command line: other dice, other rules, a proposal. It records nothing."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from nomoledger import Ledger
from nomoledger.cli import program
from nomoledger.rulebook.loading import find_rulebook

DEARER = """### X.1 Options to buy
A square costs 100 dollars times its number.
```yaml
parameters: {dollars_per_number: 100}
```
"""


@pytest.fixture
def season(season_file: Path) -> Path:
    return season_file


def what_if(season: Path, *words: str) -> dict[str, object]:
    with Ledger.open(season) as ledger:
        before = ledger.head("weekly-vote-season")
    result = CliRunner().invoke(program, ["what-if", str(season), *words, "--json"])
    assert result.exit_code == 0, result.output
    with Ledger.open(season) as ledger:
        assert ledger.head("weekly-vote-season") == before
    parsed: dict[str, object] = json.loads(result.stdout)
    return parsed


def money(result: dict[str, object], player: str) -> tuple[int, int]:
    (row,) = [place for place in result["places"] if place["player"] == player]  # type: ignore[attr-defined]
    return row["money"], row["rerun_money"]


def test_nothing_changed_changes_nothing(season: Path) -> None:
    result = what_if(season, "--from", "1")
    assert (result["difference"], result["otherwise"], result["orphans"]) == (None, [], [])


def test_one_landing(season: Path) -> None:
    result = what_if(season, "--replace", "116=square:1")
    assert money(result, "Jamie") == (9789, 9922)
    assert money(result, "ChocolateChip") == (9590, 9590)


def test_a_week_under_the_rules_of_another(season: Path) -> None:
    result = what_if(season, "--rules-of", "3", "--from", "4", "--to", "4")
    assert money(result, "Cypher") == (9879, 9660)  # no rent yet in week 3
    assert result["period"] == 4


def test_a_rule_from_a_file(season: Path, tmp_path: Path) -> None:
    (tmp_path / "dearer.md").write_text(DEARER)
    changes = tmp_path / "dearer.yaml"
    changes.write_text("- {amend: X.1, parameters: {dollars_per_number: 100}}\n")
    result = what_if(season, "--ruling", str(changes), "--from", "2", "--to", "2")
    assert money(result, "The Founder") == (9850, 8500)


def test_save_writes_the_result(season: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    result = what_if(season, "--replace", "116=square:1", "--save", str(saved))
    written = json.loads(saved.read_text())
    assert written.pop("changes")["edits"] == [
        {"edit": "replaced", "event": 116, "value": {"square": 1}}
    ]
    assert written == result


@pytest.mark.slow
@pytest.mark.parametrize("money", ["$", "florin"])
def test_money_is_in_the_table_of_places_only(
    money: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the money of the game is called."""
    monkeypatch.chdir(tmp_path)
    rules = find_rulebook("mail-opening").read_text("utf-8")
    Path("mine.md").write_text(rules.replace('{"$": {places: 0}}', f'{{"{money}": {{places: 0}}}}'))
    run("init", "g.db", "--rulebook", "mine.md", "--set", "squares=9", "--dice", "entered")
    run("join", "g.db", "Ann", "email=ann@x.org")
    run("propose", "g.db", "Ann", "Nothing")
    run("judge", "g.db", "1", "rejected")
    run("roll", "g.db", "3", "4")
    run("submit", "g.db", "Ann", "buy", "square=8")
    assert re.search(f"player +{re.escape(money)} ", run("standings", "g.db"))
    log = run("log", "g.db").splitlines()
    (roll,) = (row.split()[0].removeprefix("#") for row in log if "rolled by hand: 3, 4" in row)
    lines = run("what-if", "g.db", "--replace", f"{roll}=2,4").splitlines()
    places = lines.index("player  recorded  rank  played again  rank again")
    assert lines[places + 1].split() == ["Ann", "920", "1", "1000", "1"]
    assert lines[places + 2].split() == ["what", "differs", "recorded", "played", "again"]
    assert "owner" in "".join(lines[places + 3 :])
    assert money not in "".join(lines[places + 3 :])


def run(*words: str) -> str:
    result = CliRunner().invoke(program, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--replace", "9999=1"], "there is no event #9999"),
        (["--replace", "118=1"], "#118 follows from #116"),
        (["--without", "0"], "opening of the game cannot be edited"),
        (["--overrule", "99"], "no ruling 99"),
        (["--proposal", "99"], "there is no proposal 99"),
        (["--from", "77"], "there is no period 77"),
        (["--to", "77"], "there is no period 77"),
        (["--rule", "X.3=nope.md"], "no rulebook 'nope.md'"),
    ],
)
def test_an_impossible_change_is_one_line_of_error(
    season: Path, words: list[str], message: str
) -> None:
    result = CliRunner().invoke(program, ["what-if", str(season), *words])
    assert result.exit_code == 2
    assert message in result.output
    assert result.output.count("\n") == 1
