"""Players and the admin play in browsers."""

from nomoledger.game.game import Game
from nomoledger.people.sign_in import Session
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from web.browsers import Browser
from web.conftest import EnterAs


def propose(host: GameHost, player: str) -> None:
    """Let *player* propose something at the command line."""
    session = Session("0" * 64, "mail", player)
    host.request(session, "proposes", Game.propose, player, "Nothing", id=f"proposal-of-{player}")


def test_a_proposal_is_judged_and_the_player_moves_and_buys(
    enter_as: EnterAs, host: GameHost
) -> None:
    admin, ann = enter_as("admin"), enter_as("Ann")
    assert "You are on square 1. You have 1000 $." in ann.open("/games/mail/play")
    assert "Nothing happened to you" in ann.send({}, button="I have read this")
    assert "Nothing waits." in admin.open("/games/mail/admin")
    propose(host, "Ann")
    assert "Proposal 1 by Ann since" in admin.open("/games/mail/admin")
    admin.send({}, button="Reject")
    assert "Proposal 1" not in admin.open("/games/mail/admin")
    assert "Since you were here" in ann.open("/games/mail/play")
    assert "What this would do" in ann.send({}, to="/play/try")


def test_a_trial_shows_the_refusal_and_records_nothing(enter_as: EnterAs, host: GameHost) -> None:
    ann = enter_as("Ann")
    ann.open("/games/mail/play/act/name_square")
    before = host.head("mail")
    fields = {"with-square": "9", "with-name": "Bath"}
    assert "The rules would refuse this: only the owner" in ann.send(fields, to="/play/try")
    assert host.head("mail") == before


def test_a_form_that_is_sent_twice_makes_one_request(enter_as: EnterAs, host: GameHost) -> None:
    ann, twin = enter_as("Ann"), enter_as("Ann")
    ann.open("/games/mail/play/act/name_square")
    fields = {"with-square": "9", "with-name": "Bath"}
    ann.send(fields, to="/play/try")
    form = ann.text
    told = "You sent this before, and it counts once."
    assert told not in ann.send({"again": "yes"}, to="/play/submit")
    head = host.head("mail")
    for again in ({}, {"again": "yes"}):  # From another tab, and by somebody who went back.
        twin.text = form
        shown = twin.send(again, to="/play/submit")
        assert "Refused" in shown
        assert (told in shown) == bool(again)
    assert len(host.deeds.latest("mail")) == 1
    assert host.head("mail") == head


def test_to_look_at_a_link_does_not_use_it_up(host: GameHost) -> None:
    token = host.sign_in.invite("mail", "Ann")
    scanner, ann, thief = (Browser(make_app(host)) for _ in range(3))
    for _ in range(3):
        assert "as Ann" in scanner.open(f"/enter/{token}")
    ann.open(f"/enter/{token}")
    assert "You are on square 1" in ann.send({}, to="/enter/")
    assert "used up" in thief.open(f"/enter/{token}")


def test_a_player_cannot_act_for_another_or_see_the_desk_of_the_admin(enter_as: EnterAs) -> None:
    ann = enter_as("Ann")
    assert "only the admin may act for another" in ann.open("/games/mail/play?as=Bob")
    assert ann.status == 403
    for page in ("", "/close", "/people", "/deeds"):
        ann.open(f"/games/mail/admin{page}")
        assert ann.status == 403


def test_a_form_of_another_site_does_nothing(enter_as: EnterAs, host: GameHost) -> None:
    admin = enter_as("admin")
    before = host.head("mail")
    foreign = ({"sec-fetch-site": "cross-site"}, {"origin": "https://elsewhere.test"})
    for headers in foreign:
        answer = admin.client.post("/games/mail/admin/close", data={"id": "x"}, headers=headers)
        assert answer.status_code == 403
    assert host.head("mail") == before
