"""Conflicting rules: the admin is asked once, and the ruling holds from then on."""

import pytest

from nomoledger.events.rules import Amend

from .inline import Play

GO = "def after_go_on(player): set(player, 'score', worth(player))\n"
TWO = {
    "1": GO,
    "2": "def value_worth(player): return 1\n",
    "3": "def value_worth(player): return 2\n",
}
SETS = {
    "1": GO + "def value_worth(player): return 0\n",
    "2": "def adjust_worth(player): return set_to(1)\n",
    "3": "def adjust_worth(player): return set_to(2)\n",
}
EFFECTS = {
    "1": "def after_go_on(player): step(player)\n",
    "2": "def define_step(player): set(player, 'score', 1)\n",
    "3": "def define_step(player): set(player, 'score', 2)\n",
}


@pytest.mark.parametrize("rules", [TWO, SETS, EFFECTS], ids=["values", "steps", "definitions"])
def test_the_admin_decides_a_conflict_once(rules: dict[str, str]) -> None:
    play = Play(rules).go()
    assert play.asked.asks == "conflict"
    assert play.asked.options == ("2", "3")
    assert " by 2 or " in play.asked.text
    assert play.decide("3").get("score") == 2
    assert "3>2" in play.world.edges
    assert play.go().world.waiting is None
    assert play.get("score") == 2


@pytest.mark.parametrize("rules", [TWO, SETS, EFFECTS], ids=["values", "steps", "definitions"])
def test_equal_results_are_no_conflict(rules: dict[str, str]) -> None:
    same = rules | {"3": rules["3"].replace("2)", "1)").replace("return 2", "return 1")}
    assert Play(same).go().get("score") == 1


@pytest.mark.parametrize("rules", [TWO, SETS, EFFECTS], ids=["values", "steps", "definitions"])
def test_overrides_decide_a_conflict(rules: dict[str, str]) -> None:
    assert Play(rules, {"3": "overrides: ['2']"}).go().get("score") == 2


@pytest.mark.parametrize("rules", [TWO, SETS, EFFECTS], ids=["values", "steps", "definitions"])
def test_a_rule_on_precedence_decides_a_conflict(rules: dict[str, str]) -> None:
    later = {"9": "def value_precedence(rule, other): return max(rule, other)\n"}
    assert Play(rules | later).go().get("score") == 2


def test_a_decided_conflict_stays_decided_after_an_amendment() -> None:
    play = Play(TWO).go().decide("2")
    assert play.get("score") == 1
    play.rule(Amend("3", code="def value_worth(player): return 5\n"))
    assert play.go().get("score") == 1
