"""Invitations and mails to sign in: they go out through the outbox, and their links work."""

import re
from functools import partial

import pytest
from mail_server import MailServer
from web.browsers import Browser

from nomoledger.errors import UsageError
from nomoledger.mail.mail import KIND
from nomoledger.people.mail_asks import Person
from nomoledger.people.postman import Postman
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost

PEOPLE = "/games/mail/admin/people"


@pytest.fixture
def admin(host: GameHost) -> Browser:
    browser = Browser(make_app(host), "https://games.example.org")
    browser.sign_in(host, "mail", "admin")
    browser.open(PEOPLE)
    return browser


def send_mails(host: GameHost) -> None:
    assert host.mail is not None
    Postman(host.outbox, KIND, host.mail.deliver).go_round()


def invite_ann(admin: Browser, address: str = "ann@example.org", button: str = "") -> str:
    fields = {"player": "Ann", "email": address}
    return admin.send(fields, to=PEOPLE, button=button or "Send the invitation")


def test_an_invitation_by_mail_signs_its_reader_in(
    host: GameHost, admin: Browser, mail_server: MailServer
) -> None:
    shown = invite_ann(admin)
    assert "The invitation of Ann is on its way to ann@example.org" in shown
    assert "/enter/" not in admin.text, "the link is in the mail only"
    assert 'value="ann@example.org"' in admin.text
    send_mails(host)
    (mail,) = mail_server.mails
    assert mail["To"].addresses[0].addr_spec == "ann@example.org"
    link = re.search(r"https://games\.example\.org(/enter/\S+)", mail.get_content())
    assert link is not None
    ann = Browser(make_app(host), "https://games.example.org")
    assert "Ann" in ann.open(link[1])
    ann.send({}, to="/enter/")
    assert ann.address.endswith("/games/mail/play")


def test_an_address_that_was_given_at_joining_is_suggested_and_counts_once_it_is_confirmed(
    host: GameHost, admin: Browser
) -> None:
    assert admin.text.count('value="ann@example.org"') == 1
    assert host.sign_in.people("mail").get("Ann", "") == ""
    for confirmed in ("new@example.org", ""):
        host.sign_in.note_address("mail", "Ann", confirmed)
        admin.open(PEOPLE)
        assert f'value="{confirmed}"' in admin.text
        assert "ann@example.org" not in admin.text


def test_an_invitation_sent_twice_is_one_mail(
    host: GameHost, admin: Browser, mail_server: MailServer
) -> None:
    before = admin.text
    invite_ann(admin)
    admin.text = before
    invite_ann(admin)
    send_mails(host)
    assert len(mail_server.mails) == 1


def test_the_admin_sees_what_waits_and_what_could_not_be_sent(
    host: GameHost, admin: Browser, mail_server: MailServer
) -> None:
    assert "Waits to be sent" in invite_ann(admin)
    mail_server.answers["ann@example.org"] = ["550 no such user here"]
    send_mails(host)
    shown = admin.open(PEOPLE)
    assert "Could not be sent" in shown
    assert "550 no such user here" in shown
    assert "Waits to be sent" not in shown


@pytest.mark.parametrize("address", ["", "ann", "ann@example.org, bob@example.org"])
def test_an_invitation_needs_one_address(host: GameHost, admin: Browser, address: str) -> None:
    invite_ann(admin, address)
    assert admin.status == 409
    assert host.outbox.waiting("mail") == []


def test_a_link_for_the_admin_leaves_the_address_of_the_admin(host: GameHost) -> None:
    host.sign_in.invite("mail", "admin", "admin@example.org")
    host.sign_in.invite("mail", "admin")
    assert host.sign_in.people("mail") == {"admin": "admin@example.org"}


def test_without_a_mail_server_no_mail_is_promised(host: GameHost) -> None:
    silent = GameHost(host.location)
    try:
        admin = Browser(make_app(silent))
        admin.sign_in(silent, "mail", "admin")
        assert "Send the invitation" not in admin.open(PEOPLE)
        admin.send({"player": "Ann", "email": "ann@example.org", "send": "yes"}, to=PEOPLE)
        assert (admin.status, silent.outbox.waiting("mail")) == (409, [])
    finally:
        silent.close()


def test_a_mail_to_sign_in_has_link_and_code_and_comes_in_time_or_not_at_all(
    host: GameHost, mail_server: MailServer
) -> None:
    assert host.mail is not None
    ann = (Person("mail", "Ann"),)
    post = partial(host.mail.post_sign_in, ann, link=host.mail.link("enter", "a token"))
    assert post("ann@example.org", code="123 456", until=4_000_000_000, id="x")
    assert not post("ann@example.org", code="123 456", until=4_000_000_000, id="x")
    assert post("ann@example.org", code="123 456", until=1_000_000_000, id="late")
    send_mails(host)
    (mail,) = mail_server.mails
    text = mail.get_content()
    assert "https://games.example.org/enter/a%20token\r\n" in text
    assert "123 456" in text
    assert "2096-10-02 07:06" in text
    assert [letter.why for letter in host.outbox.given_up("mail")] == ["it was not sent in time"]
    with pytest.raises(UsageError, match="is no e-mail address"):
        post("ann", code="123 456", until=4_000_000_000, id="z")
