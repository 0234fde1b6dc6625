"""A game is played in browsers that run no JavaScript: from the invitation to the close."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import PHONE, EnterServed, Serve
from browser.played_mail import (
    begun_in,
    brings_in,
    closes,
    enters_dice,
    goes_to,
    judges,
    main_of,
    presses,
    proposes,
    sees,
)
from browser.served_ledger import nomoledger

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_week_is_played_without_javascript(
    tmp_path: Path, serve: Serve, person: EnterServed
) -> None:
    ledger = begun_in(tmp_path)
    server = serve(ledger)
    admin = person(server, "admin", java_script_enabled=False)
    for name in ("Ann", "Bob"):
        brings_in(admin, name)
    ann = person(server, "Ann", java_script_enabled=False, viewport=PHONE)
    bob = person(server, "Bob", java_script_enabled=False)
    for player in (ann, bob):
        waits_until_it_is_whole(player)
    for player, dice, square in ((ann, (3, 4), 8), (bob, (1, 3), 5)):
        proposes(player, server, "Everybody is kind.")
        judges(admin, server, "Accept")
        enters_dice(admin, *dice, then=f"on square {square}")
        goes_to(player, server, "play")
        waits_until_it_is_whole(player)
        presses(player, "Buy")
        sees(player, f"now owns square {square}")
        presses(player, "Do it")
        expect(player.get_by_role("heading", level=1, name="Done")).to_be_visible()
    goes_to(ann, server, "play")
    waits_until_it_is_whole(ann)
    expect(main_of(ann)).to_contain_text("You are on square 8")
    closes(admin, server, 1)
    goes_to(bob, server, "play")
    sees(bob, "Period 2")
    server.stop()
    assert "(exact)" in nomoledger("replay", ledger, "--period", "1")
    assert "records are as written" in nomoledger("verify", ledger)


def waits_until_it_is_whole(player: Page) -> None:
    """Wait until the page of *player* has all its parts: until then, it loads itself again."""
    expect(player.get_by_text("The rules are being asked")).to_have_count(0)
