"""What a player does in secret changes no byte of the pages of others."""

import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import nomoledger
from nomoledger.game.desk.public_head import ReaderHead, public_head
from nomoledger.game.desk.seen_game import seen_game
from nomoledger.game.possible_requests import SOON
from nomoledger.rulebook.changes import parse_changes
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from web.browsers import Browser

BEGIN = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=2)
PAGES = (
    "play", "play/acts", "play/act/whisper", "proposals", "proposals/1", "proposals/new", "orders",
    "disputes", "done/secret", "done/order", "site/index.html", "site/log.html", "site/search.html",
    "site/proposals.html", "site/period-1/why.html", "disputes/new?event=1",
)  # fmt: skip
#: What differs whenever a page is made: the ids of its forms.
_IDS = re.compile(r'value="[0-9a-f]{16}"')
WHISPERS = """
enact:
  number: X.9
  title: Whispers
  prose: A player whispers.
  secret: [whisper]
  declares: {whisper: {by: Player, text: Text}}
  code: |
    def action_whisper(player: Player, text: Text):
        create("whisper", {"by": player, "text": text})
"""
Enter = Callable[[str], Browser]
#: Runs a test under a rulebook with sealed votes.
NOMOPOLY = pytest.mark.parametrize("host", ["nomopoly-iii"], indirect=True)


@pytest.fixture
def host(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[GameHost]:
    """Serves a game with Ann, Bob and Cleo, and a proposal of Ann."""
    path, rulebook = str(tmp_path / "secret.db"), getattr(request, "param", "mail-opening")
    with nomoledger.open(path, create=True) as ledger:
        game = ledger.create_game("game", rulebook, at=BEGIN)
        for name in ("Ann", "Bob", "Cleo"):
            game.join(name, {"email": f"{name.lower()}@example.org"}, at=BEGIN)
        game.propose("Ann", "All squares are free", at=BEGIN)
        if rulebook == "mail-opening":
            game.rule("whispers", changes=parse_changes(WHISPERS, "whispers"), at=BEGIN)
    served = GameHost(path)
    yield served
    served.close()


@pytest.fixture
def enter(host: GameHost) -> Enter:
    app = make_app(host)

    def signed_in(reader: str) -> Browser:
        browser = Browser(app)
        if reader:
            browser.sign_in(host, "game", reader)
        return browser

    return signed_in


def pages_of(browser: Browser) -> dict[str, str]:
    """Return all pages that the browser can open, without what is random in them."""
    found = {}
    for page in PAGES:
        for _ in range(60):
            browser.open(f"/games/game/{page}")
            if browser.status != 202 and "data-later" not in browser.text:
                break
        found[page] = f"{browser.status} {_IDS.sub('', browser.text)}"
    return found


def differences(before: dict[str, dict[str, str]], after: dict[str, dict[str, str]]) -> list[str]:
    """Return the lines of pages that were not there before, with who sees them where."""
    return [
        f"{name or 'a visitor'}, {page}: {line}"
        for name, pages in after.items()
        for page, text in pages.items()
        for line in text.splitlines()
        if line not in before[name][page].splitlines()
    ]


def test_secret_requests_and_orders_change_no_byte_of_the_pages_of_others(
    host: GameHost, enter: Enter
) -> None:
    others = {name: enter(name) for name in ("", "Ann", "Cleo")}
    before = {name: pages_of(browser) for name, browser in others.items()}
    known = host.read("game", public_head, kind=ReaderHead)
    bob = enter("Bob")
    bob.open("/games/game/play/act/whisper")
    bob.send({"with-text": "Marmalade"}, to="/play/try")
    bob.send({"id": "secret"}, to="/play/submit")
    bob.open("/games/game/play/act/whisper")
    order = {"with-text": "Jam", "when": "closing()", "id": "order"}
    bob.text = bob.text.replace('action="/games/game/play/try"', 'action="/games/game/orders/act"')
    assert "Done" in bob.send(order, to="/orders/act")
    assert host.read("game", public_head, kind=ReaderHead) == known
    assert differences(before, {name: pages_of(each) for name, each in others.items()}) == []
    own = pages_of_play(bob)
    assert "What only you and the admin know" in own
    assert "Marmalade" in own
    assert "Jam" in own


@pytest.mark.slow
@NOMOPOLY
def test_a_sealed_vote_has_the_choices_of_the_rules_and_is_cast_once(
    host: GameHost, enter: Enter
) -> None:
    bob = enter("Bob")
    text = pages_of_play(bob)
    assert re.search(r"Vote on proposal 1 until \w+day .* UTC, 4 days left", text)
    choices = [part.split('"')[0] for part in bob.text.split('name="choice" value="')[1:]]
    assert choices == ["yes", "no"]
    first = bob.text
    assert "Done" in bob.send({}, button="No")
    bob.text = first  # The back button, and another choice: the rules refuse a second vote.
    assert "Bob has voted on it" in bob.send({}, button="Yes")
    bob.text = first  # A double click.
    assert "Done" in bob.send({}, button="No")
    own = pages_of_play(bob)
    assert "Vote on proposal 1" not in own
    assert "You voted no." in own
    for name in ("", "Ann", "Cleo"):
        for page, text in pages_of(enter(name)).items():
            assert not re.search("You voted|Bob votes|Bob: no|<bdi>Bob</bdi>: no", text), page


def pages_of_play(browser: Browser) -> str:
    """Return the page of the player as soon as it has all its parts."""
    for _ in range(60):
        text = browser.open("/games/game/play")
        if "data-later" not in browser.text:
            return text
    raise AssertionError(text)


def test_rules_of_readers_who_know_other_secrets_run_in_other_processes(host: GameHost) -> None:
    with nomoledger.open(host.location) as ledger:
        game = ledger.game("game")
        readers = ("Ann", "Bob", None)
        alike = {
            seen_game(game, reader).sandbox(SOON).call(os.getpid, kind=int) for reader in readers
        }
        game.submit("Ann", "whisper", {"text": "a secret"})
        apart = {
            seen_game(game, reader).sandbox(SOON).call(os.getpid, kind=int) for reader in readers
        }
    assert (len(alike), len(apart)) == (1, 2)
