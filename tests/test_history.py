"""The history: running text, one paragraph per submission, without secrets."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nomoledger.events.rules import Do
from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView
from nomoledger.game.recorded_games import find
from nomoledger.game.records import import_record
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load, parse
from nomoledger_projections.history import history
from nomoledger_projections.log import log
from nomoledger_projections.sentences import Phrase, sentences

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)

BOMBS = """
### I.1 Bombs
Words.
```yaml
secret: [plant]
declares: {player: {name: Text key}, bomb: {owner: Player}}
commodities: {gold: {places: 2}, pies: {places: 0}}
accounts: [bank]
```
```python
def define_join(name: Text):
    create("player", {"name": name}, name)
def action_plant(player: Player):
    create("bomb", {"owner": player})
def action_blast(player: Player):
    for bomb in all("bomb"):
        destroy(bomb)
    split("bank", [[each, 1] for each in all("player")], 10, "bank", "damages")
def action_bet(player: Player):
    if ask(player, "higher?", ["yes", "no"], "no") == "yes":
        pay(player, "bank", ruling("how much?", [1, 2]), "bet")
    mint(player, 2, commodity = "pies")
```
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "g.db", create=True) as opened:
        yield opened


def told(game: Game, reader: str | None = None, only: int | None = None) -> list[str]:
    view = LedgerView(game.ledger, game.name, None, reader)
    return [
        each.text for chapter in history(view, only=only).chapters for each in chapter.paragraphs
    ]


def test_consecutive_phrases_about_one_person_are_one_sentence() -> None:
    said = [
        Phrase("Ann", "rolls 1"),
        Phrase("Ann", "walks"),
        Phrase("Ann", "pays"),
        Phrase(None, "so be it"),
    ]
    assert sentences(said) == "Ann rolls 1, walks and pays. So be it."
    assert sentences([Phrase("Ann", "rolls 1"), Phrase("Ann", "rolls 2", fresh=True)]) == (
        "Ann rolls 1. Ann rolls 2."
    )
    assert (
        sentences([Phrase(None, "called “Corp.”"), Phrase(None, "a\nb")]) == "Called “Corp.” A b."
    )
    assert sentences([]) == ""


def test_a_week_in_words(ledger: Ledger) -> None:
    rulebook = load("mail-opening")
    game = open_game(ledger, "g", rulebook, settings={"squares": 9}, dice_from="entered", at=NOON)
    game.join("Ann", {"email": "a@x.org"}, at=NOON)
    game.join("Bob", {"email": "b@x.org"}, at=NOON)
    game.join("Bob", {"email": "b@x.org"}, at=NOON)
    game.propose("Ann", "nothing", (), at=NOON)
    game.judge(1, "rejected", at=NOON)
    game.enter_dice([3, 4], at=NOON)
    game.submit("Ann", "buy", {"square": 8}, at=NOON)
    game.submit("Ann", "name_square", {"square": 8, "name": "Mill"}, at=NOON)
    changes = (Do("fine", {"player": "Ann", "amount": 20, "why": "late"}),)
    game.rule("she was late", changes=changes, cites=("IV.2",), at=NOON)
    game.close(at=NOON + timedelta(days=1))
    assert told(game) == [
        "The game g opens under the rules of mail-opening.",
        "Ann joins, gets $1000 from admin (starting money) and starts on square 1.",
        "Bob joins, gets $1000 from admin (starting money) and starts on square 1.",
        "Bob asks to join. This is refused: there is a player called Bob already (II.1).",
        "Ann makes proposal 1 (“nothing”).",
        "Proposal 1 by Ann (“nothing”) is rejected. Ann rolls 3 and 4, goes from 1 to 8"
        " and may buy square 8 until Monday 12 January 12:00.",
        "Ann asks to buy (square 8), pays $80 to admin (square) and now owns square 8."
        " The option of Ann on square 8 has ended.",
        "Ann asks to name square (square 8, name Mill). Square 8 is now called “Mill”.",
        "Ruling 1: she was late (cites IV.2). Ann pays $20 to admin (late).",
        "Period 1 is closed.",
    ]
    assert told(game, only=2) == []
    view = LedgerView(ledger, "g")
    chapter = history(view).chapters[0]
    every = {number for each in chapter.paragraphs for number in each.events}
    assert every <= set(range(view.world.head + 1))
    assert str(chapter).startswith("Period 1\n\n05 Jan  The game g opens")


def test_a_timer_is_described_when_it_fires(ledger: Ledger) -> None:
    game = open_game(ledger, "g", load("mail-opening"), dice_from="entered", at=NOON)
    game.join("Ann", {"email": "a@x.org"}, at=NOON)
    game.propose("Ann", "nothing", (), at=NOON)
    game.judge(1, "rejected", at=NOON)
    game.enter_dice([3, 4], at=NOON)
    game.advance(at=NOON + timedelta(days=8))
    last = history(LedgerView(ledger, "g")).chapters[0].paragraphs[-1]
    assert last.text == "The option of Ann on square 8 has ended."
    assert f"{last.at:%d %b}" == "12 Jan"


def test_a_hand_kept_week_reads_like_any_other(ledger: Ledger) -> None:
    game = import_record(ledger, find("weekly-vote-season"), until=2)
    weeks = told(game, only=1), told(game, only=2)
    assert "Jamie rolls 6 and 6 and goes from 1 to 13. Jamie rolls 5 and 3" in " ".join(weeks[0])
    assert any(each.startswith("The record has 3 as the square of Jamie") for each in weeks[0])
    assert any("is rejected (vote 4-3)." in each for each in weeks[0])
    assert "Ruling 2: how squares were bought and named in week 2 (inferred from" in weeks[1][0]
    assert not any("turns_taken" in each for week in weeks for each in week)


def test_questions_are_described_with_their_answers(ledger: Ledger) -> None:
    game = open_game(ledger, "b", parse(BOMBS, "bombs.md"), at=NOON)
    game.join("Ann", at=NOON)
    game.submit("Ann", "bet", at=NOON)
    game.answer("yes", "Ann", at=NOON)
    game.rule("two will do", value=2, at=NOON)
    assert told(game)[-1] == (
        "Ann asks to bet. Ann is asked “higher?” and answers yes."
        " Ruling 1 on “how much?”: 2. two will do. Ann pays 2 gold to bank (bet)"
        " and gets 2 pies from mint."
    )


def test_a_secret_is_not_described_even_if_its_result_is_public(ledger: Ledger) -> None:
    game = open_game(ledger, "b", parse(BOMBS, "bombs.md"), at=NOON)
    game.join("Ann", at=NOON)
    game.join("Bob", at=NOON)
    game.submit("Ann", "plant", at=NOON)
    game.submit("Bob", "blast", at=NOON)
    assert any("asks to plant" in each for each in told(game, "Ann"))
    for reader in (None, "Bob"):
        assert not any("plant" in each or "Ann)" in each for each in told(game, reader))
        assert log(LedgerView(ledger, "b", None, reader)).events
    assert "pays 10 gold (damages)" in told(game)[-1]
