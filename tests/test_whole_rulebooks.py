"""The rulebooks that are whole: every rule, every mechanic in the table of the docs, every case."""

import re
from pathlib import Path

import pytest
from tiers import sample

from nomoledger.rulebook.cases.format import cases_beside
from nomoledger.rulebook.loading import load

DOCS = Path(__file__).parents[1] / "docs"
NOT_EXECUTED = ("text only", "by ruling")
#: How many rules there are by the numbering of the seed, and how many mechanics.
WHOLE = {
    "weekly-vote": (157, 304), "origon": (55, 108), "nomopoly-iii": (81, 131), "mail": (209, 415),
}  # fmt: skip
#: List items of a rule that act by themselves have their own number.
PARTS = {"origon": r"(2\.1|4\.1|6\.4|12\.2|14\.2|15\.1)\.\d", "mail": r"II\.8\.\d"}

whole = pytest.mark.parametrize("name", sample(reversed(WHOLE), 1))


def rows(name: str) -> list[tuple[int, str, str]]:
    """The number, the rule and the cases of every line of the table."""
    text = (DOCS / f"{name}-coverage.md").read_text("utf-8")
    found = re.findall(r"^\| (\d+) \| ([^|]+) \| [^|]+ \| ([^|]+) \|$", text, re.MULTILINE)
    return [(int(number), rule, shown) for number, rule, shown in found]


@whole
def test_every_rule_is_present_and_has_code_or_a_reason(name: str) -> None:
    rules = [rule for rule in load(name).rules if not rule.common]
    parts = [rule for rule in rules if re.fullmatch(PARTS.get(name, "-"), rule.number)]
    assert len(rules) - len(parts) == WHOLE[name][0]
    for rule in rules:
        assert rule.prose, rule.number
        told = [bool(rule.code.strip() or rule.uses), bool(rule.text_only), bool(rule.by_ruling)]
        declares = bool(rule.declares or rule.commodities or rule.accounts)
        assert sum(told) == 1 or declares, rule.number


@pytest.mark.slow
@whole
def test_every_mechanic_is_in_the_coverage_table(name: str) -> None:
    found, cases = rows(name), {case.name for case in cases_beside(name)}
    assert [number for number, _, _ in found] == list(range(1, WHOLE[name][1] + 1))
    numbers = {rule.number for rule in load(name).rules}
    for number, rule, shown in found:
        parts = rule.split(".")
        assert any(".".join(parts[:end]) in numbers for end in (4, 3, 2, 1)), (number, rule)
        named = [shown] if shown in cases else shown.split("; ")
        assert all(case in cases or case in NOT_EXECUTED for case in named), (number, shown)


@pytest.mark.slow
@whole
def test_every_rule_with_code_has_a_case(name: str) -> None:
    cited = {number for case in cases_beside(name) for number in case.body.cites}
    rules = (rule for rule in load(name).rules if not rule.common)
    executed = {rule.number for rule in rules if rule.code.strip()}
    assert not executed - cited
