"""What the desk of a player offers: refused actions with reasons, rows of lists, open things."""

import re

import pytest

import nomoledger
from nomoledger.rulebook.changes import parse_changes
from nomoledger.web.game_host import GameHost
from web.browsers import Browser
from web.conftest import EnterAs
from web.opened_game import BEGIN

#: Rules of a game in which players rest, cast spells, and swap squares.
RULES = """
- enact:
    number: X.6
    title: Resting
    prose: Nobody rests before the game is paused.
    declares: {game: {paused_by: Text}}
    told: {game.paused_by: {set: "the game is paused by {value}", none: "the game goes on"}}
    code: |
      def action_rest(player: Player):
          move(player, get(player, "square"))

      def forbid_rest():
          if get("game", "paused_by") == None:
              return "nobody rests while the game goes on"

      def action_pause(player: Player):
          set("game", "paused_by", label(player))
- enact:
    number: X.7
    title: Spells
    prose: A spell needs a word.
    code: |
      def action_cast(player: Player, word: Text = None):
          set(player, "name", word)

      def forbid_cast(word):
          if word == None:
              return "say the word"
- enact:
    number: X.8
    title: Swaps
    prose: Squares change hands once the taker agrees.
    declares: {swap: {number: Number key, squares: List, offered_at: Time}}
    code: |
      def action_offer(player: Player, squares: Player | Square = []):
          "Lists of [giver, taker, square]."
          create("swap", {"number": 1, "squares": squares, "offered_at": now()})

      def action_agree(player: Player, swap: Swap):
          for giver, taker, square in get(swap, "squares"):
              set(square, "owner", taker)
          destroy(swap)

      def forbid_agree(player, swap):
          if player != get(swap, "squares")[0][1]:
              return "the taker agrees"
- enact:
    number: X.9
    title: Votes
    prose: Votes decide, and nobody else.
    uses: [votes-1]
    code: |
      def forbid_judge():
          return "votes decide"
"""


@pytest.fixture
def ledger_file(ledger_file: str) -> str:
    """Adds the rules to the game of all tests."""
    with nomoledger.open(ledger_file) as ledger:
        changes = parse_changes(RULES, "rules")
        ledger.game("mail").rule("resting, spells and swaps", changes=changes, at=BEGIN)
    return ledger_file


def ask_for(player: Browser, action: str, fields: dict[str, str]) -> str:
    """Fill in the form of *action*, and send it after the trial."""
    player.open(f"/games/mail/play/act/{action}")
    player.send(fields, to="/play/try")
    return player.send({}, to="/play/submit")


def test_an_action_that_the_rules_refuse_is_listed_with_the_reason(enter_as: EnterAs) -> None:
    ann = enter_as("Ann")
    assert "Rest : nobody rests while the game goes on by X.6" in ann.open("/games/mail/play")
    ask_for(ann, "pause", {})
    assert "nobody rests while the game goes on" not in ann.open("/games/mail/play")


def test_what_the_rules_tell_of_the_game_as_it_is_stands_on_every_desk(enter_as: EnterAs) -> None:
    ann, bob = enter_as("Ann"), enter_as("Bob")
    assert "paused by" not in bob.open("/games/mail/play")
    ask_for(ann, "pause", {})
    assert "The game is paused by Ann." in bob.open("/games/mail/play")


def test_an_action_that_needs_a_field_that_may_be_left_out_is_offered(enter_as: EnterAs) -> None:
    ann = enter_as("Ann")
    assert "Cast Rule X.7" in ann.open("/games/mail/play")
    ann.open("/games/mail/play/act/cast")
    assert "say the word (rule X.7)" in ann.send({}, to="/play/try")
    assert "Done" in ask_for(ann, "cast", {"with-word": "Abracadabra"})


def test_a_list_of_rows_has_a_field_for_each_value_of_a_row(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann, bob = enter_as("Ann"), enter_as("Bob")
    form = ann.open("/games/mail/play/act/offer")
    assert "giver Ann Bob taker Ann Bob square " in form
    rows = {"giver": "Ann", "taker": "Bob", "square": "5"}
    assert "Done" in ask_for(ann, "offer", {f"with-squares.0.{k}": v for k, v in rows.items()})
    offer = bob.open("/games/mail/play")
    assert "Agree: swap 1 Squares Ann, Bob, 5" in offer
    assert re.search(r"Offered at \d{4}-\d\d-\d\d \d\d:\d\d UTC", offer)
    assert "Offered at</dt><dd><time datetime=" in bob.text
    assert "Agree: swap 1" not in ann.open("/games/mail/play")
    bob.send({}, button="Agree")
    assert "Bob now owns square 5" in bob.send({}, button="Do it")


def test_the_admin_is_not_offered_a_verdict_that_the_rules_would_refuse(enter_as: EnterAs) -> None:
    admin, ann = enter_as("admin"), enter_as("Ann")
    ann.open("/games/mail/proposals/new")
    ann.send({"text": "Blue only", "do": "send"}, to="/proposals/draft")
    assert "The votes decide." in admin.open("/games/mail/admin")
    assert "/admin/judge" not in admin.text
