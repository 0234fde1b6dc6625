"""Rules that players write read nothing that their authors may not see, in any way they are tried.

In `mail`, who made a bid is sealed. In `mail` and `origon`, the addresses of players are.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import nomoledger
from nomoledger.game.desk.copied_game import copy_game
from nomoledger.game.desk.drafts import propose_draft
from nomoledger.game.game import Game
from nomoledger.rulebook.changes import parse_changes
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from nomoledger.web.rate_limits import RATES, Rate, RateLimits
from web.api.programs import Program, token_of
from web.browsers import Browser

BEGIN = datetime.now(UTC).replace(microsecond=0) - timedelta(days=30)
#: How code reads what is sealed, in each rulebook. An address is written in pieces: pages withhold
#: whole ones, whoever wrote them.
_MAILS = """["MAIL=" + (get(x, "email") or "none").split("@")[0] for x in all("player")]"""
READ = {
    "mail": f"""{_MAILS} + ["BIDDER=" + str(get(x, "bidder")) for x in all("bid")]""",
    "origon": _MAILS,
}
SECRETS = ("MAIL=granite", "BIDDER=Bob")
#: What a new rule does with what it reads. The last one tells one bit: whether there is something.
SPIES = {
    "fails": "def on_enact():\n    fail(str(seen()))",
    "names": "def on_enact():\n    pay(str(seen()), 'Ann', 1)",
    "refuses": "def on_enact():\n    refuse(str(seen()))",
    "asks": "def on_enact():\n    ask('admin', str(seen()), ['a', 'b'])",
    "tells": "def check_spy():\n    if not get('game', 'leaked'):\n"
    "        set('game', 'leaked', str(seen()))",
    "decides": "def on_enact():\n"
    "    if 'BID' + 'DER=Bob' in seen() or 'MAIL=gra' + 'nite' in seen():\n"
    "        fail('YES' + 'THERE')",
}
SEEN = (*SECRETS, "YESTHERE")


def spying(book: str, how: str) -> str:
    """Return changes of the rules, in YAML, with a rule that spies in the rulebook *book*."""
    code = f"def value_seen() -> List:\n    return {READ[book]}\n\n{SPIES[how]}"
    lines = "".join(f"      {line}\n" for line in code.split("\n"))
    declared = "    declares: {game: {leaked: Text}}\n"
    kept = "    number: ZZ.1\n    title: A tax\n    prose: A tax.\n"
    return f"- enact:\n{kept}{declared}    code: |\n{lines}"


def at(day: int) -> datetime:
    return BEGIN + timedelta(days=day)


def finish(game: Game, day: int) -> None:
    """Answer all that play waits for."""
    while (question := game.world.waiting) is not None:
        if question.asks == "dice":
            break
        game.answer_by_default(at=at(day))


@pytest.fixture(scope="module", params=["mail", "origon"])
def book(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def host(book: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameHost]:
    """Serves a game with a closed period, in which Bob has made a sealed bid if the rules allow."""
    path = str(tmp_path_factory.mktemp(book) / "game.db")
    with nomoledger.open(path, create=True) as ledger:
        game = ledger.create_game("game", book, at=BEGIN, secret=b"s" * 32)
        for name, mail in (("Ann", "slate"), ("Bob", "granite"), ("Cid", "chalk")):
            assert not game.join(name, {"email": f"{mail}@example.org"}, at=BEGIN).refusals
        if book == "mail":
            sold = parse_changes("- set: {square: 12, owner: Government}", "sold")
            game.rule("for sale", changes=sold, at=BEGIN)
        game.close(at=at(7))
        finish(game, 7)
        if book == "mail":
            lots = (game.world.attributes[lot] for lot in game.world.kinds["lot"])
            (lot,) = (lot["number"] for lot in lots if lot.get("stage"))
            assert not game.submit("Bob", "bid", {"lot": lot, "amount": 700}, at=at(8)).refusals
        game.propose("Bob", "All stays as it is", at=at(8), id="proposal")
    served = GameHost(path)
    yield served
    served.close()


@pytest.fixture(scope="module")
def app(host: GameHost) -> Any:
    return make_app(host, RateLimits(rates=dict.fromkeys(RATES, Rate(10_000, 1))))


@pytest.fixture
def ann(app: Any, host: GameHost) -> Browser:
    browser = Browser(app)
    browser.sign_in(host, "game", "Ann")
    return browser


def leaks(text: str) -> list[str]:
    return [secret for secret in SEEN if secret in unescape(text)]


def write(browser: Browser, place: str, do: str, changes: str) -> str:
    """Press a button of an editor until it has an answer, and return the page."""
    browser.open(f"/games/game/proposals/{place}")
    form, sent = browser.text, {"text": "A tax", "changes": changes, "why": "", "do": do}
    for _ in range(60):
        browser.text = form
        browser.send({**sent, "parameter": "", "value": ""}, to="/proposals/")
        if "This is still being computed" not in browser.text:
            break
    return browser.text


@pytest.mark.slow
def test_a_spying_rule_that_is_sent_tells_its_author_nothing(
    ann: Browser, host: GameHost, book: str
) -> None:
    api = Program(ann.client.app, "game", token_of(host, "game", "Ann"))
    for how in SPIES:
        answer = api.post("/proposals", {"text": "A tax", "changes": spying(book, how)})
        assert leaks(answer.text) == [], how
        assert answer.status_code == (409 if how in ("fails", "names") else 200), answer.text
    for place in ("new", "1/suggest"):
        shown = write(ann, place, "send", spying(book, "fails"))
        assert leaks(shown) == [], place
        assert "MAIL=address-2" in shown, place  # What Ann may see of Bob's address.


@pytest.mark.slow
@pytest.mark.parametrize("how", ["refuses", "asks", "tells"])
def test_a_spying_rule_that_is_tried_tells_its_author_nothing(
    ann: Browser, book: str, how: str
) -> None:
    for do in ("again", "forecast"):
        shown = write(ann, "new", do, spying(book, how))
        assert leaks(shown) == [], (do, re.findall(r"<li>[^<]*", shown))


@pytest.mark.slow
def test_a_copy_has_nothing_that_a_spying_rule_could_tell(
    ann: Browser, host: GameHost, book: str, tmp_path: Path
) -> None:
    copied = str(tmp_path / "copy.db")
    with nomoledger.open(host.location) as ledger:
        game = Game(ledger, "game")
        attributes, bids = game.world.attributes, game.world.kinds.get("bid", ())
        assert ["Bob"] * (book == "mail") == [attributes[bid]["bidder"] for bid in bids]
        copy_game(game, copied, None, b"c" * 32)
    with nomoledger.open(copied) as ledger:
        copy = Game(ledger, "game")
        propose_draft(copy, "Ann", "A tax", spying(book, "tells"))
        known = str(copy.world.attributes) + "".join(str(x.body) for x in ledger.read("game"))
    assert "address-2@withheld" in known
    assert "granite" not in known
    assert not re.search(r"bidder\W+Bob", known)
    ann.open("/games/game/past")
    shown = ann.send({}, button="Open a copy")
    assert leaks(shown) == []
