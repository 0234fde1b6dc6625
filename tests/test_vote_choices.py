"""Which choices a vote has, found by trying what the rules name."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import nomoledger
from nomoledger.engine.form_arguments import arguments_in
from nomoledger.engine.vote_choices import VoteChoices, vote_choices
from nomoledger.game.game import Game
from nomoledger.rulebook.changes import parse_changes
from nomoledger.sandbox.sandbox import call_in_sandbox

#: A Monday.
BEGIN = datetime(2026, 11, 23, tzinfo=UTC)
VOTES = "enact: {number: X.9, title: Votes, prose: Everybody votes as he likes., uses: [votes-1]}"


def choices(game: Game, player: str) -> VoteChoices:
    return call_in_sandbox(vote_choices, game.world, player, 1, kind=VoteChoices)


@pytest.mark.slow
def test_the_rules_of_weekly_vote_take_three_choices_on_the_days_of_votes(tmp_path: Path) -> None:
    with nomoledger.open(tmp_path / "game.db", create=True) as ledger:
        game = ledger.create_game("weekly", "weekly-vote", at=BEGIN)
        for name in ("Ann", "Bob"):
            game.join(name, {"email": f"{name.lower()}@example.org"}, at=BEGIN)
        game.propose("Ann", "Nothing", at=BEGIN)
        assert choices(game, "Bob") == VoteChoices()
        for days in range(1, 7):
            game.advance(at=BEGIN + timedelta(days=days))
            if choices(game, "Bob").choices:
                break
        assert choices(game, "Bob") == VoteChoices(("yes", "no", "abstain"))


def test_where_the_rules_refuse_no_choice_any_text_is_one(tmp_path: Path) -> None:
    with nomoledger.open(tmp_path / "game.db", create=True) as ledger:
        game = ledger.create_game("mail", "mail-opening", at=BEGIN)
        game.join("Ann", {"email": "ann@example.org"}, at=BEGIN)
        game.propose("Ann", "Nothing", at=BEGIN)
        assert choices(game, "Ann") == VoteChoices()
        game.rule("there are votes", changes=parse_changes(VOTES, "votes"), at=BEGIN)
        assert choices(game, "Ann") == VoteChoices(("yes", "no"), is_free=True)
        assert not game.vote("Ann", 1, "any choice at all").refusals


def test_texts_of_a_form_get_the_types_of_the_rules(tmp_path: Path) -> None:
    with nomoledger.open(tmp_path / "game.db", create=True) as ledger:
        game = ledger.create_game("mail", "mail-opening", at=BEGIN)
        game.join("Ann", {"email": "ann@example.org"}, at=BEGIN)
        given = {"square": ["9"], "name": [" 12 "], "left_out": [""]}
        found = game.engine.ask(arguments_in, "name_square", given, kind=dict[str, Any])
        assert found == {"square": "9", "name": "12"}
        priced = {"price": ["25"], "seller": ["Ann"]}
        found = game.engine.ask(arguments_in, "deal", priced, kind=dict[str, Any])
        assert found == {"price": 25, "seller": "Ann"}
