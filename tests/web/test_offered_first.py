"""What a player is offered where rules keep requests until later, and what forms know to ask."""

import html5lib
import pytest

import nomoledger
from nomoledger.rulebook.changes import parse_changes
from web.browsers import Browser
from web.conftest import EnterAs
from web.opened_game import BEGIN

#: Rules of a game in which every request waits.
RULES = """
- enact:
    number: X.6
    title: Dyes
    prose: Dyes are red, green or blue. Nobody has more than 5 cans.
    parameters: {colors: [red, green, blue], most_cans: 5}
    declares: {game: {dyed: Text}}
    code: |
      def action_dye(player: Player, color: Text, cans: Number = 1):
          set("game", "dyed", color)

      def forbid_dye(player, color, cans):
          if color not in colors:
              return "nobody sells " + color
          if cans < 1 or cans > most_cans:
              return "one takes 1 to %s cans" % most_cans
- enact:
    number: X.7
    title: Wings
    prose: Who has wings flies. Everybody rests, and rests often.
    declares: {game: {rested: Number}}
    code: |
      def action_fly(player: Player):
          set("game", "rested", 0)

      def forbid_fly(player):
          return "%s has no wings" % label(player)

      def action_doze(player: Player):
          "The player dozes."
          set("game", "rested", 1)

      def action_rest(player: Player):
          "The player rests."
          set("game", "rested", 2)
- enact:
    number: X.8
    title: Waiting
    prose: What is asked for waits.
    declares: {wish: {by: Player, action: Text, said: List}}
    told: {wish: {created: ""}}
    code: |
      def instead_act(proceed, player, action, arguments):
          create("wish", {"by": player, "action": action, "said": arguments[1:]})
"""


@pytest.fixture
def ledger_file(ledger_file: str) -> str:
    """Adds the rules to the game; Bob has asked to rest."""
    with nomoledger.open(ledger_file) as ledger:
        game = ledger.game("mail")
        game.rule("dyes, wings and waiting", changes=parse_changes(RULES, "rules"), at=BEGIN)
        game.submit("Bob", "rest", at=BEGIN)
    return ledger_file


def test_what_would_succeed_is_offered_first_and_what_is_used_most_before_the_rest(
    enter_as: EnterAs,
) -> None:
    shown = enter_as("Ann").open("/games/mail/play")
    assert "The rules keep most requests until later, such as until period 1 closes" in shown
    others = shown.index("Other actions (")
    assert shown.index("The player rests.") < shown.index("The player dozes.") < others
    refused = "Fly Rule X.7. As things are, it would be refused: Ann has no wings (rule X.7)."
    assert shown.index(refused) > others
    assert shown.index("Dye Rule X.6.") > others


def test_forms_list_the_words_that_the_rules_know_and_the_bounds_of_numbers(
    enter_as: EnterAs,
) -> None:
    ann = enter_as("Ann")
    form = ann.open("/games/mail/play/act/dye")
    assert options_of(ann, "act-color") == ["", "blue", "green", "red"]
    assert "cans (1 to 5, as things are)" in form
    assert 'type="number" step="any" min="1"' in ann.text
    assert "Nothing that you could see" in ann.send({"with-color": ["", "pink"]}, to="/play/try")
    ann.open("/games/mail/play/act/name_square")
    assert options_of(ann, "act-name") == []
    ann.open("/games/mail/orders/draft")
    ann.send({"next": "dye", "do": "choose"}, to="/draft")
    assert options_of(ann, "act-color") == ["", "blue", "green", "red"]


def options_of(browser: Browser, field: str) -> list[str]:
    """Return what can be chosen in the list with the id *field* of the page; nothing for a text."""
    tree = html5lib.parse(browser.text, namespaceHTMLElements=False)
    lists = (each for each in tree.iter("select") if each.get("id") == field)
    return [(option.text or "").strip() for each in lists for option in each.iter("option")]
