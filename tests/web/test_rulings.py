"""The admin rules in the browser: a draft, what it would do, and the ruling."""

from collections.abc import Callable
from typing import Any

import pytest

from nomoledger.game.desk.player_acts import PlayerActs, player_acts
from nomoledger.game.game import Game
from nomoledger.game.writer import Outcome
from nomoledger.people.sign_in import Session
from nomoledger.web.game_host import GameHost
from web.browsers import words
from web.conftest import EnterAs, event_of, let_ann_move


def as_player(
    host: GameHost, player: str, request: Callable[..., Outcome], *given: object, id: str
) -> None:
    """Make *request* of *player*, as if from a page."""
    host.request(Session("0" * 64, "mail", player), "asks", request, player, *given, id=id)


def test_a_payment_is_shown_before_and_after_and_is_made_once(
    enter_as: EnterAs, host: GameHost
) -> None:
    admin = enter_as("admin")
    admin.open("/games/mail/admin/ruling")
    before = host.head("mail")
    fields = {
        "text": "Bob found a bug",
        "post-from": "Ann",
        "post-to": "Bob",
        "post-amount": "250",
    }
    shown = admin.send(fields, to="/ruling/preview")
    assert "Ann 1000 750" in shown
    assert "Bob 1000 1250" in shown
    assert "nomoledger ruling" in shown
    assert "--changes changes.yaml" in shown
    assert host.head("mail") == before
    page = admin.text
    admin.send({}, button="Make the ruling")
    head = host.head("mail")
    assert head > before
    admin.text = page
    admin.send({}, button="Make the ruling")
    assert host.head("mail") == head
    assert "You have 1250 $" in enter_as("Bob").open("/games/mail/play")


def test_an_attribute_is_set_and_yaml_can_say_more(enter_as: EnterAs, host: GameHost) -> None:
    admin = enter_as("admin")
    admin.open("/games/mail/admin/ruling")
    fields = {
        "text": "Bath was always there",
        "set-kind": "square",
        "set-thing": "9",
        "set-what": "name",
        "set-value": "Bath",
        "changes": "- post: {Ann: -5, Bob: 5}\n",
    }
    shown = admin.send(fields, to="/ruling/preview")
    assert "square 9 name nothing Bath" in shown
    assert "Bob 1000 1005" in shown


def test_what_cannot_be_ruled_is_said_and_nothing_is_offered(enter_as: EnterAs) -> None:
    admin = enter_as("admin")
    admin.open("/games/mail/admin/ruling")
    shown = admin.send({"text": "No", "event": "4000", "verdict": "reject"}, to="/ruling/preview")
    assert "It cannot be made like this: there is no event #4000" in shown
    assert "Make the ruling" not in shown
    admin.open("/games/mail/admin/ruling")
    shown = admin.send({"text": "No", "set-what": "name"}, to="/ruling/preview")
    assert "the change lacks its set kind" in shown.lower()


def test_a_purchase_is_left_out_after_both_states_were_shown(
    enter_as: EnterAs, host: GameHost
) -> None:
    admin, ann = enter_as("admin"), enter_as("Ann")
    purchase = buy_a_square(host)
    assert "You have 1000 $" not in ann.open("/games/mail/play")
    admin.open(f"/games/mail/admin/ruling?event={purchase}&verdict=reject")
    fields = {"text": "It came too late", "event": str(purchase), "verdict": "reject"}
    shown = admin.send(fields, to="/ruling/preview")
    assert "Play as recorded, and played again with the ruling" in shown
    assert f"--reject {purchase}" in shown
    assert "What has another owner" in shown
    admin.send(fields | {"settle": "none"}, to="/ruling/preview")
    assert "Nothing differs" in words(admin.text)
    admin.send({"settle": "money"}, to="/ruling/preview")
    assert "What has another owner" not in words(admin.text)
    admin.send({}, button="Make the ruling")
    assert "You have 1000 $" in ann.open("/games/mail/play")
    admin.open("/games/mail/admin/ruling")
    fields = {"text": "It came in time after all", "overrules": "1", "settle": "all"}
    assert "--overrule 1" in admin.send(fields, to="/ruling/preview")
    admin.send({}, button="Make the ruling")
    assert "You have 1000 $" not in ann.open("/games/mail/play")


