"""No order of a player can wait for what other players do in secret."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import nomoledger
from nomoledger.engine.sealed_words import sealed_words
from nomoledger.errors import UsageError
from nomoledger.events import Act
from nomoledger.events.rules import Rule
from nomoledger.rulebook.loading import load

BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)
BOXES = """
def action_hide(player: Player, what: Text):
    make_box(player, what)

def define_make_box(player, what):
    create("box", {"of": player, "what": what})
    reveal()
    set(player, "boxes", 1)

def value_boxes_of(player: Player) -> Number:
    return count_boxes(player)

def count_boxes(player):
    return len(where("box", of = player))

def value_wealth(player: Player) -> Number:
    return balance(player)
"""


def test_words_that_tell_of_secret_actions_are_found_through_what_the_code_calls() -> None:
    declares = {
        "player": {"name": "Text key", "boxes": "Number"},
        "box": {"of": "Player", "what": "Text"},
    }
    rule = Rule(
        number="I.1", version=1, title="Boxes", prose="", code=BOXES, secret=("hide",),
        declares=declares,
    )  # fmt: skip
    assert sealed_words([rule]) == {"of", "what", "boxes_of"}


def test_shipped_rules_seal_votes_but_not_what_everybody_sees() -> None:
    words = sealed_words(load("weekly-vote").rules)
    assert {"vote_of", "voter", "choice", "votes"} <= words
    assert not {"owner", "square", "state", "health"} & words


@pytest.mark.parametrize(
    ("statement", "is_allowed"),
    [
        ("vote_of(Bob, 1) == 'no'", False),
        ("closing() and not has_voted(Bob, 1)", False),
        ("money(Bob) > 5 and closing()", True),
    ],
)
def test_an_order_that_would_tell_how_another_player_votes_is_not_taken(
    tmp_path: Path, statement: str, is_allowed: bool
) -> None:
    with nomoledger.open(tmp_path / "votes.db", create=True) as ledger:
        game = ledger.create_game("votes", "weekly-vote", at=BEGIN)
        for name in ("Ann", "Bob"):
            game.join(name, {"email": f"{name}@example.org"}, at=BEGIN)
        acts = (Act("step_on_blob", {}),)
        head = game.world.head
        if is_allowed:
            game.order("Ann", statement, acts, at=BEGIN)
            assert game.world.head > head
        else:
            with pytest.raises(UsageError, match="depends on what players do in secret"):
                game.order("Ann", statement, acts, at=BEGIN)
            assert game.world.head == head
