"""A game that was opened before its records were lost is not played on as if they were there."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from test_keepers import BOOK

from nomoledger.errors import ConflictError, StoreError
from nomoledger.game.exchange import copy_ledger
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.memory import MemoryStore
from nomoledger.rulebook.loading import parse

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def game() -> Iterator[Game]:
    game = open_game(Ledger(MemoryStore()), "a", parse(BOOK, "counting.md"), at=NOON)
    yield game
    game.engine.close()


@pytest.fixture
def standby(game: Game) -> Ledger:
    """A copy of the game, to which what follows is not copied."""
    ledger = Ledger(MemoryStore())
    copy_ledger(game.ledger, ledger)
    return ledger


def joins(*names: str) -> Callable[[Ledger], None]:
    def play(ledger: Ledger) -> None:
        for name in names:
            with_them = Game(ledger, "a")
            with_them.join(name, at=NOON)
            with_them.engine.close()

    return play


@pytest.mark.parametrize(
    "meanwhile", [joins(), joins("Bob"), joins("Bob", "Cid")], ids=["shorter", "equal", "longer"]
)
def test_a_game_whose_last_record_was_lost_is_opened_again(
    game: Game, standby: Ledger, meanwhile: Callable[[Ledger], None]
) -> None:
    game.join("Ann", at=NOON)  # which only the lost server has
    meanwhile(standby)
    head = standby.head("a")
    game.ledger.store = standby.store
    for _ in range(2):
        with pytest.raises(StoreError, match=r"another history than before.*open the ledger again"):
            game.join("Dot", at=NOON + timedelta(minutes=1))
    assert standby.head("a") == head
    again = Game(standby, "a")
    again.join("Dot", at=NOON + timedelta(minutes=1))
    again.engine.close()


def test_a_game_goes_on_with_what_others_have_recorded_in_its_own_history(
    game: Game, standby: Ledger
) -> None:
    joins("Bob")(standby)
    game.ledger.store = standby.store
    assert not game.join("Ann", at=NOON).refusals
    assert game.world.find("player", "Bob") is not None


def test_a_game_without_events_can_be_opened_and_played() -> None:
    ledger = Ledger(MemoryStore())
    ledger.add_game("a")
    empty = Game(ledger)
    assert len(empty.join("Ann", at=NOON).events) == ledger.head("a").number + 1 > 0
    empty.engine.close()


def test_a_batch_is_appended_only_to_the_head_that_is_expected(game: Game, standby: Ledger) -> None:
    first = game.ledger.head("a")
    events = game.join("Ann", at=NOON).events
    joins("Bob")(standby)
    with pytest.raises(StoreError, match="another history") as refusal:
        standby.append("a", events, expected=game.ledger.head("a"))
    assert not isinstance(refusal.value, ConflictError)
    with pytest.raises(ConflictError):
        standby.append("a", events, expected=first)
