"""Pages that follow the game in a real browser: what is swapped, and what is left alone."""

from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import expect

from nomoledger.game.game import Game
from nomoledger.people.sign_in import Session
from nomoledger.web.game_host import GameHost
from web.windows import Window, chromium, listening

in_browser = pytest.mark.browser


@pytest.fixture
def window(host: GameHost) -> Iterator[Window]:
    """The browser of Ann, who is signed in. It complains of nothing in any test."""
    with listening(host) as base, chromium() as browser:
        window = Window(browser, base)
        window.sign_in(host, "mail", "Ann")
        yield window
        assert window.complaints == []


def propose(host: GameHost, text: str) -> None:
    host.request(Session("0" * 64, "mail", "Bob"), "proposes", Game.propose, "Bob", text)


def test_the_files_from_elsewhere_are_as_they_were_published() -> None:
    folder = files("nomoledger.web") / "static"
    known = (folder / "vendored.md").read_text(encoding="utf-8")
    for name in ("htmx.min.js", "hx-sse.min.js", "hx-preload.min.js"):
        assert f"{name} |" in known
        assert sha256((folder / name).read_bytes()).hexdigest() in known


@in_browser
def test_the_desk_follows_the_game_and_keeps_place_focus_and_what_is_open(
    host: GameHost, window: Window
) -> None:
    page = window.page
    page.set_viewport_size({"width": 390, "height": 500})
    page.goto("/games/mail/play")
    expect(page.get_by_text("None is undecided.")).to_be_visible()
    page.wait_for_timeout(1000)
    page.evaluate("document.body.dataset.same = 'yes'")
    link = page.get_by_role("link", name="All proposals")
    link.focus()
    page.evaluate("scrollTo(0, 400)")
    place = page.evaluate("scrollY")
    assert place > 100
    propose(host, "Something new")
    expect(page.get_by_text("Something new").first).to_be_attached(timeout=10_000)
    assert page.evaluate("document.body.dataset.same") == "yes"
    assert page.evaluate("document.activeElement.textContent") == "All proposals"
    expect(page.locator(".news")).to_be_hidden()


@in_browser
def test_a_form_that_somebody_fills_in_is_left_alone(host: GameHost, window: Window) -> None:
    page = window.page
    page.goto("/games/mail/orders")
    page.get_by_label("Your answer").fill("half of a th")
    page.wait_for_timeout(1000)
    expect(page.get_by_role("status")).to_be_empty()  # It is there before there is news.
    title = page.get_by_role("heading", level=1)
    place = title.bounding_box()
    propose(host, "Something new")
    expect(page.get_by_role("status")).to_contain_text("gone on", timeout=10_000)
    expect(page.locator(".news")).to_be_visible()
    assert title.bounding_box() == place
    expect(page.get_by_label("Your answer")).to_have_value("half of a th")


@in_browser
def test_a_draft_is_checked_while_it_is_written(window: Window) -> None:
    page = window.page
    page.goto("/games/mail/proposals/new")
    changes = page.get_by_label("Changes of the rules")
    changes.press_sequentially('- {amend: "V.77", prose: "Less."}')
    expect(page.locator("#findings")).to_contain_text("V.77", timeout=20_000)
    expect(changes).to_be_focused()
    expect(changes).to_have_value('- {amend: "V.77", prose: "Less."}')


@in_browser
def test_what_takes_long_comes_later_by_itself(
    host: GameHost, window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, tries = host.acts.get, list[int]()

    def slowly(*given: Any, **options: Any) -> Any:
        tries.append(1)
        return None if len(tries) < 4 else real(*given, **options)

    monkeypatch.setattr(host.acts, "get", slowly)
    page = window.page
    page.goto("/games/mail/play")
    expect(page.get_by_text("The rules are being asked")).to_be_hidden(timeout=20_000)
    expect(page.get_by_role("heading", name="What you may do")).to_have_count(1)
    assert len(tries) >= 4
