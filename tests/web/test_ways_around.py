"""How people get from page to page, and what the admin meets first."""

import re
from contextlib import closing
from pathlib import Path

import nomoledger
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from web.browsers import Browser
from web.conftest import EnterAs
from web.opened_game import BEGIN


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


def test_who_joined_is_invited_on_the_next_page_with_the_address_that_was_typed(
    enter_as: EnterAs,
) -> None:
    admin = enter_as("admin")
    admin.open("/games/mail/admin/people")
    fields = {"name": "Cem", "email": "cem@example.org"}
    assert "Cem has joined Now invite Cem" in admin.send(fields, button="Join")
    assert "cem@" not in admin.address
    assert admin.text.count('value="cem@example.org"') == 2  # Under the news, and in the table.
    shown = admin.send({"player": "Cem", "email": "cem@example.org"}, button="Make a link")
    assert "This link signs Cem in" in shown


def test_the_admin_of_a_game_without_players_reads_what_to_do_first(tmp_path: Path) -> None:
    path = str(tmp_path / "new.db")
    with nomoledger.open(path, create=True) as ledger:
        ledger.create_game("mail", "mail-opening", at=BEGIN)
    with closing(GameHost(path)) as host:
        admin = Browser(make_app(host))
        admin.sign_in(host, "mail", "admin")
        shown = admin.open("/games/mail/admin")
        assert "Nobody plays yet. Bring in the players first" in shown
        assert "Act for a player" not in shown
        assert "Nobody plays yet. Bring somebody in first" in admin.open("/games/mail/admin/people")


def test_a_ruling_that_is_drafted_anew_keeps_what_was_written(enter_as: EnterAs) -> None:
    admin = enter_as("admin")
    admin.open("/games/mail/admin/ruling")
    fields = {"text": "Bob found a bug", "post-from": "Ann", "post-to": "Bob", "post-amount": "9"}
    for event in ("", "4000"):  # The second of them cannot be made.
        given = fields | ({"event": event, "verdict": "reject"} if event else {})
        admin.send(given, to="/ruling/preview")
        admin.send({}, button="Draft it anew")
        assert ">Bob found a bug</textarea>" in admin.text
        assert 'name="post-amount" maxlength="2000" value="9"' in admin.text
    assert 'value="4000"' in admin.text
    assert '<option value="reject" selected>' in admin.text


def test_a_proposal_that_votes_decide_is_not_judged_before_the_votes_either(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "vote.db")
    with nomoledger.open(path, create=True) as ledger:
        game = ledger.create_game("vote", "weekly-vote", at=BEGIN)
        for name in ("Ann", "Bob", "Cem"):
            game.join(name, {"email": f"{name}@example.org"}, at=BEGIN)
        game.propose("Ann", "Nothing", at=BEGIN)
    with closing(GameHost(path)) as host:
        admin = Browser(make_app(host))
        admin.sign_in(host, "vote", "admin")
        shown = admin.open("/games/vote/admin")
        assert "nomoledger vote" not in shown  # Nobody may vote yet.
        assert "Proposal 1 by Ann" in shown
        assert "The rules would refuse a verdict of yours now." in shown
        assert ">Accept<" not in admin.text


def test_times_name_their_zone_and_leave_seconds_out(enter_as: EnterAs) -> None:
    admin = enter_as("admin")
    for place in ("admin", "ways", "events/3", "past"):
        shown = admin.open(f"/games/mail/{place}")
        assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", shown), place
        assert not re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d(?! UTC)", shown), place
