"""Whoever opens any address, or sends any form, is shown no secret of somebody else."""

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import msgspec
import pytest

import nomoledger
from nomoledger.events.inputs import Act
from nomoledger.game.game import Game
from nomoledger.mail.mail import MailSettings, WrittenMail
from nomoledger.mail.smtp_account import SmtpAccount
from nomoledger.people.sign_in import ADMIN, Session
from nomoledger.people.suggestions import Suggestion
from nomoledger.rulebook.changes import parse_changes
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from nomoledger.web.rate_limits import RATES, Rate, RateLimits
from web.browsers import Browser, Fields
from web.crawling import crawl, forms, guesses, handlers, shown
from web.opened_game import BEGIN
from web.test_sealed_pages import WHISPERS

PLAYERS = ("Ann", "Bob")
READERS = ("", *PLAYERS, ADMIN)
PLACE = "/games/game"
#: What nobody but its owner and the admin may see, for each player.
SECRETS = {
    name: {
        "whisper": f"murmur{number}quartz",
        "order": f"premove{number}basalt",
        "mail": f"post{number}granite",
        "agent": f"browser{number}marble",
        "hook": f"receiver{number}slate",
    }
    for number, name in enumerate(PLAYERS)
}  # fmt: skip


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameHost]:
    """Serves a game in which Ann and Bob have whispered, and each has a secret order."""
    path = str(tmp_path_factory.mktemp("addresses") / "game.db")
    with nomoledger.open(path, create=True) as ledger:
        game = ledger.create_game("game", "mail-opening", at=BEGIN)
        for name in PLAYERS:
            mail = SECRETS[name]["mail"]
            game.join(name, {"email": f"{mail}@example.org"}, at=BEGIN, id=f"join-{name}")
        game.propose("Ann", "All squares are free", at=BEGIN, id="proposal")
        game.dispute("Bob", "The dice were wrong", period=1, at=BEGIN, id="dispute")
        game.rule("whispers", changes=parse_changes(WHISPERS, "whispers"), at=BEGIN, id="ruling")
        for name in PLAYERS:
            _act_in_secret(game, name)
    account = SmtpAccount("smtp://localhost:9")  # No postman runs: what is posted waits.
    served = GameHost(path, mail=MailSettings(account, "games@example.org", "http://games.test"))
    version = Suggestion("Some squares are free", "", "-All\n+Some", "v1")
    bob = Session("0" * 64, "game", "Bob")
    served.suggestions.add(bob, "Bob", 1, version, "Not all", "suggestion")
    for name in PLAYERS:
        hook = f"https://example.org/{SECRETS[name]['hook']}"
        served.webhooks.add("game", name, "form", hook, ["request"], 0)
    yield served
    served.close()


def _act_in_secret(game: Game, name: str) -> None:
    own = SECRETS[name]
    game.submit(name, "whisper", {"text": own["whisper"]}, at=BEGIN, id=f"whisper-{name}")
    text = {"text": own["order"]}
    order = Act(action="whisper", arguments=text)
    game.order(name, "closing()", (order,), at=BEGIN, id=f"order-{name}")


@pytest.fixture(scope="module")
def browsers(host: GameHost) -> dict[str, Browser]:
    """Returns a browser for each reader, who is signed in; that of a player has its own name."""
    quick = RateLimits(rates=dict.fromkeys(RATES, Rate(10_000, 1)))
    app, made = make_app(host, quick), {}
    for reader in READERS:
        made[reader] = Browser(app)
        if reader in SECRETS:
            made[reader].client.headers["user-agent"] = SECRETS[reader]["agent"]
        if reader:
            made[reader].sign_in(host, "game", reader)
    return made


@pytest.fixture(scope="module")
def mailed(host: GameHost, browsers: dict[str, Browser]) -> tuple[str, str]:
    """Returns the link and the code of a mail for Ann, which wait; Ann's browser has asked."""
    address = f"{SECRETS['Ann']['mail']}@example.org"
    host.sign_in.note_address("game", "Ann", address)
    browsers["Ann"].open(f"{PLACE}/sign-in")
    browsers["Ann"].send({"address": address}, to="/sign-in/mail")
    (letter,) = host.outbox.take("mail")
    text = msgspec.msgpack.decode(letter.content, type=WrittenMail).text
    found = re.search(r"/link/(\S+).*\n    (\w{8})\n", text, re.DOTALL)
    assert found is not None
    return found[1], found[2]


@pytest.fixture(scope="module")
def addresses(host: GameHost, browsers: dict[str, Browser], mailed: tuple[str, str]) -> list[str]:
    """Returns the addresses of all pages, with all that may stand in them; Bob has made a copy."""
    browsers["Bob"].open(f"{PLACE}/play")
    browsers["Bob"].send({}, to="/copies")
    copy = browsers["Bob"].address.partition("/copies/")[2].partition("?")[0]
    ids = [f"{what}-{name}" for name in PLAYERS for what in ("join", "whisper", "order")]
    last = host.head("game")
    values = {
        "game": ["game"],
        "number": [*map(str, (0, 1, *range(last - 7, last + 2)))],
        "id": [*ids, "proposal", "dispute", "ruling", "suggestion"],
        "action": ["whisper", "buy", "none"],
        "token": ["none", mailed[0]],
        "period": ["0", "1", "2"],
        "sent": ["x"],
        "path": ["index.html", "manifest.json", "search.json", ".htaccess"],
        "name": ["site.css", "none"],
    }  # fmt: skip
    in_copy = {**values, "id": [copy], "number": ["1", str(last - 1), str(last)]}
    few = {**values, "number": ["0", "1"], "id": ["suggestion", "none"]}
    apart = re.compile("/copies/|/suggestions/")
    found = {address for address in guesses("GET", values) if not apart.search(address)}
    found |= {address for address in guesses("GET", few) if "/suggestions/" in address}
    found |= {address for address in guesses("GET", in_copy) if "/copies/" in address}
    found |= {f"{address}?as={name}" for address in found for name in PLAYERS}
    return sorted(found)


