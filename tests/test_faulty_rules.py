"""Faulty rules: each is a small change of a sound rulebook, and is found on its line."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from tiers import sample

from nomoledger.errors import RulebookError
from nomoledger.events.levels import NEWEST
from nomoledger.game import recorded_games
from nomoledger.rulebook.checker.rulebook_check import find_faults
from nomoledger.rulebook.checker.ruleset_check import faults_of
from nomoledger.rulebook.loading import load, parse, shipped
from nomoledger.state.declared_rules import Ruleset

RULEBOOKS = Path(__file__).parent / "rulebooks"
SOUND = (RULEBOOKS / "fairground.md").read_text("utf-8")


class Change(NamedTuple):
    """A change of the sound rulebook, and part of the fault on the line where *line* begins."""

    change: str
    to: str
    says: str
    line: str = ""


CHANGES = [
    Change(**change)
    for changes in yaml.safe_load((RULEBOOKS / "faulty-rules.yaml").read_text("utf-8")).values()
    for change in changes
]


def changed(old: str, new: str) -> str:
    """Return the sound rulebook with *new* in place of *old*, which stands in it."""
    assert old in SOUND, old
    return SOUND.replace(old, new, 1)


def faults_in(text: str) -> list[str]:
    """Return the faults of the rulebook *text*, or why it cannot be read."""
    try:
        return find_faults(parse(text, "fair.md"))
    except RulebookError as error:
        return [str(error)]


def is_in_its_rule(fault: str, text: str) -> bool:
    """Return whether *fault* is one line, and names a line that belongs to its rule in *text*."""
    match = re.fullmatch(r"fair\.md:(\d+): rule (\d+):? .*", fault)
    lines = text.splitlines()
    headings = [n for n, line in enumerate(lines, 1) if line.startswith("### ")] + [len(lines) + 1]
    return match is not None and (
        headings[int(match[2]) - 1] < int(match[1]) < headings[int(match[2])]
    )


@pytest.mark.parametrize("change", sample(CHANGES, 23), ids=lambda change: change.to.strip())
def test_a_faulty_rule_is_found_on_its_line(change: Change) -> None:
    text = changed(change.change, change.to)
    at = (
        text.index(change.line)
        if change.line
        else text.index(change.to, SOUND.index(change.change))
    )
    start = f"fair.md:{text[:at].count(chr(10)) + 1}: rule "
    faults = faults_in(text)
    assert any(fault.startswith(start) and change.says in fault for fault in faults), faults
    assert all(is_in_its_rule(fault, text) for fault in faults), faults


def test_there_are_enough_faulty_rules() -> None:
    assert len(CHANGES) >= 150
    assert len(set(CHANGES)) == len(CHANGES)


def test_sound_rules_are_not_blamed() -> None:
    assert faults_in(SOUND) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped())
def test_no_shipped_rule_is_blamed(name: str) -> None:
    assert find_faults(load(name)) == []


@pytest.mark.parametrize(
    ("opening", "season"),
    [("weekly-vote-opening", "weekly-vote-season"), ("origon-opening", "origon-week1")],
)
def test_no_rule_of_a_recorded_game_is_blamed(opening: str, season: str) -> None:
    rules = {rule.number: rule for rule in load(opening).rules}
    files = [
        record.parent / name
        for record in recorded_games.files(season)
        for name in dict.fromkeys(re.findall(r'"rules": "([^"]+)"', record.read_text("utf-8")))
    ]
    assert files
    for file in files:
        added = parse(file.read_text("utf-8"), file.name).rules
        rules |= {rule.number: rule for rule in added}
        ruleset = Ruleset(tuple(rules.values()))
        assert faults_of(ruleset, [rule.number for rule in added]) == []


def test_a_rule_can_name_the_players_of_its_game() -> None:
    rules = parse(changed('pay(player, "bank",', 'pay(player, "Ann",'), "fair.md").rules
    assert faults_of(Ruleset(rules), things=["Ann", "Bob"]) == []
    (fault,) = faults_of(Ruleset(rules), things=["Anna", "Bob"])
    assert fault.text == "no rule declares the account 'Ann'; did you mean 'Anna'?"


def test_a_rule_overrides_others_by_numbers_with_or_without_quotes() -> None:
    assert faults_in(changed('overrides: ["4"]', "overrides: [4]")) == []


def test_a_block_that_belongs_to_no_rule_is_found() -> None:
    (fault,) = faults_in(changed("### 10 Healing", "## 10 Healing"))
    assert "this block belongs to no rule" in fault


def test_many_faults_are_found_at_once() -> None:
    text = SOUND.replace('"owner", player)', '"ownr", player)').replace(
        "    destroy(", "    destory("
    )
    text = text.replace("def value_may_heal(player: Player) -> Flag:", "def value_may_heal(:")
    faults = [fault.split(": ", 2)[1:] for fault in faults_in(text)]
    assert [rule for rule, _ in faults] == ["rule 6", "rule 6", "rule 9", "rule 10"]


def test_a_misspelt_parameter_is_one_fault() -> None:
    assert faults_in(changed("roll(dice, sides", "roll(dcie, sides")) == [
        "fair.md:78: rule 3: no rule says what 'dcie' is; did you mean 'dice'?"
    ]


def test_a_misspelt_word_of_the_front_matter_is_found() -> None:
    (fault,) = faults_in(changed("rulebook: fairground", "rulebok: fairground"))
    assert fault == "fair.md:2: the front matter: unknown word 'rulebok'; did you mean 'rulebook'?"


def test_all_parameters_that_cannot_be_names_are_found() -> None:
    faults = faults_in(changed("{dice: 2, sides: 6}", "{Dice: 2, max-sides: 6, sides: 6}"))
    assert [fault.split(": ", 2)[2] for fault in faults if "rule 3" in fault] == [
        "'Dice' is no name: try one like in_row",
        "'max-sides' is no name: try one like in_row",
    ]


def test_only_the_rules_asked_for_are_examined() -> None:
    rules = parse(changed("    destroy(option)", "    destory(option)"), "fair.md").rules
    assert faults_of(Ruleset(rules), ["4", "5"]) == []
    (fault,) = faults_of(Ruleset(rules), ["6"])
    assert (fault.rule, fault.file) == ("6", "fair.md")


def test_a_game_of_an_old_level_gives_hooks_their_arguments_by_place() -> None:
    rules = parse(
        changed(
            "def forbid_buy(player, square):\n",
            "def forbid_buy(player, stall):\n    square = stall\n",
        ),
        "fair.md",
    ).rules
    assert faults_of(Ruleset(rules, level=NEWEST), ["6"]) != []
    old = [
        fault for fault in faults_of(Ruleset(rules, level=1), ["6"]) if "forbid_buy" in fault.text
    ]
    assert old == []
