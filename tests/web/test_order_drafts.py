"""Standing orders with several actions, made and changed in the browser."""

import re

from nomoledger.prose.statement_words import statement_words
from nomoledger.web.game_host import GameHost
from web.conftest import EnterAs


def test_an_order_of_two_actions_is_placed_shown_in_words_and_replaced(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann = enter_as("Ann")
    ann.open("/games/mail/orders/draft")
    for action, more in (("buy", {}), ("name_square", {"with-name": "Tea"})):
        assert "Put it into the order" in ann.send({"next": action, "do": "choose"}, to="/draft")
        ann.send({"with-square": "9", "do": "add", **more}, to="/draft")
    wrong = ann.send({"when": "squar(Ann) == 9", "do": "place"}, to="/draft")
    assert "squar" in wrong
    assert "name Tea" in wrong
    right = {"when": "square(Ann) == 9", "holds": "money(Ann) >= 400", "until": "period"}
    form = ann.text
    assert "Done" in ann.send({**right, "do": "place"}, to="/orders/draft")
    head = host.head("mail")
    ann.text = form
    ann.send({**right, "do": "place"}, to="/orders/draft")
    assert host.head("mail") == head
    shown = ann.open("/games/mail/play")
    assert "as soon as square of Ann is 9" in shown
    assert "money of Ann is at least 400 and the number of the period is 1" in shown
    change = re.search(r'href="([^"]*/orders/draft\?replaces=[^"]+)"', ann.text)
    assert change is not None
    ann.open(change[1])
    ann.send({"when": "square(Ann) == 9", "do": "drop-1"}, to="/draft")
    assert "Done" in ann.send({"when": "square(Ann) == 8", "do": "place"}, to="/orders/draft")
    shown = ann.open("/games/mail/orders")
    assert "square of Ann is 8" in shown
    assert "square of Ann is 9" not in shown
    assert "Tea" not in shown
    assert "square of Ann" not in enter_as("Bob").open("/games/mail/orders")


def test_a_guard_is_chosen_from_what_the_rules_declare_and_shown_in_words(
    enter_as: EnterAs,
) -> None:
    ann = enter_as("Ann")
    form = ann.open("/games/mail/orders/draft")
    assert "I have at least … $" in form
    assert "the owner of square … is nobody" in form
    ann.send({"next": "buy", "do": "choose"}, to="/draft")
    ann.send({"with-square": "9", "do": "add"}, to="/draft")
    when = {"when": "closing()", "when-common": "owner(…) == none", "when-value": "9"}
    guard = {"holds-common": "money(Ann) >= …", "do": "place"}
    lacking = ann.send({**when, **guard}, to="/orders/draft")
    assert "'money(Ann) >= …' lacks a value: say what … stands for" in lacking
    assert "In words: the period is about to close and owner of 9 is none" in lacking
    said = {"when": "closing() and owner(9) == none", "holds-value": "400"}
    assert "Done" in ann.send({**said, **guard}, to="/orders/draft")
    assert "only as long as money of Ann is at least 400" in ann.open("/games/mail/orders")


def test_an_order_cannot_find_out_the_address_of_somebody(enter_as: EnterAs) -> None:
    ann = enter_as("Ann")
    ann.open("/games/mail/orders/draft")
    ann.send({"next": "buy", "do": "choose"}, to="/draft")
    ann.send({"with-square": "9", "do": "add"}, to="/draft")
    asked = {"when": "'bob@' in email(Bob)", "do": "place"}
    assert "only the admin knows addresses" in ann.send(asked, to="/orders/draft")


def test_statements_are_told_in_words() -> None:
    told = statement_words("closing() and not (owner(18) == none or asked(Bob) == 'Will you?')")
    assert told == (
        "the period is about to close and not (owner of 18 is none or what Bob is asked is"
        " “Will you?”)"
    )
