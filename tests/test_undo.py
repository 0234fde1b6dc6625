"""Taking back the last request."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from nomoledger.errors import UsageError
from nomoledger.game.game import Game
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

NOON = datetime(2002, 3, 1, 12, tzinfo=UTC)


def record_waiting_turn(ledger: Ledger) -> None:
    """A game with real dice, in which Ann's turn waits for them."""
    players: dict[str, Any] = {"players": {"Ann": {}, "Bob": {}}}
    book = load("mail-opening")
    desk = open_game(ledger, "g", book, given=players, dice_from="entered", at=NOON)
    desk.propose("Ann", "nothing", (), at=NOON)
    desk.judge(1, "rejected", at=NOON)


@pytest.fixture
def desk(copy_of: Callable[[Callable[[Ledger], object]], Path]) -> Iterator[Game]:
    with Ledger.open(copy_of(record_waiting_turn)) as ledger:
        yield Game(ledger, "g")


def test_a_request_waiting_behind_a_question_can_be_undone(desk: Game) -> None:
    desk.propose("Bob", "a mistake", (), at=NOON)
    assert 2 in desk.world.proposals
    desk.undo(at=NOON)
    assert 2 not in desk.world.proposals
    desk.enter_dice([1, 2], at=NOON)
    assert desk.world.kinds["proposal"] == ("proposal:1",)
    assert desk.world.label(desk.world.get("Ann", "square")) == 4
    assert replay(desk.ledger, "g", 1).exact


def test_a_request_that_was_carried_out_cannot_be_undone(desk: Game) -> None:
    desk.enter_dice([1, 2], at=NOON)
    with pytest.raises(UsageError, match="nothing to take back"):
        desk.undo(at=NOON)


def test_a_turn_waiting_for_its_dice_can_be_undone(desk: Game) -> None:
    desk.undo(at=NOON)
    assert desk.world.waiting is None
    assert desk.world.agenda == ()
    assert desk.world.label(desk.world.get("Ann", "square")) == 1


def test_a_request_cannot_be_undone_after_a_die_was_seen(desk: Game) -> None:
    book = load(str(Path(__file__).parent / "rulebooks" / "proof.md"))
    given: dict[str, Any] = {"players": {"Ann": {}}}
    other = open_game(desk.ledger, "h", book, given=given, secret=b"s" * 32, at=NOON)
    other.submit("Ann", "take_turn", at=NOON, id="turn")
    assert other.waiting("choice").text.startswith("buy")
    with pytest.raises(UsageError, match="a die or an answer was seen"):
        other.undo(at=NOON)
