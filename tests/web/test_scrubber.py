"""Stepping through the past in a real browser."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from nomoledger.web.game_host import GameHost
from web.conftest import let_ann_move
from web.windows import Window, chromium, listening

pytestmark = pytest.mark.browser


@pytest.fixture
def page(host: GameHost) -> Iterator[Page]:
    """The first moment of the past, for a visitor. The browser complains of nothing in any test."""
    let_ann_move(host)
    with listening(host) as base, chromium() as browser:
        window = Window(browser, base)
        window.page.goto("/games/mail/past?period=1&place=0")
        window.page.evaluate("document.body.dataset.same = 'yes'")
        yield window.page
        assert window.complaints == []
        assert window.page.evaluate("document.body.dataset.same") == "yes"


def number_in(page: Page) -> int:
    found = re.search(r"/past/(\d+)$", page.url)
    assert found is not None
    return int(found[1])


def test_steps_load_no_page_anew_and_keep_the_focus(page: Page) -> None:
    first = number_in(page)
    link = page.locator("#moment a[rel=next]")
    link.focus()
    link.press("Enter")
    page.wait_for_url(re.compile(f"/past/(?!{first}$)"))
    second = number_in(page)
    assert second > first
    expect(page.locator(".then .lead")).to_contain_text(f"#{second}")
    expect(link).to_be_focused()
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(f"/past/(?!{second}$)"))
    assert number_in(page) > second
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile(f"/past/{second}$"))


def test_the_control_says_what_happened_while_it_is_moved(page: Page) -> None:
    control = page.get_by_label("Period 1")
    last = int(control.get_attribute("max") or 0)
    assert last > 5
    control.focus()
    control.press("End")
    shown = page.locator("#where").text_content() or ""
    page.wait_for_url(re.compile("/past/(?!1$)"))
    control.press("ArrowLeft")
    expect(control).to_have_value(str(last - 1))
    expect(page.locator("#where")).not_to_have_text(shown)
    told = page.locator("#where").text_content() or ""
    number = told.split()[0]
    expect(page.locator(".then .lead")).to_contain_text(number)
    expect(control).to_be_focused()
    assert number in (control.get_attribute("aria-valuetext") or "")


def test_play_steps_by_itself_until_it_is_paused(page: Page) -> None:
    first = number_in(page)
    page.get_by_role("button", name="Play").click()
    page.wait_for_url(re.compile(f"/past/(?!{first}$)"))
    second = number_in(page)
    page.wait_for_url(re.compile(f"/past/(?!{second}$)"))
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.wait_for_timeout(200)
    third = number_in(page)
    page.wait_for_timeout(1500)
    assert number_in(page) == third
