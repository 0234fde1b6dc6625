"""The rulebook weekly-vote, whole: every rule, every mechanic, every case."""

import re
from pathlib import Path

import pytest

from nomoledger.cases.format import cases_beside
from nomoledger.rules.rulebook import load

RULES = 157
MECHANICS = 304
TABLE = Path(__file__).parents[1] / "docs" / "weekly-vote-coverage.md"
NOT_EXECUTED = ("text only", "by ruling")


def rows() -> list[tuple[int, str, str]]:
    """The number, the rule and the cases of every line of the table."""
    found = re.findall(
        r"^\| (\d+) \| ([^|]+) \| [^|]+ \| ([^|]+) \|$", TABLE.read_text("utf-8"), re.M
    )
    return [(int(number), rule, shown) for number, rule, shown in found]


@pytest.fixture(scope="module")
def cases() -> set[str]:
    return {case.name for case in cases_beside("weekly-vote")}


def test_every_rule_is_there_and_says_what_it_does() -> None:
    rules = load("weekly-vote").rules
    assert len(rules) == RULES
    for rule in rules:
        assert rule.prose, rule.number
        told = [bool(rule.code.strip()), bool(rule.text_only), bool(rule.by_ruling)]
        declares = bool(rule.declares or rule.commodities or rule.accounts)
        assert sum(told) == 1 or declares, rule.number


def test_every_mechanic_stands_in_the_table(cases: set[str]) -> None:
    found = rows()
    assert [number for number, _, _ in found] == list(range(1, MECHANICS + 1))
    numbers = {rule.number for rule in load("weekly-vote").rules}
    for number, rule, shown in found:
        parts = rule.split(".")
        assert any(".".join(parts[:end]) in numbers for end in (4, 3, 2)), (number, rule)
        named = [shown] if shown in cases else shown.split("; ")
        assert all(case in cases or case in NOT_EXECUTED for case in named), (number, shown)


def test_every_rule_with_code_has_a_case() -> None:
    cited = {number for case in cases_beside("weekly-vote") for number in case.body.cites}
    executed = {rule.number for rule in load("weekly-vote").rules if rule.code.strip()}
    assert not executed - cited
