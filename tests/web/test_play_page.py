"""The page on which a player plays: what waits, forms of actions, undo, and late forms."""

from nomoledger.events import Act
from nomoledger.game.game import Game
from nomoledger.people.sign_in import Session
from nomoledger.web.game_host import GameHost
from web.conftest import EnterAs
from web.test_play import propose


def test_actions_whose_values_decide_are_links_to_their_forms(enter_as: EnterAs) -> None:
    ann = enter_as("Ann")
    assert "Other actions" in ann.open("/games/mail/play")
    assert "Name square The owner names a square" in ann.open("/games/mail/play/act/name_square")
    assert "no action 'nonsense'" in ann.open("/games/mail/play/act/nonsense")
    assert ann.status == 404


def test_what_happened_has_its_rule_its_request_and_a_page_that_explains(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann = enter_as("Ann")
    ann.open("/games/mail/play")
    ann.send({}, button="I have read this")
    propose(host, "Ann")
    admin = enter_as("admin")
    admin.open("/games/mail/admin")
    admin.send({}, button="Reject")
    text = ann.open("/games/mail/play")
    assert "Since you were here" in text
    assert "because proposal 1 is rejected" in text
    link = next(part for part in ann.text.split('"') if "/why.html#e" in part)
    address, _, event = link.partition("#")
    ann.open(address)
    assert ann.status == 200
    assert f'id="{event}"' in ann.text


def test_a_request_that_still_waits_is_taken_back_by_its_player_alone(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann, bob = enter_as("Ann"), enter_as("Bob")
    order(host, "Ann")
    assert "It still waits." in ann.open("/games/mail/done/order-of-Ann")
    bob.open("/games/mail/done/order-of-Ann")
    assert bob.status == 404
    bob.text = ann.text
    assert "no such request of yours" in bob.send({}, to="/play/undo")
    assert "Done" in ann.send({}, to="/play/undo")
    assert "You have none." in ann.open("/games/mail/orders")


def test_a_request_is_not_taken_back_once_another_came_after_it(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann = enter_as("Ann")
    order(host, "Ann")
    ann.open("/games/mail/done/order-of-Ann")
    order(host, "Bob")  # Ann must not learn what came after her order.
    text = ann.send({}, to="/play/undo")
    assert "too late to take this back: play has gone on" in text
    assert "Bob" not in ann.text
    assert "when square(Ann) == 9" in ann.open("/games/mail/orders")


def test_a_form_that_comes_late_says_what_happened_meanwhile(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann = enter_as("Ann")
    ann.open("/games/mail/play/act/name_square")
    propose(host, "Bob")
    ann.send({"with-square": "9", "with-name": "Bath"}, to="/play/try")
    text = ann.send({}, to="/play/submit")
    assert "Refused" in text
    assert "What happened since the form was shown" in text
    assert "Bob makes proposal 1" in text


def test_two_tabs_make_two_requests_and_a_double_click_one(
    enter_as: EnterAs, host: GameHost
) -> None:
    first, second = enter_as("Ann"), enter_as("Ann")
    fields = {"with-square": "9", "with-name": "Bath"}
    for tab in (first, second):
        tab.open("/games/mail/play/act/name_square")
        tab.send(fields, to="/play/try")
    trial, clicks = first.text, requests(host)
    for _ in range(2):
        first.text = trial
        first.send({}, to="/play/submit")
    assert requests(host) == clicks + 1
    second.send({}, to="/play/submit")
    assert requests(host) == clicks + 2


def test_what_is_open_waits_until_its_deadline_and_is_answered_with_a_button(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann = enter_as("Ann")
    admin = enter_as("admin")
    propose(host, "Ann")
    admin.open("/games/mail/admin")
    admin.send({}, button="Reject")
    text = ann.open("/games/mail/play")
    assert text.index("Buy") < text.index("What you may do")
    assert "You: " in ann.send({}, to="/play/try")
    assert "Done" in ann.send({}, button="Do it")


def test_markup_that_people_write_is_shown_as_text(enter_as: EnterAs, host: GameHost) -> None:
    session, text = Session("0" * 64, "mail", "Bob"), "<script>alert(1)</script>"
    host.request(session, "proposes", Game.propose, "Bob", text, id="markup")
    ann = enter_as("Ann")
    ann.open("/games/mail/play")
    assert "<script>alert" not in ann.text
    assert "&lt;script&gt;alert" in ann.text


def order(host: GameHost, player: str) -> None:
    """Let *player* place a standing order at the command line."""
    session = Session("0" * 64, "mail", player)
    acts = (Act("name_square", {"square": 9, "name": f"Bath of {player}"}),)
    given = (player, "square(Ann) == 9", acts)
    host.request(session, "orders", Game.order, *given, id=f"order-of-{player}")


def requests(host: GameHost) -> int:
    """Return how many requests are noted."""
    return len({deed.request for deed in host.deeds.latest("mail")})
