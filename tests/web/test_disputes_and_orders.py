"""Disputes and standing orders in the browser."""

from nomoledger.web.game_host import GameHost
from web.conftest import EnterAs


def test_a_player_disputes_an_event_and_another_argues(enter_as: EnterAs, host: GameHost) -> None:
    ann, bob = enter_as("Ann"), enter_as("Bob")
    ann.open("/games/mail/play")
    address = next(part for part in ann.text.split('"') if "/disputes/new?event=" in part)
    assert "Dispute an event" in ann.open(address)
    assert "Done" in ann.send({"text": "Too little"}, to="/disputes/open")
    text = bob.open("/games/mail/disputes/1")
    assert "Too little" in text
    assert "replay of period 1" in text
    assert "nothing differs" in text
    assert "Done" in bob.send({"text": "Enough"}, to="/disputes/argue")
    assert "Enough" in ann.open("/games/mail/disputes/1")
    assert "Dispute 1 of Ann" in ann.open("/games/mail/disputes")


def test_a_dispute_about_what_nobody_knows_is_not_opened(enter_as: EnterAs, host: GameHost) -> None:
    ann = enter_as("Ann")
    ann.open("/games/mail/disputes/new?event=99999")
    assert ann.status == 404
    ann.open("/games/mail/disputes")
    before = host.head("mail")
    assert "there is no period 9" in ann.send({"text": "x", "period": "9"}, to="/disputes/open")
    assert host.head("mail") == before


def test_a_standing_order_is_checked_placed_shown_to_its_player_alone_and_cancelled(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann, bob = enter_as("Ann"), enter_as("Bob")
    ann.open("/games/mail/play/act/name_square")
    form = ann.text
    fields = {"with-square": "9", "with-name": "Bath"}
    wrong = {**fields, "when": "squar(Ann) == 9"}
    ann.text = form.replace('action="/games/mail/play/try"', 'action="/games/mail/orders/act"')
    assert "squar" in ann.send(wrong, to="/orders/act")
    assert ann.status == 409
    right = {**fields, "when": "square(Ann) == 9", "holds": "money(Ann) >= 400"}
    ann.text = form.replace('action="/games/mail/play/try"', 'action="/games/mail/orders/act"')
    assert "Done" in ann.send(right, to="/orders/act")
    said = "when square(Ann) == 9, so long as money(Ann) >= 400: name square"
    assert said in ann.open("/games/mail/orders")
    for page in ("play", "orders", "disputes", "proposals", "site/log.html"):
        bob.open(f"/games/mail/{page}")
        assert "square(Ann)" not in bob.text
    ann.open("/games/mail/orders")
    assert "Done" in ann.send({}, button="Cancel")
    assert "You have none." in ann.open("/games/mail/orders")


def test_an_order_answers_a_question(enter_as: EnterAs, host: GameHost) -> None:
    ann = enter_as("Ann")
    ann.open("/games/mail/orders")
    ann.send({"answer": "yes", "when": "closing()"}, to="/orders/answer")
    assert "when closing(): answer" in ann.open("/games/mail/orders")


def test_an_answer_that_is_almost_a_number_is_a_text(enter_as: EnterAs) -> None:
    ann = enter_as("Ann")
    ann.open("/games/mail/orders")
    assert "Done" in ann.send({"answer": "--5", "when": "closing()"}, to="/orders/answer")
