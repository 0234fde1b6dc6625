"""What tests in a real browser share: a served ledger, and a browser for each of the people."""

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from browser.served_ledger import ServedLedger

#: How long a page may take to show what a test waits for, in milliseconds: the machine is shared.
PATIENCE_MS = 30_000
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking")
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}

Serve = Callable[..., ServedLedger]
OpenPage = Callable[..., Page]
EnterServed = Callable[..., Page]
_failed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note whether the test failed, so that its pages are kept as pictures."""
    report = yield
    item.stash[_failed] = item.stash.get(_failed, False) or report.failed
    return report


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE_MS)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=[*FLAGS])
        yield browser
        browser.close()


@pytest.fixture
def open_page(
    chromium: Browser, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[OpenPage]:
    """Opens an empty page of a separate browser, with options of Playwright's `new_context`.

    If the test fails, a picture of each page that is open is left in its folder, `tmp_path`.
    """
    contexts: list[BrowserContext] = []

    def open_one(**options: Any) -> Page:
        context = chromium.new_context(**{"viewport": DESK, **options})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        return context.new_page()

    yield open_one
    for number, context in enumerate(contexts):
        if request.node.stash.get(_failed, False):
            for place, page in enumerate(context.pages):
                picture = tmp_path / f"failed-{number}-{place}.png"
                page.screenshot(path=picture, full_page=True)
                print(f"{page.url}: see {picture}")
        context.close()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serves a ledger, with options of the command `serve`, until the end of the test."""
    servers: list[ServedLedger] = []

    def start(location: Path | str, *options: str) -> ServedLedger:
        servers.append(ServedLedger(location, *options))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def person(open_page: OpenPage) -> EnterServed:
    """Returns the page of a browser of its own in which somebody is signed in to a game.

    `person(server, "Ann")` is signed in with a link that the admin made on the page People;
    `person(server, "admin")`, once, with the link that the server printed. More options: `game`, if
    the ledger has several, and those of `open_page`.
    """
    admins: dict[tuple[str, str], Page] = {}

    def enter(server: ServedLedger, name: str, game: str = "", **options: Any) -> Page:
        game = game or next(iter(server.admin_links))
        if name == "admin":
            page = open_page(**options)
            page.goto(server.admin_links[game])
            admins[server.address, game] = page
        else:
            if (server.address, game) not in admins:
                enter(server, "admin", game)
            link = link_for(admins[server.address, game], server, name, game)
            page = open_page(**options)
            page.goto(link)
        page.get_by_role("main").get_by_role("button", name="Sign in").click()
        shown = "What waits" if name == "admin" else name
        expect(page.get_by_role("heading", level=1, name=shown, exact=True)).to_be_visible()
        return page

    return enter


def link_for(admin: Page, server: ServedLedger, name: str, game: str) -> str:
    """Return a new link for the player *name*, which the *admin* makes on the page People."""
    admin.goto(f"{server.address}/games/{game}/admin/people")
    row = admin.get_by_role("row").filter(has=admin.get_by_role("rowheader", name=name, exact=True))
    row.get_by_role("button", name="Make a link").click()
    link = admin.get_by_text(f"{server.address}/enter/").text_content()
    assert link is not None
    return link
