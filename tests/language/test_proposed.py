"""`proposed` and `wording`: what rule code reads of a proposal."""

from nomoledger import events as e
from nomoledger.events.rules import Amend, Change, Do, Enact, Renumber, Repeal, Rule, Set

from .inline import Play

CODE = """
def define_propose(player, proposal):
    set("Ann", "mark", str(proposed(proposal)))
def after_go_on(player):
    set("Ann", "mark", str(proposed(7)))
"""


def seen(*changes: Change) -> str:
    play = Play({"1": CODE})
    play.take(e.ProposalMade, by="Ann", number=3, text="x", changes=changes)
    return str(play.get("mark"))


def test_proposed_returns_a_pair_for_each_change() -> None:
    rule = Rule(number="9", title="T", prose="P.")
    assert seen(Enact(rule), Amend(number="1", title="U"), Repeal(number="2")) == (
        '[["enact", "9"], ["amend", "1"], ["repeal", "2"]]'
    )
    assert seen(Renumber("1", "4"), Do("add_square", {})) == (
        '[["renumber", "1"], ["do", "add_square"]]'
    )
    assert seen(Set("player", "Ann", "score", 2)) == '[["set", "score"]]'


def test_proposed_is_empty_without_changes_or_proposal() -> None:
    assert seen() == "[]"
    assert Play({"1": CODE}).go().get("mark") == "[]"


def test_wording_returns_the_words_of_a_proposal() -> None:
    code = """
def define_propose(player, proposal):
    set("Ann", "mark", wording(proposal) + "|" + wording(7))
"""
    play = Play({"1": code})
    play.take(e.ProposalMade, by="Ann", number=3, text="A spell.")
    assert play.get("mark") == "A spell.|"