def offered_square(host: GameHost) -> dict[str, str]:
    """Let Ann move; return the arguments with which she may buy the square where she lands."""
    let_ann_move(host)
    acts = host.read("mail", player_acts, "Ann", kind=PlayerActs)
    offers = (act for act in (*acts.waiting, *acts.possible) if act.action == "buy")
    return next((act.buttons or act.picks)[0].arguments for act in offers)


def buy_a_square(host: GameHost) -> int:
    """Let Ann move and buy the square on which she lands; return the number of the purchase."""
    as_player(host, "Ann", Game.submit, "buy", offered_square(host), id="purchase")
    return event_of(host, "purchase")


def test_a_request_that_was_overlooked_is_taken_in_after_an_event(
    enter_as: EnterAs, host: GameHost
) -> None:
    admin, ann = enter_as("admin"), enter_as("Ann")
    square = offered_square(host)["square"]
    verdict = event_of(host, "verdict")
    admin.open(f"/games/mail/events/{verdict}")
    fields = {"text": "The mail came in time", "verdict": "take-in", "player": "Ann"}
    fields |= {"action": "buy", "arguments": f"square={square}"}
    shown = admin.send(fields, to="/ruling/preview")
    assert "What has another owner" in shown
    assert f"--take-in '{verdict}=Ann buy square={square}'" in shown
    admin.send({}, button="Make the ruling")
    assert "You have 1000 $" not in ann.open("/games/mail/play")


def test_a_dispute_is_shown_with_its_arguments_and_closed(
    enter_as: EnterAs, host: GameHost
) -> None:
    admin = enter_as("admin")
    session = Session("0" * 64, "mail", "Ann")
    host.request(session, "disputes", dispute_of_ann, id="dispute")
    shown = admin.open("/games/mail/admin")
    assert "Dispute 1 of period 1 by Ann" in shown
    assert "nothing differs" in shown
    assert "nomoledger dispute close" in shown
    admin.send({"text": "The rules were followed"}, to="/close-dispute")
    assert "Nothing waits." in admin.open("/games/mail/admin")


def dispute_of_ann(game: Game, **fields: Any) -> Outcome:
    return game.dispute("Ann", "My rent is missing", period=1, **fields)


@pytest.mark.slow
def test_a_proposal_is_shown_as_a_diff_and_tried(enter_as: EnterAs, host: GameHost) -> None:
    admin = enter_as("admin")
    as_player(host, "Ann", propose_dearer, id="proposal")
    admin.open("/games/mail/admin")
    shown = admin.open("/games/mail/admin/proposals/1")
    assert "What it would change" in shown
    assert "Accept" in shown
    shown = admin.open("/games/mail/admin/proposals/1?check=yes")
    assert "cases tried" in shown
    assert "nomoledger judge" in admin.open("/games/mail/admin")


def propose_dearer(game: Game, player: str, **fields: Any) -> Outcome:
    from nomoledger.events.rules import Amend

    rule = next(rule for rule in game.world.rules if rule.parameters)
    name = next(iter(rule.parameters))
    changes = (Amend(rule.number, parameters={name: 7}),)
    return game.propose(player, "Something else", changes, **fields)


def test_an_operation_is_carried_out_and_the_question_that_it_raises_is_ruled_on(
    enter_as: EnterAs, host: GameHost
) -> None:
    admin = enter_as("admin")
    admin.open("/games/mail/admin/ruling")
    fields = {"text": "Ann is fined", "do-what": "fine", "do-with": "player=Ann amount=5000"}
    shown = admin.send(fields, to="/ruling/preview")
    assert "Then play waits for admin: Ann has $1000 and owes $5000" in shown
    shown = admin.send({}, button="Make the ruling")
    assert "For you: Ann has $1000 and owes $5000" in shown
    page = admin.text
    shown = admin.send({"text": "No"}, button="nothing moves")
    assert "Nothing differs." in shown
    admin.text = page
    shown = admin.send({"text": "Yes"}, button="take it all the same")
    assert "Ann 1000 -4000" in shown
    assert "--value 'take it all the same'" in shown
    admin.send({}, button="Make the ruling")
    assert "Nothing waits." in admin.open("/games/mail/admin")
    assert "You have -4000 $" in enter_as("Ann").open("/games/mail/play")
