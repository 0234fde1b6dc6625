"""what-if on the command line: other dice, other rules, a proposal; nothing is ever recorded."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from nomoledger import Ledger
from nomoledger.cli import program

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
    found: dict[str, object] = json.loads(result.stdout)
    return found


def money(found: dict[str, object], player: str) -> tuple[int, int]:
    (place,) = [each for each in found["places"] if each["player"] == player]  # type: ignore[attr-defined]
    return place["money"], place["rerun_money"]


def test_a_what_if_without_changes_equals_the_game(season: Path) -> None:
    found = what_if(season, "--from", "1")
    assert (found["difference"], found["otherwise"], found["orphans"]) == (None, [], [])


def test_a_replaced_landing_changes_its_consequences(season: Path) -> None:
    found = what_if(season, "--replace", "116=square:1")
    assert money(found, "Jamie") == (9789, 9922)
    assert money(found, "ChocolateChip") == (9590, 9590)


def test_a_week_can_be_played_under_the_rules_of_another(season: Path) -> None:
    found = what_if(season, "--rules-of", "3", "--from", "4", "--to", "4")
    assert money(found, "Cypher") == (9879, 9660)  # no rent yet in week 3
    assert found["period"] == 4


def test_a_what_if_can_enact_a_rule_from_a_file(season: Path, tmp_path: Path) -> None:
    (tmp_path / "dearer.md").write_text(DEARER)
    changes = tmp_path / "dearer.yaml"
    changes.write_text("- {amend: X.1, parameters: {dollars_per_number: 100}}\n")
    found = what_if(season, "--ruling", str(changes), "--from", "2", "--to", "2")
    assert money(found, "The Founder") == (9850, 8500)


def test_results_can_be_saved_and_compared(season: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    found = what_if(season, "--replace", "116=square:1", "--save", str(saved))
    assert json.loads(saved.read_text()) == found


@pytest.mark.parametrize(
    ("words", "told"),
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
def test_an_impossible_what_if_is_refused(season: Path, words: list[str], told: str) -> None:
    result = CliRunner().invoke(program, ["what-if", str(season), *words])
    assert result.exit_code == 2
    assert told in result.output
    assert result.output.count("\n") == 1
