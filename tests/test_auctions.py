"""The mechanic of auctions, in a small rulebook: its cases, and who sees a bid."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tiers import sample

from nomoledger import Ledger
from nomoledger import events as e
from nomoledger.game.game import Game
from nomoledger.game.start import open_game
from nomoledger.rulebook.cases import Case, load_cases, run_case
from nomoledger.rulebook.loading import load

HERE = Path(__file__).parent
CASES = [
    case for file in sorted((HERE / "cases/auctions").glob("*.yaml")) for case in load_cases(file)
]
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.mark.parametrize("case", sample(CASES, 3), ids=lambda case: case.name)
def test_a_case_of_the_auctions_passes(case: Case) -> None:
    assert run_case(case).difference is None


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Game]:
    """A game in which Ann, Bob and Cleo play, and square 1 is put up."""
    rulebook = load(str(HERE / "rulebooks/auctions.md")).with_settings({"squares": 1})
    with Ledger.open(tmp_path / "game.db", create=True) as ledger:
        game = open_game(ledger, "game", rulebook, at=NOON, secret=b"s" * 32)
        for name in ("Ann", "Bob", "Cleo"):
            game.join(name, at=NOON)
        game.close(at=NOON)
        yield game


def visible_to(reader: str | None, events: tuple[e.Event, ...]) -> str:
    seen = (each for each in events if each.audience is None or reader in each.audience)
    return " ".join(map(str, seen))


def test_everybody_sees_how_much_is_bid_and_only_the_bidder_that_it_was_he(desk: Game) -> None:
    desk.submit("Ann", "bid", {"lot": 1, "amount": 30}, at=NOON)
    higher = desk.submit("Bob", "bid", {"lot": 1, "amount": 40}, at=NOON).events
    assert [each.value for each in higher if isinstance(each, e.AttributeSet)] == [40]
    assert "value=40" in visible_to(None, higher)
    assert "Bob" not in visible_to(None, higher)
    assert "Bob" in visible_to("Bob", higher)
    assert not any("Ann" in visible_to(reader, higher) for reader in (None, "Bob", "Cleo"))


def test_a_bid_that_is_refused_stays_a_secret(desk: Game) -> None:
    refused = desk.submit("Ann", "bid", {"lot": 1, "amount": 5000}, at=NOON)
    assert refused.refusals
    assert visible_to(None, refused.events) == ""


def test_the_sale_is_public(desk: Game) -> None:
    desk.submit("Ann", "bid", {"lot": 1, "amount": 30}, at=NOON)
    desk.submit("Bob", "bid", {"lot": 1, "amount": 40}, at=NOON)
    for _ in range(2):
        desk.close(at=NOON)
    sold = visible_to(None, desk.close(at=NOON).events)
    assert "Bob" in sold
    assert "Ann" not in sold