def secrets_of_others(reader: str) -> list[str]:
    """Return what *reader* may not see."""
    if reader == ADMIN:
        return []
    return [text for name, own in SECRETS.items() if name != reader for text in own.values()]


def tokens(browsers: dict[str, Browser]) -> dict[str, list[str]]:
    """Return what is in the cookies of each reader: nobody else may have it."""
    return {reader: [*browser.client.cookies.values()] for reader, browser in browsers.items()}


def check(browser: Browser, reader: str, address: str, cookies: dict[str, list[str]]) -> None:
    """Check that the last answer, to *reader*, shows nothing secret and is no error of ours."""
    assert browser.status < 500, (reader, address, browser.text)
    text = shown(browser)
    found = [secret for secret in secrets_of_others(reader) if secret in text]
    found += [
        f"the session of {owner}"
        for owner, values in cookies.items()
        for value in values
        if value and value in text
    ]
    assert found == [], (reader or "a visitor", address)


@pytest.mark.parametrize("reader", READERS)
def test_no_page_shows_a_secret_of_somebody_else(
    browsers: dict[str, Browser], addresses: list[str], mailed: tuple[str, str], reader: str
) -> None:
    browser, cookies = browsers[reader], tokens(browsers)
    seen = set()
    for address in crawl(browser, [f"{PLACE}/", *addresses]):
        check(browser, reader, address, cookies)
        assert mailed[1] not in shown(browser), "the code is in the mail only"
        if f"/link/{mailed[0]}" in address:
            assert browser.status == (200 if reader == "Ann" else 403), "the link uses nothing up"
        seen |= {text for own in SECRETS.values() for text in own.values() if text in browser.text}
    # The search would find them: those who may see them are shown them.
    allowed = SECRETS if reader == ADMIN else {reader: SECRETS.get(reader, {})}
    own = [own[what] for own in allowed.values() for what in ("whisper", "order") if what in own]
    own += [SECRETS[reader]["hook"]] if reader in SECRETS else []
    assert set(own) <= seen


def test_no_form_of_somebody_else_does_or_shows_anything(browsers: dict[str, Browser]) -> None:
    cookies = tokens(browsers)
    for owner in (*PLAYERS, ADMIN):
        for action, fields in _forms_of(browsers[owner]):
            for reader in READERS:
                is_own = reader in (owner, ADMIN) or action.endswith(f"?as={reader}")
                if is_own or action.endswith("/sign-out"):
                    continue
                browser = browsers[reader]
                _send(browser, action, fields)
                check(browser, reader, action, cookies)
                if not reader or (owner == ADMIN and "/admin" in action):
                    assert browser.status in (401, 403, 404), (reader, action, browser.text)
    for name, own in SECRETS.items():  # Nobody else has cancelled it, or removed it.
        assert own["order"] in browsers[name].open(f"{PLACE}/play")
        assert own["hook"] in browsers[name].open(f"{PLACE}/webhooks")
        assert "It was not called yet" in browsers[name].open(f"{PLACE}/webhooks")


def _forms_of(browser: Browser) -> list[tuple[str, Fields]]:
    pages = ["play", "orders", "proposals/1", "proposals/new", "disputes", "disputes/1"]
    pages += ["proposals/1/suggest"]
    pages += [
        "play/act/whisper",
        "disputes/new",
        "past/60",
        "admin",
        "admin/people",
        "admin/ruling",
        "admin/files",
    ]
    pages += ["webhooks", "admin/close", "admin/clock", "admin/proposals/1"]
    found: dict[str, tuple[str, Fields]] = {}
    for page in [*pages, *(f"{page}?as={name}" for page in pages[:9] for name in PLAYERS)]:
        browser.open(f"{PLACE}/{page}")
        for action, fields in forms(browser):
            kind = re.sub(r"\d+", "N", action)
            found.setdefault(f"{kind} {sorted(fields)}", (action, fields))
    return list(found.values())


def _send(browser: Browser, action: str, fields: Fields) -> None:
    headers = {
        "content-type": "application/x-www-form-urlencoded",
        "sec-fetch-site": "same-origin",
    }
    browser._took(browser.client.post(action, content=urlencode(fields), headers=headers))


def test_the_admin_alone_reaches_what_is_the_admins(browsers: dict[str, Browser]) -> None:
    values = {"game": ["game"], "number": ["1"], "id": ["x"], "token": ["x"], "action": ["x"]}
    values |= {"name": ["x"], "path": ["x"], "period": ["1"], "sent": ["x"]}
    for reader in ("", *PLAYERS):
        browser = browsers[reader]
        for method in ("GET", "POST"):
            for address in guesses(method, values):
                if "/admin" not in address:
                    continue
                if method == "GET":
                    browser.open(address)
                else:
                    _send(browser, address, {"id": "x", "player": "Ann", "name": "Eve"})
                assert browser.status in (401, 403), (reader, address, browser.status)


def test_all_pages_are_found() -> None:
    assert len(list(handlers())) > 50
