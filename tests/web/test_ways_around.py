"""How people get from page to page, and what the admin meets first."""

from nomoledger.web.game_host import GameHost
from web.conftest import EnterAs


def test_a_player_gets_everywhere_from_every_page(enter_as: EnterAs) -> None:
    ann = enter_as("Ann")
    ann.open("/games/mail/past")
    for place in ("play", "proposals", "disputes", "orders"):
        assert f'<li><a href="/games/mail/{place}">' in ann.text
        ann.open(f"/games/mail/{place}")
        assert ann.status == 200


def test_the_published_pages_lead_back_when_they_are_served(
    enter_as: EnterAs, host: GameHost
) -> None:
    visitor, ann, admin = enter_as(""), enter_as("Ann"), enter_as("admin")
    for page in ("index", "board", "rules"):
        for browser, place in ((visitor, "sign-in"), (ann, "play"), (admin, "admin")):
            browser.open(f"/games/mail/site/{page}.html")
            assert browser.text.count(f'<a href="/games/mail/{place}">') == 1
            assert browser.text.count('aria-label="Play here"') == 1
    assert "Play here" not in (host.site("mail") / "index.html").read_text("utf-8")


def test_a_published_page_that_a_browser_has_is_sent_again_to_somebody_else_only(
    enter_as: EnterAs, host: GameHost
) -> None:
    page = "/games/mail/site/index.html"
    browser = enter_as("")
    browser.open(page)
    known = {"if-none-match": str(browser.headers["etag"])}
    assert browser.headers["cache-control"] == "private, no-cache"
    assert browser.client.get(page, headers=known).status_code == 304
    browser.sign_in(host, "mail", "Ann")
    assert "Signed in as" in browser.client.get(page, headers=known).text
