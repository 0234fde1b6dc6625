"""Links, sessions and their record: who gets in, where they are signed in, and who sees that."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from watch import Watch

import nomoledger
from nomoledger.people.database import SqlitePeople
from nomoledger.people.sign_in import (
    ADMIN,
    IDLE_SECONDS,
    LINK_SECONDS,
    SESSION_SECONDS,
    Session,
    SignIn,
)
from nomoledger.people.sign_in_record import NETWORK_SECONDS
from nomoledger.people.visit import Visit, network_of, shortened, visit_from
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from web.browsers import Browser
from web.conftest import EnterAs

HERE = Visit("Firefox 140 on Linux", "203.0.113.0/24")
DAY = 24 * 3600


@pytest.fixture
def clock() -> Watch:
    return Watch(1_800_000_000.0)


@pytest.fixture
def sign_in(tmp_path: Path, clock: Watch) -> Iterator[SignIn]:
    database = SqlitePeople(tmp_path / "people.db")
    yield SignIn(database, clock)
    database.close()


def nobody(game: str) -> Session | None:
    return None


def test_a_session_ends_a_month_after_its_last_use(sign_in: SignIn, clock: Watch) -> None:
    token = sign_in.enter(sign_in.invite("mail", "Ann"), HERE, nobody)
    for _ in range(3):
        clock.now += IDLE_SECONDS - DAY
        assert sign_in.session(token) is not None
    clock.now += IDLE_SECONDS + 1
    assert sign_in.session(token) is None
    assert sign_in.sessions("mail", "Ann") == []


def test_a_session_ends_half_a_year_after_its_begin_however_it_is_used(
    sign_in: SignIn, clock: Watch
) -> None:
    token = sign_in.enter(sign_in.invite("mail", "Ann"), HERE, nobody)
    began, last = clock.now, clock.now
    while sign_in.session(token) is not None:
        last = clock.now
        clock.now += DAY
    assert last - began == SESSION_SECONDS


def test_a_link_works_once_and_for_two_weeks(sign_in: SignIn, clock: Watch) -> None:
    used, old = sign_in.invite("mail", "Ann"), sign_in.invite("mail", "Bob")
    sign_in.enter(used, HERE, nobody)
    clock.now += LINK_SECONDS + 1
    for token in (used, old, "never made", "", "\0", "\ud800", "ä" * 100_000):
        assert sign_in.whose(token) is None
        with pytest.raises(nomoledger.NomoledgerError, match="used up, or too old"):
            sign_in.enter(token, HERE, nobody)


def test_a_new_link_of_the_admin_voids_those_before_but_not_that_of_the_server(
    sign_in: SignIn,
) -> None:
    voided = sign_in.invite("mail", "Ann", visit=HERE)
    others = [sign_in.invite("mail", "Bob", visit=HERE), sign_in.invite("other", "Ann", visit=HERE)]
    others.append(sign_in.invite("mail", "Ann"))
    latest = sign_in.invite("mail", "Ann", visit=HERE)
    sign_in.void_others(latest)
    assert sign_in.whose(voided) is None
    assert all(sign_in.whose(token) for token in (latest, *others))


def test_a_link_without_an_address_leaves_the_address_that_is_known(sign_in: SignIn) -> None:
    sign_in.invite("mail", "Ann", "ann@example.org")
    sign_in.invite("mail", "Ann")
    assert sign_in.people("mail") == {"Ann": "ann@example.org"}
    sign_in.invite("mail", "Ann", "")
    assert sign_in.people("mail") == {"Ann": ""}


def test_what_was_read_is_known_in_the_next_session_and_on_other_devices(sign_in: SignIn) -> None:
    def enter() -> Session:
        session = sign_in.session(sign_in.enter(sign_in.invite("mail", "Ann"), HERE, nobody))
        assert session is not None
        return session

    first = enter()
    assert first.seen == -1
    sign_in.note_seen(first, 41)
    sign_in.leave(first, HERE)
    assert enter().seen == 41


def test_the_database_holds_no_token(sign_in: SignIn, tmp_path: Path) -> None:
    link = sign_in.invite("mail", "Ann")
    token = sign_in.enter(link, HERE, nobody)
    for file in tmp_path.iterdir():
        assert link.encode() not in file.read_bytes()
        assert token.encode() not in file.read_bytes()


def test_a_link_that_is_tried_again_is_on_record_for_whom_it_was(sign_in: SignIn) -> None:
    link = sign_in.invite("mail", "Ann", visit=HERE)
    sign_in.enter(link, HERE, nobody)
    thief = Visit("curl/8.1", "198.51.100.0/24")
    with pytest.raises(nomoledger.NomoledgerError):
        sign_in.enter(link, thief, nobody)
    found = {(e.what, e.way, e.browser, e.network) for e in sign_in.record.of("mail", "Ann")}
    assert found == {
        ("link made", "link", *_of(HERE)),
        ("signed in", "link", *_of(HERE)),
        ("refused", "used link", *_of(thief)),
    }
    assert sign_in.record.of("mail", "Bob") == sign_in.record.in_game("other") == []


def _of(visit: Visit) -> tuple[str, str]:
    return visit.browser, visit.network


def test_the_network_is_removed_after_ninety_days_and_the_entry_stays(
    sign_in: SignIn, clock: Watch, tmp_path: Path
) -> None:
    sign_in.enter(sign_in.invite("mail", "Ann", visit=HERE), HERE, nobody)
    clock.now += NETWORK_SECONDS
    assert {entry.network for entry in sign_in.record.in_game("mail")} == {HERE.network}
    clock.now += 1
    assert [entry.network for entry in sign_in.record.in_game("mail")] == ["", ""]
    database = SqlitePeople(tmp_path / "people.db")
    with database.transaction() as connection:
        rows = connection.execute("SELECT network FROM sign_ins").fetchall()
    database.close()
    assert rows == [("",), ("",)]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:aaaa:bbbb::1", "2001:db8:aaaa::/48"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("fe80::1%eth0", "fe80::/48"),
        ("testclient", ""),
        ("<script>", ""),
    ],
)
def test_of_an_address_only_the_network_is_kept(address: str, network: str) -> None:
    assert network_of(address) == network


@pytest.mark.parametrize(
    ("says", "browser"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
         "Firefox 140 on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
         " Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0", "Edge 142 on Windows"),
        ("Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)"
         " Chrome/142.0.0.0 Mobile Safari/537.36", "Chrome 142 on Android"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15"
         " (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1", "Safari 18 on iPhone"),
        ("curl/8.14.1", "curl/8.14.1"),
        ("", "an unnamed program"),
        ("\x00<b>", "an unnamed program"),
        ("A" * 5000, "A" * 40),
    ],
)  # fmt: skip
def test_of_a_browser_its_name_and_system_are_kept(says: str, browser: str) -> None:
    assert shortened(says) == browser
    assert visit_from(says, "") == Visit(browser, "")


@pytest.fixture
def two_games(tmp_path: Path) -> Iterator[GameHost]:
    at = datetime(2026, 1, 5, tzinfo=UTC)
    with nomoledger.open(str(tmp_path / "two.db"), create=True) as ledger:
        for name in ("first", "Zweites Spiel & mehr"):
            game = ledger.create_game(name, "mail-opening", at=at)
            for player in ("Ann", "Bob"):
                game.join(player, {"email": f"{player.lower()}@example.org"}, at=at)
    served = GameHost(str(tmp_path / "two.db"))
    yield served
    served.close()


def test_one_browser_is_signed_in_to_two_games_as_different_people(two_games: GameHost) -> None:
    browser = Browser(make_app(two_games))
    first, second = two_games.games()
    if first != "first":
        first, second = second, first
    browser.sign_in(two_games, first, "Ann")
    browser.sign_in(two_games, second, "Bob")
    for _ in range(2):  # Two tabs, in turn.
        browser.open(f"/games/{first}/play")
        assert "Signed in as <bdi>Ann</bdi>" in browser.text
        browser.open("/games/Zweites%20Spiel%20&%20mehr/play")
        assert "Signed in as <bdi>Bob</bdi>" in browser.text
    browser.send({}, to="/sign-out")
    browser.open("/games/Zweites%20Spiel%20&%20mehr/play")
    assert browser.status == 401
    browser.open(f"/games/{first}/play")
    assert browser.status == 200


def test_to_sign_in_ends_the_session_that_the_browser_had_in_the_game(
    host: GameHost, enter_as: EnterAs
) -> None:
    browser = enter_as("Ann")
    (name,) = browser.client.cookies.keys()
    before = browser.client.cookies[name]
    browser.open(f"/enter/{host.sign_in.invite('mail', 'Bob')}")
    assert "You are signed in here as <bdi>Ann</bdi>" in browser.text
    browser.send({}, to="/enter/")
    assert browser.client.cookies[name] != before
    assert host.sign_in.session(before) is None
    assert host.sign_in.sessions("mail", "Ann") == []
    assert len(host.sign_in.sessions("mail", "Bob")) == 1


def test_a_player_ends_another_session_and_all_others(host: GameHost, enter_as: EnterAs) -> None:
    here, phone, work, bob = (enter_as(name) for name in ("Ann", "Ann", "Ann", "Bob"))
    assert "(here)" in here.open("/games/mail/ways")
    other = next(
        each for each in host.sign_in.sessions("mail", "Ann") if f'value="{each.id}"' in here.text
    )
    here.send({"session": other.id}, to="/ways/end")
    assert len(host.sign_in.sessions("mail", "Ann")) == 2
    # A session of somebody else is not theirs to end.
    (foreign,) = host.sign_in.sessions("mail", "Bob")
    here.send({"session": foreign.id}, to="/ways/end")
    here.send({}, to="/ways/end-others")
    bob.open("/games/mail/play")
    assert bob.status == 200
    for browser in (phone, work):
        browser.open("/games/mail/play")
        assert browser.status == 401
    here.open("/games/mail/play")
    assert here.status == 200


def test_the_admin_sees_all_sign_ins_and_a_player_only_the_own(
    host: GameHost, enter_as: EnterAs
) -> None:
    bob, admin, ann = enter_as("Bob"), enter_as("admin"), enter_as("Ann")
    bob.client.get("/games/mail/play", headers={"user-agent": "Bobs-Browser"})
    link = host.sign_in.invite("mail", "Bob")
    bob.client.post(f"/enter/{link}", headers={"user-agent": "Bobs-Browser/1"})
    seen = admin.open("/games/mail/admin/sign-ins")
    assert "Bobs-Browser/1" in seen
    assert "signed in (link)" in seen
    assert "Bobs-Browser/1" in bob.open("/games/mail/ways")
    own = ann.open("/games/mail/ways")
    assert "signed in (link)" in own
    assert "Bob" not in own
    ann.open("/games/mail/admin/sign-ins")
    assert ann.status == 403
    assert "Bob" not in ann.text


def test_the_page_of_a_link_says_for_whom_it_is_and_keeps_its_address_secret(
    host: GameHost,
) -> None:
    visitor = Browser(make_app(host))
    assert "as the admin" in visitor.open(f"/enter/{host.sign_in.invite('mail', ADMIN)}")
    assert visitor.headers["referrer-policy"] == "strict-origin"
    assert visitor.headers["cache-control"] == "private, no-store"
