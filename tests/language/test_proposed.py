"""What rule code sees of a proposal: what each of its changes does."""

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


def test_each_proposed_change_is_described() -> None:
    rule = Rule(number="9", title="T", prose="P.")
    assert seen(Enact(rule), Amend(number="1", title="U"), Repeal(number="2")) == (
        '[["enact", "9"], ["amend", "1"], ["repeal", "2"]]'
    )
    assert seen(Renumber("1", "4"), Do("add_square", {})) == (
        '[["renumber", "1"], ["do", "add_square"]]'
    )
    assert seen(Set("player", "Ann", "score", 2)) == '[["set", "score"]]'


def test_a_proposal_without_changes_has_no_description() -> None:
    assert seen() == "[]"
    assert Play({"1": CODE}).go().get("mark") == "[]"
