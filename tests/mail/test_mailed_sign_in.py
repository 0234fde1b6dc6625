"""Signing in by mail, through the pages and a real mail server."""

import re
import sqlite3
import time

import pytest
from mail_server import MailServer
from web.browsers import Browser

from mail.test_invitations import send_mails
from nomoledger.people.mail_asks import ASK_SECONDS, TRIES_MAX
from nomoledger.people.outbox import Outbox
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost

BASE = "https://games.example.org"
ENTRANCE = "/games/mail/sign-in"


@pytest.fixture
def ann(host: GameHost) -> Browser:
    host.sign_in.note_address("mail", "Ann", "ann@example.org")
    return Browser(make_app(host), BASE)


def ask(browser: Browser, address: str = "ann@example.org", at: str = ENTRANCE) -> str:
    browser.open(at)
    return browser.send({"address": address}, to="/sign-in/mail")


def mailed(host: GameHost, server: MailServer) -> tuple[str, str]:
    """Send what waits, and return the link and the code of the last mail."""
    send_mails(host)
    text = server.mails[-1].get_content()
    link, code = (
        re.search(rf"{BASE}(/sign-in/mail/link/\S+)", text),
        re.search(r"^    (\w{8})\r?$", text, re.MULTILINE),
    )
    assert link is not None
    assert code is not None
    return link[1], code[1]


def test_a_player_signs_in_with_the_code_and_the_record_says_so(
    host: GameHost, ann: Browser, mail_server: MailServer
) -> None:
    shown = ask(ann)
    assert "If the address is known here" in shown
    (cookie,) = ann.client.cookies.jar
    assert cookie.name.startswith("__Host-nomoledger-mail-")
    link, code = mailed(host, mail_server)
    (mail,) = mail_server.mails
    assert mail["To"].addresses[0].addr_spec == "ann@example.org"
    assert "wants to sign in to mail as Ann." in mail.get_content()
    ann.send({"code": "22222222"}, to="/code")
    assert ann.status == 403
    assert "this code does not fit" in ann.text
    assert "4 tries" in ann.text
    ann.send({"code": code.lower()}, to="/code")
    assert ann.address.endswith("/games/mail/play")
    assert not any("mail-" in name for name in ann.client.cookies), "the cookie is removed"
    ways = ann.open("/games/mail/ways")
    for entry in ("mail asked for", "refused (code of a mail)", "signed in (mail)"):
        assert entry in ways
    ann.client.cookies.clear()
    ann.client.cookies.set(cookie.name, str(cookie.value))
    for address, fields in ((link, {}), ("/sign-in/mail/code", {"code": code})):
        assert ann.client.post(address, data=fields).status_code in (403, 404)


def test_the_link_signs_in_only_the_browser_that_asked_and_looking_uses_nothing_up(
    host: GameHost, ann: Browser, mail_server: MailServer
) -> None:
    old = Browser(make_app(host), BASE)
    old.sign_in(host, "mail", "Bob")
    before = host.sign_in.sessions("mail", "Bob")
    assert len(before) == 1
    ann.client.cookies = old.client.cookies
    ask(ann)
    link, _ = mailed(host, mail_server)
    thief = Browser(make_app(host), BASE)
    for method in ("GET", "POST", "GET"):
        answer = thief.client.request(method, link, follow_redirects=False)
        assert answer.status_code == 403
        assert "type the code from the mail there" in answer.text
        assert "set-cookie" not in answer.headers
        assert "Ann" not in answer.text
    for _ in range(2):
        assert "as Ann" in ann.open(link)
        assert ann.headers["referrer-policy"] == "strict-origin"
    ann.send({}, to="/sign-in/mail/link/")
    assert ann.address.endswith("/games/mail/play")
    assert host.sign_in.sessions("mail", "Bob") == [], "the session before has ended"
    ann.open(link)
    assert (ann.status, "used up" in ann.text) == (404, True)


