"""Entering a served game in a real browser: with links that are printed, and by mail."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from mail_server import MailServer
from playwright.sync_api import Page, expect

from browser.conftest import PHONE, EnterServed, OpenPage, Serve
from browser.served_ledger import PATIENCE, nomoledger

pytestmark = pytest.mark.browser


def test_the_admin_and_a_player_enter_with_links_that_work_once(
    tmp_path: Path, serve: Serve, person: EnterServed, open_page: OpenPage
) -> None:
    nomoledger("init", tmp_path / "game.db", "--rulebook", "mail-opening")
    nomoledger("join", tmp_path / "game.db", "Ann", "email=ann@example.org")
    server = serve(tmp_path / "game.db")
    ann = person(server, "Ann")
    expect(ann.get_by_role("contentinfo")).to_contain_text("Signed in as Ann.")
    visitor = open_page()
    visitor.goto(server.admin_links["mail-opening"])
    expect(visitor.get_by_role("main")).to_contain_text("This link is used up, or too old.")
    visitor.goto(f"{server.address}/games/mail-opening/play")
    expect(visitor.get_by_role("alert")).to_contain_text("sign in first")


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    server = MailServer()
    server.start()
    yield server
    server.stop()


def ask(page: Page) -> None:
    """Ask for a mail to Ann on the page to sign in on; an impatient hand presses twice."""
    page.get_by_label("E-mail address").fill("Ann@example.org")
    page.get_by_role("button", name="Send me a mail").dblclick()
    expect(page.get_by_role("main")).to_contain_text("If the address is known here")


def mailed(server: MailServer, number: int) -> tuple[str, str]:
    """Wait for mail *number*, the last one, and return its link and its code."""
    deadline = time.monotonic() + PATIENCE
    while len(server.mails) < number:
        assert time.monotonic() < deadline, "no mail came"
        time.sleep(0.05)
    (text,) = (mail.get_content() for mail in server.mails[number - 1 :])
    link, code = re.search(r"(http\S+/link/\S+)", text), re.search(r"\n    (\w{8})\r?\n", text)
    assert link is not None
    assert code is not None
    return link[1], code[1]


def test_a_player_signs_in_by_mail_where_it_was_asked_for_and_nowhere_else(
    tmp_path: Path, serve: Serve, person: EnterServed, open_page: OpenPage, mail_server: MailServer
) -> None:
    nomoledger("init", tmp_path / "game.db", "--rulebook", "mail-opening")
    nomoledger("join", tmp_path / "game.db", "Ann", "email=ann@example.org")
    mails = "--smtp", f"smtp://localhost:{mail_server.port}", "--mail-from", "games@example.org"
    server = serve(tmp_path / "game.db", *mails, "--public-url", "{address}")
    entrance = f"{server.address}/games/mail-opening/sign-in"
    admin = person(server, "admin")
    admin.goto(f"{server.address}/games/mail-opening/admin/people")
    admin.get_by_label("E-mail address of Ann").fill("ann@example.org")
    admin.get_by_role("button", name="Make a link").last.click()
    expect(admin.get_by_role("main")).to_contain_text("This link signs Ann in")

    desk, phone = open_page(), open_page(viewport=PHONE, java_script_enabled=False)
    desk.goto(entrance)
    ask(desk)
    link, code = mailed(mail_server, 1)
    phone.goto(link)
    expect(phone.get_by_role("alert")).to_contain_text("This link signs nobody in here")
    expect(phone.get_by_role("button", name="Sign in")).to_have_count(0)
    desk.get_by_label("Code from the mail").fill(code.lower())
    desk.get_by_role("button", name="Sign in").click()
    expect(desk.get_by_role("heading", level=1, name="Ann", exact=True)).to_be_visible()

    phone.goto(entrance)
    ask(phone)
    link, _ = mailed(mail_server, 2)
    phone.goto(f'data:text/html,<a href="{link}">in the mail</a>')  # Another site: a mailbox.
    phone.get_by_role("link", name="in the mail").click()
    phone.get_by_role("button", name="Sign in").click()
    expect(phone.get_by_role("heading", level=1, name="Ann", exact=True)).to_be_visible()
    phone.go_back()
    expect(phone.get_by_role("main")).to_contain_text("This link is used up, or too old.")
