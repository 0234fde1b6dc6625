"""Entering a served game in a real browser: the links that are printed, and handed out."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.conftest import EnterServed, OpenPage, Serve
from browser.served_ledger import nomoledger

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
