"""mail on a ledger: an empty Team changes the rules, and play goes on under the new ones."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from nomoledger import events as e
from nomoledger.errors import UsageError
from nomoledger.events.rules import Do, Repeal
from nomoledger.game.game import Game
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

START = datetime(2002, 3, 1, 10, tzinfo=UTC)
PLAYERS = ("Ann", "Bob", "Cid", "Di")
BECOMES_A_FREEMASON = (Do("make_freemason", {"player": "Ann"}),)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Game]:
    """Return a game of four players in which the Team of one has just lost its only member."""
    book = load("mail").with_settings({"squares": 40, "VIII.11.dollars": 0})
    with Ledger.open(tmp_path / "game.db", create=True) as ledger:
        game = open_game(ledger, "g", book, secret=b"s" * 32, at=START)
        for player in PLAYERS:
            game.join(player, {"email": f"{player}@example.org"}, at=START)
        game.rule("Ann is a Freemason.", changes=BECOMES_A_FREEMASON, at=START)
        yield game


def numbers(game: Game) -> set[str]:
    return {rule.number for rule in game.world.rules}


def events(game: Game, kind: type[Any]) -> list[Any]:
    return [entry.body for entry in game.ledger.read("g") if isinstance(entry.body, kind)]


@pytest.mark.slow
def test_the_new_wordings_are_recorded_cited_and_replayed(desk: Game) -> None:
    desk.rule("So be it.", value="as is prepared", at=START + timedelta(hours=1))
    amended = {event.rule.name: event for event in events(desk, e.RuleAmended)}
    repealed = {event.number for event in events(desk, e.RuleRepealed)}
    assert {"II.3@2", "IV.5@2", "XVI.4@2", "XIX.4@2", "XXXIV.3@2"} <= set(amended)
    assert {"II.5", "II.8.4", "VI.6", "XXVIII.5", "XXVIII.6"} == repealed
    assert all("Team" not in event.rule.prose for event in amended.values())
    fine = (Do("fine", {"player": "Bob", "amount": 1500, "why": "a test"}),)
    desk.rule("Bob is fined.", changes=fine, at=START + timedelta(hours=2))
    (mark,) = [x for x in events(desk, e.AttributeSet) if x.attribute == "bad_credit"]
    assert mark.rules[0] == "IV.5@2"
    desk.close(at=START + timedelta(days=7))
    assert desk.ledger.verify("g").ok
    assert replay(desk.ledger, "g", 1).exact


@pytest.mark.slow
def test_players_are_heard_while_the_admin_thinks_it_over(desk: Game) -> None:
    desk.submit("Cid", "become_freemason", {}, at=START + timedelta(days=20))
    assert desk.world.waiting is not None
    assert desk.world.waiting.to == "admin"
    urgent = (Repeal("XXXIV.3"),)
    desk.rule("No Suicide.", changes=urgent, urgent=True, at=START + timedelta(days=21))
    desk.rule("Not yet.", value="not yet", at=START + timedelta(days=21))
    assert desk.world.waiting is None
    assert {"II.5", "VI.6"} <= numbers(desk)
    desk.close(at=START + timedelta(days=21))
    assert "II.3 Teams and Freemasons (amend)" in desk.waiting("ruling").text
    assert "XXXIV.3" not in desk.waiting("ruling").text
    desk.rule("Now.", value="as is prepared", at=START + timedelta(days=22))
    assert desk.world.period == 2
    assert not {"II.5", "VI.6", "XXXIV.3"} & numbers(desk)
    teams = {player: desk.world.get(player, "team") for player in PLAYERS}
    assert teams == {"Ann": "Freemason", "Bob": None, "Cid": "Freemason", "Di": None}


def test_the_admin_lets_the_default_stand_for_a_player_who_is_away(desk: Game) -> None:
    desk.rule("So be it.", value="as is prepared", at=START)
    jump = (Do("jump", {"piece": "Bob", "square": 8}),)
    desk.rule("Bob lands.", changes=jump, at=START)
    assert desk.waiting("choice").to == "Bob"
    desk.answer_by_default(at=START)
    (answer,) = events(desk, e.ChoiceAnswered)
    assert (answer.by, answer.value) == ("admin", "no")
    assert desk.world.waiting is None
    with pytest.raises(UsageError, match="no question is open"):
        desk.answer_by_default(at=START)
