"""The history of the rules: changes with their authorities, differences, and blame."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nomoledger.errors import UnknownError
from nomoledger.events.rules import Amend, Enact, Renumber, Repeal, Rule
from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView, Table
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load
from nomoledger_projections.proposals import proposals
from nomoledger_projections.rules_in_force import rules
from nomoledger_projections.ruleset import ruleset
from nomoledger_projections.ruleset_blame import blame
from nomoledger_projections.ruleset_diff import diff

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
LATER = NOON + timedelta(days=7)
NEW = Rule(number="X.1", title="New", prose="Words.\nMore.", text_only="for a test")


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    """Two periods. A proposal amends and a ruling enacts, then a ruling renumbers and repeals."""
    with Ledger.open(tmp_path / "g.db", create=True) as ledger:
        game = open_game(ledger, "g", load("mail-opening"), dice_from="entered", at=NOON)
        game.join("Ann", {"email": "a@x.org"}, at=NOON)
        amend = Amend("IV.1", parameters={"starting_money": 5})
        game.propose("Ann", "less money", (amend,), at=NOON)
        game.judge(1, "accepted", at=NOON)
        game.enter_dice([1, 2], at=NOON)
        game.rule("as it was played", changes=(Enact(NEW),), basis="inferred", at=NOON)
        game.close(at=NOON)
        changes = (Renumber("X.1", "X.2"), Amend("X.2", prose="Words.\nLess."), Repeal("I.5"))
        assert not game.rule("in order", changes=changes, cites=("X.1",), at=LATER).refusals
        game.close(at=LATER)
        yield game


def view(game: Game, period: int | None = None) -> LedgerView:
    return LedgerView(game.ledger, game.name, period)


def test_every_change_has_its_authority(game: Game) -> None:
    found = [each for each in ruleset(view(game)).changes if each.authority.source != "rulebook"]
    assert [(each.done, each.rule.number, each.period) for each in found] == [
        ("amended", "IV.1", 1),
        ("enacted", "X.1", 1),
        ("renumbered", "X.2", 2),
        ("amended", "X.2", 2),
        ("repealed", "I.5", 2),
    ]
    proposal, inferred, ruling = (found[place].authority for place in (0, 1, 2))
    assert (proposal.by, proposal.text, proposal.verdict) == ("Ann", "less money", "accepted")
    assert (inferred.source, inferred.inferred, ruling.inferred) == ("ruling 1", True, False)
    assert ruling.cites == ("X.1",)
    told = list(ruleset(view(game)).show())
    assert told[0] == "#1 to #27 period 1, 2026-01-05: 27 rules enacted by rulebook"
    assert "rule X.1 (now X.2) New is renumbered by ruling 2 (cites X.1): in order" in str(told[3])


def test_the_rules_at_each_close_are_those_that_were_in_force(game: Game) -> None:
    history = ruleset(view(game))
    for period in (1, 2):
        in_force = {rule.number: rule for rule in view(game, period).world.rules}
        assert {rule.number: rule for rule in history.at(period).values()} == in_force
        assert {each.number for each in rules(view(game, period)).rules} == set(in_force)
    assert len(history.at(0)) == 27


def test_differences_are_listed_rule_by_rule(game: Game) -> None:
    found = {each.number: each for each in diff(view(game), before=1, after=2).differences}
    assert list(found) == ["I.5", "X.2"]
    assert found["I.5"].done == ("repealed",)
    assert found["I.5"].now is None
    assert found["X.2"].done == ("renumbered (was X.1)", "amended")
    assert found["X.2"].prose[-3:] == (" Words.", "-More.", "+Less.")
    assert found["X.2"].code == ()
    assert [each.split(" (")[0] for each in found["X.2"].by] == ["ruling 2"]


def test_differences_go_both_ways_and_from_the_opening(game: Game) -> None:
    opening = {each.number: each for each in diff(view(game), before=0, after=1).differences}
    assert opening["IV.1"].parameters[-2:] == ("-starting_money = 1000", "+starting_money = 5")
    assert opening["X.1"].done == ("enacted",)
    back = {each.number: each for each in diff(view(game), before=2, after=0).differences}
    assert back["X.2"].done == ("repealed",)
    assert back["I.5"].done == ("enacted",)
    (same,) = diff(view(game), before=1, after=1).show()
    assert same == "the rules are the same at the close of periods 1 and 1"
    with pytest.raises(UnknownError, match="no period 7; the periods are 1 to 3, and 0 for the"):
        diff(view(game), before=1, after=7)


@pytest.mark.parametrize("number", ["X.1", "X.2"])
def test_blame_follows_renumberings(game: Game, number: str) -> None:
    found = blame(view(game), number=number)
    assert (found.number, found.in_force) == ("X.2", True)
    assert [(each.name, each.done) for each in found.versions] == [
        ("X.1@1", "is enacted"),
        ("X.2@1", "is renumbered (was X.1)"),
        ("X.2@2", "is amended"),
    ]
    assert found.versions[2].prose[-2:] == ("-More.", "+Less.")


def test_blame_of_a_repealed_rule_and_of_an_unknown_one(game: Game) -> None:
    found = blame(view(game), number="I.5")
    assert not found.in_force
    assert "(not in force)" in str(next(iter(found.show())))
    again = Enact(Rule(number="I.5", title="Again", prose="Anew.", text_only="for a test"))
    game.rule("again", changes=(again,), at=LATER)
    back = blame(view(game), number="I.5")
    assert [each.done for each in back.versions] == ["is enacted", "is repealed", "is enacted"]
    assert back.in_force
    with pytest.raises(UnknownError, match="there has been no rule 'XX'"):
        blame(view(game), number="XX")


def test_proposals_have_their_verdict(game: Game) -> None:
    game.propose("Ann", "nothing", (), at=LATER)
    found = proposals(view(game))
    assert [(each.number, each.by, each.verdict) for each in found.proposals] == [
        (1, "Ann", "accepted"),
        (2, "Ann", None),
    ]
    (table,) = found.show()
    assert isinstance(table, Table)
    assert table.rows[1] == ("2", "Ann", "undecided", "", "", "nothing")
