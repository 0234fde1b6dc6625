"""The past in the browser: events, the board at each event, and two moments compared."""

import re

from nomoledger.events import Act
from nomoledger.game.game import Game
from nomoledger.people.sign_in import Session
from nomoledger.web.game_host import GameHost
from web.browsers import Browser, words
from web.conftest import EnterAs, let_ann_move


def event_that(browser: Browser, says: str) -> int:
    """Return the number of the event on the page that *says* so."""
    found = re.search(rf'/events/(\d+)">#\d+</a> [^<]*{says}', browser.text)
    assert found is not None, browser.text
    return int(found[1])


def test_an_event_has_its_cause_its_consequences_and_the_rule_that_was_in_force(
    enter_as: EnterAs, host: GameHost
) -> None:
    verdict = let_ann_move(host)
    visitor = enter_as("")
    shown = visitor.open(f"/games/mail/events/{verdict}")
    assert "This came from outside." in shown
    assert "What came of it" in shown
    roll = event_that(visitor, "rolled")
    shown = visitor.open(f"/games/mail/events/{roll}")
    assert "Because of" in shown
    assert "How it came about" in shown
    assert "By these rules, as they were then" in shown
    assert "This was wrong" not in shown
    assert "This was wrong" in enter_as("admin").open(f"/games/mail/events/{roll}")
    assert "no event #4000" in visitor.open("/games/mail/events/4000")
    assert visitor.status == 404


def test_the_past_steps_from_event_to_event_and_compares_two_moments(
    enter_as: EnterAs, host: GameHost
) -> None:
    verdict = let_ann_move(host)
    visitor = enter_as("")
    visitor.open(f"/games/mail/past/{verdict}")
    assert "Ann" in visitor.text
    assert 'type="range"' in visitor.text
    following = re.search(r'rel="next" href="([^"]+)"', visitor.text)
    assert following is not None
    visitor.open(following[1])
    assert visitor.status == 200
    shown = visitor.open(f"/games/mail/past?at={host.head('mail')}&with={verdict}")
    assert "What is on another square" in shown
    assert f"at #{verdict}" in shown.lower()
    assert "Ann" in shown
    assert f"/past/{verdict}" in visitor.text


def test_every_event_of_a_period_is_reached_without_scripts(
    enter_as: EnterAs, host: GameHost
) -> None:
    verdict = let_ann_move(host)
    visitor = enter_as("")
    visitor.open("/games/mail/past")
    assert "first event , last event" in words(visitor.text)
    listed = re.search(r'href="(/games/mail/past/periods/1)"', visitor.text)
    assert listed is not None
    told = visitor.open(listed[1])
    numbers = [int(n) for n in re.findall(r"/past/(\d+)", visitor.text)]
    assert verdict in numbers
    assert numbers == sorted(numbers)
    assert "rolled" in told
    place = numbers.index(verdict)
    visitor.open(f"/games/mail/past?period=1&place={place}")
    assert visitor.address.endswith(f"/past/{verdict}")
    visitor.open(f"/games/mail/past?at=%23{verdict}")
    assert visitor.address.endswith(f"/past/{verdict}")
    visitor.open("/games/mail/past/periods/7")
    assert visitor.status == 404


def test_what_was_thrown_is_corrected_from_the_page_of_the_event(
    enter_as: EnterAs, host: GameHost
) -> None:
    verdict = let_ann_move(host)
    admin = enter_as("admin")
    admin.open(f"/games/mail/events/{verdict}")
    roll = event_that(admin, "rolled")
    admin.open(f"/games/mail/events/{roll}")
    thrown = re.search(r'name="value"[^>]*value="([0-9,]+)"', admin.text)
    assert thrown is not None
    other = "6,6" if thrown[1] != "6,6" else "1,1"  # It leads to another square.
    fields = {"text": "The camera saw it", "verdict": "replace", "value": other}
    shown = admin.send(fields, to="/ruling/preview")
    assert "What is on another square" in shown
    assert f"--replace {roll}={other}" in shown
    admin.send({}, button="Make the ruling")
    assert admin.status == 200
    assert "rules: The camera saw it" in admin.open("/games/mail/admin/deeds")


def test_the_past_of_each_reader_shows_what_that_reader_may_see(
    enter_as: EnterAs, host: GameHost
) -> None:
    order = (Act("buy", {"square": 17}),)
    session = Session("0" * 64, "mail", "Ann")
    when = "money(Ann) > 7654"
    host.request(session, "orders", Game.order, "Ann", when, order, id="order")
    verdict = let_ann_move(host)
    for reader, sees in (("", False), ("Bob", False), ("Ann", True), ("admin", True)):
        browser = enter_as(reader)
        pages = ""
        browser.open("/games/mail/past")
        last = int(browser.address.rpartition("/")[2])
        for number in range(verdict - 6, verdict):
            browser.open(f"/games/mail/events/{number}")
            pages += browser.text
        pages += browser.open(f"/games/mail/past/{last}?with={verdict - 6}")
        assert ("7654" in pages) == sees, reader
        assert "example.org" not in pages