def test_whoever_asks_cannot_tell_a_known_address_from_an_unknown_one(
    host: GameHost, ann: Browser, mail_server: MailServer
) -> None:
    answers = []
    for address in ("ann@example.org", "nobody@example.org"):
        browser = Browser(make_app(host), BASE)
        browser.open(ENTRANCE)
        _, fields = browser.form("/sign-in/mail")
        first = browser.client.post(
            "/sign-in/mail", data={**fields, "address": address}, follow_redirects=False
        )
        cookie = re.sub(r"=[0-9a-f]{64};", "=TOKEN;", first.headers["set-cookie"])
        shown = browser.open("/sign-in/mail")
        for _ in range(TRIES_MAX + 1):
            browser.client.post("/sign-in/mail/code", data={"code": "22222222"})
        last = browser.client.post("/sign-in/mail/code", data={"code": "22222222"})
        answers.append((first.status_code, first.headers["location"], cookie, shown, last.text))
    assert answers[0] == answers[1]
    for part in ("HttpOnly", "Secure", "SameSite=lax", "Path=/"):
        assert part in answers[0][2]
    send_mails(host)
    assert [mail["To"].addresses[0].addr_spec for mail in mail_server.mails] == ["ann@example.org"]


def test_who_has_several_players_chooses_and_the_admin_enters_too(
    host: GameHost, ann: Browser, mail_server: MailServer
) -> None:
    host.sign_in.note_address("mail", "admin", "ann@example.org")
    ask(ann, at="/sign-in")
    link, _ = mailed(host, mail_server)
    assert mail_server.mails[-1]["Subject"] == "Sign in"
    assert "- the admin in mail" in mail_server.mails[-1].get_content()
    ann.open(link)
    shown = ann.send({}, to="/sign-in/mail/link/")
    assert "As whom do you enter?" in shown
    ann.client.post("/sign-in/mail/choose", data={"game": "mail", "reader": "Bob"})
    assert host.sign_in.sessions("mail", "Bob") == []
    ann.send({}, button="Enter mail as the admin")
    assert ann.address.endswith("/games/mail/admin")


def test_a_form_sent_twice_is_one_mail_and_nobody_is_flooded(
    host: GameHost, ann: Browser, mail_server: MailServer
) -> None:
    ann.open(ENTRANCE)
    before = ann.text
    for _ in range(2):
        ann.text = before
        ann.send({"address": "ann@example.org"}, to="/sign-in/mail")
    send_mails(host)
    assert len(mail_server.mails) == 1
    _, code = mailed(host, mail_server)
    for _ in range(5):
        assert "If the address is known here" in ask(Browser(make_app(host), BASE))
    send_mails(host)
    assert len(mail_server.mails) == 3
    ann.open("/sign-in/mail")
    ann.send({"code": code}, to="/code")
    assert ann.address.endswith("/games/mail/play"), "the mail that was sent first still works"


def test_the_outbox_keeps_no_secret_longer_than_it_works(
    host: GameHost, ann: Browser, mail_server: MailServer
) -> None:
    def contents() -> list[bytes]:
        with sqlite3.connect(f"{host.location}-people") as database:
            return [row[0] for row in database.execute("SELECT content FROM outbox")]

    ask(ann)
    (waiting,) = contents()
    assert b"/sign-in/mail/link/" in waiting
    send_mails(host)
    assert contents() == [b""], "it was sent"
    ask(ann)
    assert any(contents())
    late = Outbox(host._database, lambda: time.time() + ASK_SECONDS + 5)
    assert contents() == [b"", b""], "a server that starts has given it up"
    assert [letter.why for letter in late.given_up("mail")] == ["it was not sent in time"]


def test_an_address_that_is_none_is_named_and_no_other_site_can_ask(
    host: GameHost, ann: Browser
) -> None:
    for wrong in ("ann", "ann@example.org, eve@example.org", "a\r\nBcc: eve@example.org"):
        assert "is no e-mail address" in ask(ann, wrong)
        assert ann.status == 403
    _, fields = ann.form("/sign-in/mail")
    for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "https://elsewhere.test"}):
        answer = ann.client.post(
            "/sign-in/mail", data={**fields, "address": "ann@example.org"}, headers=headers
        )
        assert (answer.status_code, answer.headers.get("set-cookie")) == (403, None)
    assert host.outbox.waiting("mail") == []


def test_without_a_mail_server_the_form_is_missing_and_refused(host: GameHost) -> None:
    silent = GameHost(host.location)
    try:
        browser = Browser(make_app(silent))
        assert "By mail" not in browser.open(ENTRANCE)
        fields = {"id": "x" * 43, "address": "ann@example.org", "code": "2", "game": "mail"}
        for path in ("", "/code", "/choose", "/link/x"):
            answer = browser.client.post(f"/sign-in/mail{path}", data=fields)
            assert answer.status_code == 409
            assert "this server sends no mail" in answer.text
        assert browser.client.get("/sign-in/mail").status_code == 409
        assert silent.outbox.waiting("mail") == []
    finally:
        silent.close()
