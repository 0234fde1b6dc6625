"""Questions put to players, and votes that everybody may see."""

import pytest

import nomoledger
from nomoledger.rulebook.changes import parse_changes
from nomoledger.web.game_host import GameHost
from web.browsers import Browser
from web.conftest import EnterAs
from web.opened_game import BEGIN

#: Rules that ask, and that take any vote.
RULES = """
- enact:
    number: X.7
    title: Colors
    prose: A player says which color he likes, and how much.
    declares: {player: {color: Text, much: Number}}
    code: |
      def action_like(player: Player):
          set(player, "color", ask(player, "Which color?", ["red", "blue"]))
          set(player, "much", ask(player, "How much?"))
- enact: {number: X.9, title: Votes, prose: Everybody votes as he likes., uses: [votes-1]}
"""


@pytest.fixture
def ledger_file(ledger_file: str) -> str:
    """Adds rules that ask and take any vote, and a proposal, to the game of all tests."""
    with nomoledger.open(ledger_file) as ledger:
        game = ledger.game("mail")
        game.rule("colors and votes", changes=parse_changes(RULES, "rules"), at=BEGIN)
        game.propose("Ann", "Blue only", at=BEGIN)
    return ledger_file


def like(browser: Browser) -> None:
    """Ask for the action of the rule of colors."""
    browser.open("/games/mail/play/act/like")
    browser.send({}, to="/play/try")
    browser.send({}, to="/play/submit")


def test_a_question_has_its_options_as_buttons_and_else_a_field(enter_as: EnterAs) -> None:
    ann, bob = enter_as("Ann"), enter_as("Bob")
    like(ann)
    assert "Play waits for you Which color? red blue" in ann.open("/games/mail/play")
    assert "Play waits for Ann" in bob.open("/games/mail/play")
    assert "/play/answer" not in bob.text
    ann.send({}, button="blue")
    assert "How much? Your answer" in ann.open("/games/mail/play")
    ann.send({"value": "12"}, to="/play/answer")
    text = ann.open("/games/mail/play")
    assert "Color: blue." in text
    assert "Much: 12." in text


def test_an_answer_that_comes_late_or_twice_answers_no_other_question(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann, tab = enter_as("Ann"), enter_as("Ann")
    like(ann)
    for browser in (ann, tab):
        browser.open("/games/mail/play")
    form = ann.text
    for _ in range(2):
        ann.text = form
        assert "Done" in ann.send({}, button="red")
    text = tab.send({}, button="blue")
    assert "the question is answered already" in text
    assert "What happened since the form was shown" in text
    assert "How much?" in ann.open("/games/mail/play")


def test_another_player_cannot_answer(enter_as: EnterAs, host: GameHost) -> None:
    ann, bob = enter_as("Ann"), enter_as("Bob")
    like(ann)
    ann.open("/games/mail/play")
    bob.text = ann.text
    assert "the question is put to Ann" in bob.send({}, button="red")


def test_votes_that_everybody_may_see_are_counted_while_they_come_in(enter_as: EnterAs) -> None:
    ann, bob = enter_as("Ann"), enter_as("Bob")
    assert "Vote on proposal 1" in ann.open("/games/mail/play")
    ann.send({"choice": "perhaps"}, to="/play/vote", button="Vote")
    assert "1 perhaps" in bob.open("/games/mail/play")
    bob.send({}, button="Yes")
    text = ann.open("/games/mail/play")
    assert "1 perhaps, 1 yes You voted perhaps." in text
    assert "Ann : perhaps Bob : yes" in ann.open("/games/mail/proposals/1")
