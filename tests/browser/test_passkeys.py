"""Passkeys in a real Chromium, whose developer tools play the part of a phone or a security key."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import EnterServed, OpenPage, Serve
from browser.served_ledger import ServedLedger, nomoledger

pytestmark = pytest.mark.browser

Plug = Callable[[Page], tuple[Any, str]]


@pytest.fixture
def server(serve: Serve, tmp_path: Path) -> ServedLedger:
    """Serves a game with Ann and Bob at http://localhost: passkeys need the name of a host."""
    ledger = tmp_path / "games.db"
    nomoledger("init", ledger, "--rulebook", "mail-opening")
    for name in ("Ann", "Bob"):
        nomoledger("join", ledger, name, f"email={name.lower()}@example.org")
    served = serve(ledger, "--no-clock")
    served.address = served.address.replace("127.0.0.1", "localhost")
    served.admin_links = {
        game: link.replace("127.0.0.1", "localhost") for game, link in served.admin_links.items()
    }
    return served


def plug_in(page: Page, *credentials: dict[str, Any]) -> tuple[Any, str]:
    """Give the browser of *page* a device with *credentials*, and return how to talk to it."""
    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    id = devices.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]
    for each in credentials:
        devices.send("WebAuthn.addCredential", {"authenticatorId": id, "credential": each})
    return devices, id


def keys_of(devices: Any, id: str) -> list[dict[str, Any]]:
    """Return the credentials of a device."""
    found: list[dict[str, Any]] = devices.send("WebAuthn.getCredentials", {"authenticatorId": id})[
        "credentials"
    ]
    return found


def add_passkey(page: Page, server: ServedLedger, name: str) -> None:
    """Add a passkey, and call it *name*."""
    page.goto(f"{server.address}/games/mail-opening/ways")
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("button", name=f"Remove {name}")).to_be_visible()


def test_a_player_adds_a_passkey_signs_in_with_it_elsewhere_and_removes_it(
    server: ServedLedger, person: EnterServed, open_page: OpenPage
) -> None:
    ann = person(server, "Ann")
    phone = plug_in(ann)
    add_passkey(ann, server, "Ann's phone")
    (key,) = keys_of(*phone)
    assert key["isResidentCredential"]
    assert key["rpId"] == "localhost"
    ann.get_by_role("button", name="Sign out").first.click()
    ann.goto(f"{server.address}/games/mail-opening/sign-in")
    ann.get_by_role("button", name="Sign in with a passkey").click()
    expect(ann.get_by_role("heading", level=1, name="Ann", exact=True)).to_be_visible()
    (used,) = keys_of(*phone)
    other = open_page()
    plug_in(other, used)
    other.goto(f"{server.address}/sign-in")
    other.get_by_role("button", name="Sign in with a passkey").click()
    expect(other.get_by_role("heading", level=1, name="Ann", exact=True)).to_be_visible()
    other.goto(f"{server.address}/games/mail-opening/ways")
    expect(other.get_by_role("main")).to_contain_text("signed in (passkey)")
    other.get_by_role("button", name="Sign out everywhere else").click()
    expect(other.get_by_role("button", name="Sign out everywhere else")).to_have_count(0)
    other.get_by_role("button", name="Remove Ann's phone").click()
    expect(other.get_by_role("main")).to_contain_text("You have none for this game.")
    ann.reload()
    expect(ann.get_by_role("main")).to_contain_text("sign in first")
    ann.goto(f"{server.address}/sign-in")
    ann.get_by_role("button", name="Sign in with a passkey").click()
    expect(ann.get_by_role("alert")).to_contain_text("this passkey does not fit")


def test_a_copied_passkey_whose_count_falls_behind_is_refused(
    server: ServedLedger, person: EnterServed, open_page: OpenPage
) -> None:
    ann = person(server, "Ann")
    phone = plug_in(ann)
    add_passkey(ann, server, "Key")
    (copied,) = keys_of(*phone)
    ann.goto(f"{server.address}/sign-in")
    ann.get_by_role("button", name="Sign in with a passkey").click()
    expect(ann.get_by_role("heading", level=1, name="Ann", exact=True)).to_be_visible()
    thief = open_page()
    plug_in(thief, copied)
    thief.goto(f"{server.address}/sign-in")
    thief.get_by_role("button", name="Sign in with a passkey").click()
    expect(thief.get_by_role("alert")).to_contain_text("this passkey does not fit")
    ann.goto(f"{server.address}/games/mail-opening/ways")
    expect(ann.get_by_role("main")).to_contain_text("refused (passkey)")


def test_an_answer_that_is_sent_again_signs_nobody_in(
    server: ServedLedger, person: EnterServed
) -> None:
    ann = person(server, "Ann")
    plug_in(ann)
    add_passkey(ann, server, "Key")
    ann.goto(f"{server.address}/sign-in")
    with ann.expect_request(lambda request: request.url.endswith("/sign-in/passkey")) as sent:
        ann.get_by_role("button", name="Sign in with a passkey").click()
    expect(ann.get_by_role("heading", level=1, name="Ann", exact=True)).to_be_visible()
    ann.context.clear_cookies()
    answer = ann.request.post(
        f"{server.address}/sign-in/passkey",
        headers={"content-type": "application/x-www-form-urlencoded"},
        data=sent.value.post_data or "",
    )
    assert answer.status == 403
    assert "sent twice" in answer.text()
    assert ann.context.cookies() == []


def test_a_person_without_a_passkey_is_told_so(server: ServedLedger, open_page: OpenPage) -> None:
    visitor = open_page()
    plug_in(visitor)
    visitor.goto(f"{server.address}/sign-in")
    visitor.get_by_role("button", name="Sign in with a passkey").click()
    expect(visitor.get_by_role("main")).to_contain_text("no passkey was chosen")


def test_admin_and_player_have_passkeys_of_their_own_on_one_device(
    server: ServedLedger, person: EnterServed
) -> None:
    admin = person(server, "admin")
    device = plug_in(admin)
    add_passkey(admin, server, "Desk")
    admin.get_by_role("button", name="Add a passkey").click()
    expect(admin.get_by_role("main")).to_contain_text("this device has a passkey already")
    bob = person(server, "Bob")
    (key,) = keys_of(*device)
    plug_in(bob, key)
    add_passkey(bob, server, "Bob's")
    expect(bob.get_by_role("listitem").filter(has_text="Desk")).to_have_count(0)


def test_passkeys_are_not_offered_where_browsers_make_none(
    server: ServedLedger, person: EnterServed
) -> None:
    server.address = server.address.replace("localhost", "127.0.0.1")
    server.admin_links = {
        game: link.replace("localhost", "127.0.0.1") for game, link in server.admin_links.items()
    }
    ann = person(server, "Ann")
    ann.goto(f"{server.address}/games/mail-opening/ways")
    expect(ann.get_by_role("main")).to_contain_text("No passkeys can be added at this address")
    expect(ann.get_by_role("button", name="Add a passkey")).to_have_count(0)
