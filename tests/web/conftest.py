"""A served game of mail-opening with Ann and Bob, and a browser for each of the people."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nomoledger.game.game import Game
from nomoledger.people.sign_in import Session
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from web.browsers import Browser
from web.opened_game import open_mail_game

EnterAs = Callable[[str], Browser]


@pytest.fixture
def ledger_file(tmp_path: Path) -> str:
    path = str(tmp_path / "mail.db")
    open_mail_game(path)
    return path


@pytest.fixture
def host(ledger_file: str) -> Iterator[GameHost]:
    served = GameHost(ledger_file)
    yield served
    served.close()


@pytest.fixture
def enter_as(host: GameHost) -> EnterAs:
    """Returns a browser in which somebody is signed in; nobody for the empty name."""
    app = make_app(host)

    def enter(reader: str) -> Browser:
        browser = Browser(app)
        if reader:
            browser.sign_in(host, "mail", reader)
        return browser

    return enter


def let_ann_move(host: GameHost) -> int:
    """Let Ann move by a proposal, so that she is offered a square until a timer ends the offer.

    Returns the number of the verdict that led to it.
    """
    ann, admin = (Session("0" * 64, "mail", reader) for reader in ("Ann", "admin"))
    host.request(ann, "proposes", Game.propose, "Ann", "Something", id="proposal")
    host.request(admin, "judges", Game.judge, 1, "accepted", id="verdict")
    return event_of(host, "verdict")


def event_of(host: GameHost, id: str) -> int:
    """Return the number of the request with that *id*."""
    found = host._ledger.find_input("mail", id)
    assert found is not None
    return found
