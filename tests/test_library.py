"""The library: a ledger is opened, a game is played and read, and everything says what it is."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import nomoledger
from nomoledger import Game, GameLedger, Outcome, WhatIfChanges

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[GameLedger]:
    with nomoledger.open(tmp_path / "game.db", create=True) as opened:
        yield opened


@pytest.fixture
def game(ledger: GameLedger) -> Game:
    game = ledger.create_game("mail", "mail-opening", settings={"squares": 16}, at=NOON)
    game.join("Ann", {"email": "ann@example.org"}, at=NOON)
    game.join("Bob", {"email": "bob@example.org"}, at=NOON)
    return game


def test_a_ledger_gives_its_games_by_name_or_the_only_one(ledger: GameLedger, game: Game) -> None:
    assert ledger.game().name == ledger.game("mail").name == game.name == "mail"
    with pytest.raises(nomoledger.UnknownError):
        ledger.game("chess")


def test_a_ledger_that_does_not_exist_is_only_made_on_request(tmp_path: Path) -> None:
    with pytest.raises(nomoledger.UnknownError):
        nomoledger.open(tmp_path / "nowhere.db")


def test_values_say_what_they_are(ledger: GameLedger, game: Game) -> None:
    assert repr(ledger).startswith("<GameLedger ")
    assert repr(ledger).endswith("game.db: mail>")
    assert repr(game).startswith("<Game 'mail' in ")
    assert "period 1" in repr(game)
    refused = game.submit("Ann", "buy", {"square": 4})
    why = "this square is not on offer to that player (VIII.3@1)"
    assert repr(refused) == f"<Outcome: 2 events, refused: {why}>"


def test_a_request_repeated_under_its_id_returns_its_first_outcome(game: Game) -> None:
    first = game.submit("Ann", "buy", {"square": 4}, at=NOON, id="one")
    again: Outcome = game.submit("Ann", "buy", {"square": 4}, at=NOON, id="one")
    assert again.events == first.events


def test_a_proposal_changes_a_rule_and_play_goes_on(game: Game) -> None:
    changes = nomoledger.read_changes([{"amend": "V.1", "parameters": {"dollars_per_number": 20}}])
    game.propose("Ann", "A square costs twenty dollars a number", changes, at=NOON)
    game.judge(1, "accepted", at=NOON)
    rule = game.world.rule("V.1")
    assert rule is not None
    assert rule.parameters["dollars_per_number"] == 20


def test_a_closed_period_is_replayed_and_published(game: Game, tmp_path: Path) -> None:
    game.close(at=NOON)
    report = game.replay(1)
    assert (report.exact, report.period) == (True, 1)
    assert game.replay(1, from_start=True) == report
    assert game.publish(tmp_path / "site") > 10
    assert (tmp_path / "site" / "index.html").exists()
    with pytest.raises(nomoledger.UsageError, match="no publisher 'paper' is installed"):
        game.publish(tmp_path / "site", publisher="paper")


def test_a_game_explains_itself(game: Game) -> None:
    statement = game.explain("Ann", "money")
    assert getattr(statement, "balance", None) == 1000
    assert getattr(game.explain(0), "event", None) == 0
    assert game.bisect("money(Ann) == 1000").event is not None
    assert game.why_not("buy", "Ann", period=1).lines
    with pytest.raises(nomoledger.UsageError, match="explain what of Ann"):
        game.explain("Ann")


def test_a_what_if_leaves_the_ledger_as_it_is(game: Game) -> None:
    head = game.ledger.head("mail")
    joined = next(x.number for x in game.history.entries() if getattr(x.body, "name", "") == "Bob")
    without = nomoledger.events.LeftOut(joined)
    found = game.what_if(WhatIfChanges(edits=(without,)))
    assert [place.player for place in found.places if place.rerun_rank is None] == ["Bob"]
    assert game.ledger.head("mail") == head


def test_standings_are_a_read_model(game: Game) -> None:
    rows = getattr(game.standings(), "standings", ())
    assert [row.player for row in rows] == ["Ann", "Bob"]


def test_a_hand_kept_record_is_imported(ledger: GameLedger) -> None:
    record = Path(__file__).parents[1] / "replays" / "origon-week1.jsonl"
    game = ledger.import_record(record)
    assert game.replay(1).mode == "audit"
