"""Who sends too much waits, and loses nothing; who does not is not held up by others."""

from collections.abc import Callable

import pytest
from watch import Watch

from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from nomoledger.web.rate_limits import KEYS_MAX, Limiter, OpenStreams, Rate, RateLimits, network_key
from web.browsers import Browser

EnterSlowly = Callable[[str], Browser]
#: Lower than those of a server, so that the tests are fast.
RATES = {"sign-in": Rate(4, 12), "request": Rate(2, 2), "trial": Rate(2, 60)}


@pytest.fixture
def clock() -> Watch:
    return Watch(1000.0)


@pytest.fixture
def enter_slowly(host: GameHost, clock: Watch) -> EnterSlowly:
    """Returns a browser in which somebody is signed in, at a server whose limits know *clock*."""
    app = make_app(host, RateLimits(clock, RATES))

    def enter(reader: str) -> Browser:
        browser = Browser(app)
        browser.sign_in(host, "mail", reader)
        return browser

    return enter


def test_so_many_at_once_then_one_whenever_its_part_of_the_time_has_passed(clock: Watch) -> None:
    limiter = Limiter(Rate(3, 60), clock)
    assert [limiter.take("Ann") for _ in range(5)] == [0, 0, 0, 20, 20]
    assert limiter.take("Bob") == 0
    clock.now += 19
    assert limiter.take("Ann") == 1
    clock.now += 1
    assert [limiter.take("Ann") for _ in range(2)] == [0, 20]
    clock.now += 60
    assert [limiter.take("Ann") for _ in range(4)] == [0, 0, 0, 20]


def test_what_is_refused_does_not_put_off_what_comes_next(clock: Watch) -> None:
    limiter = Limiter(Rate(1, 60), clock)
    assert limiter.take("Ann") == 0
    assert {limiter.take("Ann") for _ in range(1000)} == {60}
    clock.now += 60
    assert limiter.take("Ann") == 0


def test_a_limiter_remembers_few_keys_however_many_come(clock: Watch) -> None:
    limiter = Limiter(Rate(1, 60), clock)
    for number in range(KEYS_MAX + 500):
        assert limiter.take(str(number)) == 0
    assert len(limiter._whole) == KEYS_MAX
    assert limiter.take(str(KEYS_MAX + 499)) == 60
    clock.now += 61
    limiter.take("one more")
    assert list(limiter._whole) == ["one more"]


def test_streams_count_while_they_are_open() -> None:
    streams = OpenStreams()
    most = {"session": 2, "address": 9}
    with streams.one_more(most) as first, streams.one_more(most) as second:
        assert first
        assert second
        with streams.one_more(most) as third, streams.one_more({"address": 9}) as other:
            assert not third
            assert other
            assert streams.count("address") == 3
    assert not streams._open
    with streams.one_more(most) as again:
        assert again


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("testclient", "testclient"),
    ],
)
def test_an_address_counts_as_itself_or_as_its_network(address: str, key: str) -> None:
    assert network_key(address) == key


def test_a_form_that_comes_too_often_is_kept_and_can_be_sent_again(
    enter_slowly: EnterSlowly, host: GameHost, clock: Watch
) -> None:
    ann = enter_slowly("Ann")
    ann.open("/games/mail/play")
    page = ann.text
    while ann.status != 429:
        ann.text = page
        ann.send({"last": "1"}, to="/play/seen")
    ann.open("/games/mail/play/act/name_square")
    ann.send({"with-square": "9", "with-name": "<Bath> & more"}, to="/play/try")
    head = host.head("mail")
    said = ann.send({"id": "once"}, to="/play/submit")
    assert ann.status == 429
    assert "Nothing was done, and nothing is lost. Wait 1 second, and send it again." in said
    assert ann.headers["retry-after"] == "1"
    assert host.head("mail") == head
    clock.now += 1
    assert "Refused" in ann.send({}, to="/play/submit")
    assert ann.status == 200
    assert "/done/once" in ann.address
    assert host.head("mail") > head


def test_one_session_does_not_hold_up_another_of_the_same_address(
    enter_slowly: EnterSlowly,
) -> None:
    ann, bob = enter_slowly("Ann"), enter_slowly("Bob")
    for browser in (ann, bob):
        browser.open("/games/mail/play")
        statuses = [send_seen(browser) for _ in range(RATES["request"].times + 1)]
        assert statuses == [200] * RATES["request"].times + [429]


def send_seen(browser: Browser) -> int:
    headers = {"sec-fetch-site": "same-origin"}
    fields = {"last": "1"}
    answer = browser.client.post("/games/mail/play/seen", data=fields, headers=headers)
    return answer.status_code


def test_trials_count_apart_from_requests(enter_slowly: EnterSlowly) -> None:
    ann = enter_slowly("Ann")
    statuses = {}
    for _ in range(RATES["trial"].times + 1):
        answer = ann.client.post("/games/mail/play/try", data={"action": "buy"})
        statuses[answer.status_code] = answer
    assert 429 in statuses
    assert send_seen(ann) == 200


def test_whoever_is_not_signed_in_counts_by_address(host: GameHost, clock: Watch) -> None:
    app = make_app(host, RateLimits(clock, RATES))
    first, second = Browser(app), Browser(app)
    first.client.cookies.set("nomoledger-session", "made-up")
    statuses = [send_seen(first) for _ in range(RATES["request"].times)]
    assert set(statuses) == {401}
    assert send_seen(second) == 429


def test_links_are_tried_only_so_often(host: GameHost, clock: Watch) -> None:
    thief = Browser(make_app(host, RateLimits(clock, RATES)))
    for _ in range(RATES["sign-in"].times):
        assert thief.client.post("/enter/guess").status_code == 403
    answer = thief.client.post("/enter/guess")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "3")
    assert thief.client.get("/enter/guess").status_code == 404
