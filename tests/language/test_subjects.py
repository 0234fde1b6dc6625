"""What rules speak of, and how they change when it is removed from the rules."""

import pytest

from nomoledger.events.rules import Amend, Renumber, Repeal, Rewording
from nomoledger.rulebook.checker.rulebook_check import find_faults
from nomoledger.rulebook.loading import parse

from .inline import Play

LIST = 'def after_go_on(player):\n    set("Ann", "mark", str(rules_about("Teams")))\n'
REMOVE = """
def after_go_on(player):
    for number, title, prepared in rules_about("Teams"):
        reword(number, "Teams")
"""
TEAMS = """
subjects:
  Teams:
    prose: Everybody gets 2.
    parameters: {prize: 2}
    functions:
      after_go_on: |
        def after_go_on(player):
            mint(player, prize)
      helper: null
  Hats: {repeal: true}
parameters: {prize: 1}
"""
CODE = 'def after_go_on(player):\n    helper(player)\ndef helper(player):\n    mint("Bob", prize)\n'


def play(one: str, **data: str) -> Play:
    rules = {"1": one, "2": CODE, "3": "def value_three(): return 3\n"}
    return Play(rules, {"2": TEAMS, "3": "subjects: {Teams: {repeal: true}}"} | data)


def rules_about_teams(game: Play) -> str:
    return str(game.go().get("mark"))


def test_rules_about_lists_number_title_and_what_is_prepared() -> None:
    listed = rules_about_teams(play(LIST))
    assert listed == '[["2", "Rule", "amend"], ["3", "Rule", "repeal"]]'


def test_nothing_prepared_is_an_empty_text() -> None:
    data = {"2": "parameters: {prize: 1}", "3": "subjects: {Teams: {}}"}
    assert rules_about_teams(play(LIST, **data)) == '[["3", "Rule", ""]]'


def test_a_rule_that_is_gone_is_not_listed_and_one_with_another_number_is() -> None:
    game = play(LIST)
    game.rule(Repeal("3"), Renumber("2", "9"))
    assert rules_about_teams(game) == '[["9", "Rule", "amend"]]'


def test_other_words_end_what_was_prepared_but_other_parameters_do_not() -> None:
    game = play(LIST)
    game.rule(Amend("2", parameters={"prize": 5}))
    assert rules_about_teams(game).startswith('[["2", "Rule", "amend"]')
    game.rule(Amend("2", prose="New."))
    assert rules_about_teams(game).startswith('[["2", "Rule", ""]')


def test_an_amendment_says_what_the_rule_speaks_of_from_then_on() -> None:
    game = play(LIST)
    change = Amend("2", prose="New.", subjects={"Teams": Rewording(repeal=True)})
    game.rule(change, Amend("3", subjects={}))
    assert rules_about_teams(game) == '[["2", "Rule", "repeal"]]'


def test_reword_carries_out_what_is_prepared_from_the_next_attempt() -> None:
    game = play(REMOVE).go()
    assert (game.money(), game.money("Bob")) == (100, 101)
    two = game.world.rule("2")
    assert two is not None
    assert (two.version, two.prose, two.parameters) == (2, "Everybody gets 2.", {"prize": 2})
    assert two.subjects == {"Hats": Rewording()}
    assert game.world.rule("3") is None
    assert game.go().money() == 102


def test_reword_is_refused_where_nothing_is_prepared() -> None:
    game = play(REMOVE, **{"3": "subjects: {Teams: {}}"}).go()
    assert "rule 3 has prepared nothing for the removal of 'Teams'" in str(game.last)
    assert game.world.rule("2").version == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("prepared", "fault"),
    [
        ("{functions: {nothing: null}}", "rule 1 has no function 'nothing' to remove"),
        ("{parameters: {fee: 5}}", "rule 1 has no parameter 'fee'"),
        ("{code: 'def f(:'}", "what is prepared does not fit"),
        ("{repeal: true, prose: New.}", "a rule that is repealed gets no new words"),
    ],
)
def test_rules_check_finds_what_does_not_fit(prepared: str, fault: str) -> None:
    text = f"### 1 One\n```yaml\nsubjects:\n  Teams: {prepared}\n```\n```python\n{LIST}```\n"
    assert fault in str(find_faults(parse(text, "one.md")))
