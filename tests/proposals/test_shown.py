"""One proposal as it is shown, with its votes."""

import pytest

from nomoledger.errors import UnknownError
from nomoledger.game.game import Game

from .fines import NOON, amend, changes


def test_a_proposal_is_shown_with_its_changes_as_a_diff(game: Game) -> None:
    new = "def value_fine() -> Number:\n    return amount\n"
    data = amend("I.2", parameters={"amount": 20}, functions={"value_fine": new}, prose="Short.")
    game.propose("Ann", "Dear", changes(data, {"repeal": "I.3"}), at=NOON)
    shown = game.proposal(1)
    assert (shown.by, shown.text, shown.state, shown.carried_out) == ("Ann", "Dear", "open", False)
    first, second = shown.changes
    assert [(v.name, v.old, v.new) for v in first.values] == [("amount", 10, 20)]
    assert "-    return min(amount, most)" in first.code
    assert "+    return amount" in first.code
    assert "+Short." in first.prose
    assert second.what == "repeal rule I.3 Being late"
    game.judge(1, "accepted", at=NOON)
    game.rule("dearer", changes=changes(amend("I.2", parameters={"amount": 30})), at=NOON)
    after = game.proposal(1)
    assert (after.verdict, after.carried_out) == ("accepted", True)
    assert after.changes == shown.changes


def test_secret_votes_are_shown_to_those_who_cast_them(game: Game) -> None:
    game.propose("Ann", "Text", at=NOON)
    game.vote("Bob", 1, "no", at=NOON)
    game.vote("Bob", 1, "yes", at=NOON)
    assert game.vote("Bob", 1, "maybe", at=NOON).refusals
    game.vote("Cal", 1, "no", at=NOON)
    assert game.proposal(1).votes == {"Bob": "yes", "Cal": "no"}
    assert game.proposal(1, reader="Bob").votes == {"Bob": "yes"}
    assert game.proposal(1, reader=None).votes == {}


def test_a_proposal_that_there_is_not(game: Game) -> None:
    with pytest.raises(UnknownError, match="there is no proposal 7"):
        game.proposal(7)
