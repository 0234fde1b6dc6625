"""How the pages look in a real browser: on a dark phone, and at a light desk."""

import io
import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import pytest
from PIL import Image
from playwright.sync_api import ViewportSize

from nomoledger.game.game import Game
from nomoledger.game.simulation import Plan, simulate
from nomoledger.ledger.ledger import Ledger
from nomoledger.mail.mail import Mail, MailSettings
from nomoledger.mail.smtp_account import SmtpAccount
from nomoledger.people.sign_in import Session
from nomoledger.people.suggestions import Suggestion
from nomoledger.web.game_host import GameHost
from web.conftest import let_ann_move
from web.windows import Window, chromium, listening

pytestmark = pytest.mark.browser
PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1280, "height": 800}
Scheme = Literal["dark", "light"]
LOOKS: tuple[tuple[ViewportSize, Scheme], ...] = ((PHONE, "dark"), (DESK, "light"))
SIZE_MAX = 100_000
DOCS = Path(__file__).parents[2] / "docs"
PUBLIC = ("sign-in", "past", "past/5", "events/5", "site/index.html", "site/board.html")
PAGES = {
    "": (*PUBLIC, "../../sign-in/mail"),
    "Ann": (
        *PUBLIC[1:3], "play", "play/act/name_square", "proposals", "proposals/1", "proposals/new",
        "proposals/2", "proposals/2/suggest", "proposals/2/suggestions/longer",
        "disputes", "orders", "orders/draft", "ways", "tokens", "webhooks",
        "site/rules.html",
    ),
    "admin": (
        "admin", "admin/close", "admin/clock", "admin/people", "admin/people?joined=Ann",
        "admin/files", "admin/deeds", "admin/ruling", "admin/proposals/1", "play?as=Ann",
    ),
}  # fmt: skip
#: What axe finds wrong, in short: the rule and the elements.
_LOOK = """async () => (await axe.run()).violations.map(
    each => [each.id, ...each.nodes.slice(0, 3).map(node => node.html.slice(0, 200))])"""

_NAME_LEDGER = """place => { for (const each of document.querySelectorAll("code"))
    each.textContent = each.textContent.replace(place, "game.db"); }"""


@pytest.fixture
def served(host: GameHost) -> Iterator[tuple[str, Any]]:
    """The address of a game in which Ann is offered a square, and Chromium."""
    let_ann_move(host)
    account = SmtpAccount("smtp://localhost:9")  # No postman runs: what is posted waits.
    settings = MailSettings(account, "games@example.org", "https://games.example.org")
    host.mail = Mail(host.outbox, settings)
    for number in range(2):
        address = f"https://hooks.example.org/{'of-a-long-name/' * 8}{number}"
        webhook, _ = host.webhooks.add("mail", "Ann", str(number), address, ["request"], 1)
        host.webhooks.note_test(webhook, f"webhook-{webhook.id}-test")
    with listening(host) as base, chromium() as browser:
        yield base, browser


def let_ann_suggest(host: GameHost) -> None:
    """Let Ann suggest a version of a proposal of Bob, with long lines."""
    ann, bob = (Session("0" * 64, "mail", reader) for reader in ("Ann", "Bob"))
    host.request(bob, "proposes", Game.propose, "Bob", "Squares are free", id="free")
    longer = Suggestion("Free. " * 99, "", f"-Squares are free\n+{'Free. ' * 99}", "v1")
    host.suggestions.add(ann, "Ann", 2, longer, "Why not?", "longer")


def test_every_kind_of_page_fits_and_is_accessible(host: GameHost, served: tuple[str, Any]) -> None:
    base, browser = served
    axe = (files("axe_core_python") / "axe.min.js").read_text("utf-8")
    found: dict[tuple[str, ...], Any] = {}
    let_ann_suggest(host)
    for reader, places in PAGES.items():
        window = Window(browser, base, viewport=DESK)
        if reader:
            window.sign_in(host, "mail", reader)
        else:
            window.page.goto("/games/mail/sign-in")
            window.page.fill("#address", "ann@example.org")
            window.page.click("text=Send me a mail")
        for place in places:
            answer = window.page.goto(f"/games/mail/{place}")
            assert answer is not None
            assert answer.status == 200, (reader, place)
            if (size := len(answer.body())) > SIZE_MAX:
                found[reader, place, "size"] = size
            window.page.evaluate(axe)
            for viewport, scheme in LOOKS:
                window.page.set_viewport_size(viewport)
                window.page.emulate_media(color_scheme=scheme)
                if window.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                    found[reader, place, scheme] = "scrolls sideways"
                if wrong := window.page.evaluate(_LOOK):
                    found[reader, place, scheme, "axe"] = wrong
        if window.complaints:
            found[reader, "complaints"] = window.complaints
    assert found == {}


@pytest.mark.slow
@pytest.mark.parametrize("rulebook", ["mail", "origon"])
def test_a_phone_shows_what_is_offered_under_two_hundred_rules(
    tmp_path: Path, rulebook: str
) -> None:
    path = str(tmp_path / "game.db")
    with Ledger.open(path, create=True) as ledger:
        simulate(ledger, rulebook, Plan(players=4, periods=2, requests=6, seed=1), game="game")
    host = GameHost(path)
    try:
        with listening(host) as base, chromium() as browser:
            window = Window(browser, base, viewport=PHONE)
            window.sign_in(host, "game", "Ann")
            window.page.goto("/games/game/play")
            offered = window.page.get_by_text("Other actions (")
            offered.click(timeout=120_000)
            assert "The rules keep most requests until later" in window.page.content()
            assert len(window.page.content().encode()) < SIZE_MAX
            assert not window.page.evaluate("document.documentElement.scrollWidth > innerWidth")
            window.page.evaluate((files("axe_core_python") / "axe.min.js").read_text("utf-8"))
            assert window.page.evaluate(_LOOK) == []
            assert window.complaints == []
    finally:
        host.close()


def test_the_pictures_of_the_docs_are_taken_and_stay_small(
    host: GameHost, served: tuple[str, Any], tmp_path: Path
) -> None:
    """With `NOMOLEDGER_PICTURES=docs`, the pictures are written there."""
    base, browser = served
    folder = Path(os.environ.get("NOMOLEDGER_PICTURES", tmp_path))
    last = host.head("mail")
    for name, reader, place, viewport in (
        ("web-phone", "Ann", "play", PHONE),
        ("web-admin", "admin", "admin", DESK),
        ("web-past", "admin", f"past/{last}", {"width": 1280, "height": 1100}),
    ):
        window = Window(browser, base, viewport=viewport)
        window.sign_in(host, "mail", reader)
        window.page.goto(f"/games/mail/{place}", wait_until="load")
        window.page.evaluate(_NAME_LEDGER, str(tmp_path / "mail.db"))
        taken = Image.open(io.BytesIO(window.page.screenshot()))
        taken.convert("RGB").quantize(64).save(folder / f"{name}.png", optimize=True)
        assert (folder / f"{name}.png").stat().st_size < 60_000
        assert f"]({name}.png)" in (DOCS / "web.md").read_text("utf-8")
        assert (DOCS / f"{name}.png").read_bytes().startswith(b"\x89PNG")
