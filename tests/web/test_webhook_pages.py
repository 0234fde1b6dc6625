"""The page of webhooks, and the operations of the API: added, tested, switched off, removed."""

import html
import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from webhook_receiver import Receiver, running_receiver, sender_to

from nomoledger.game.game import Game
from nomoledger.people.sign_in import Session
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from nomoledger.web.serving import start_webhooks
from web.api.programs import Program, token_of
from web.browsers import Browser
from web.opened_game import open_mail_game

PAGE = "/games/mail/webhooks"


@pytest.fixture(scope="module")
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    with running_receiver(tmp_path_factory.mktemp("receiver")) as server:
        yield server


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory, receiver: Receiver) -> Iterator[GameHost]:
    path = str(tmp_path_factory.mktemp("pages") / "mail.db")
    open_mail_game(path)
    served = GameHost(path, webhook_sender=sender_to(receiver.file))
    start_webhooks(served)
    yield served
    served.close()


@pytest.fixture(scope="module")
def app(host: GameHost) -> Any:
    return make_app(host)


def browser_of(host: GameHost, app: Any, reader: str) -> Browser:
    browser = Browser(app)
    browser.sign_in(host, "mail", reader)
    return browser


def wait_for(receiver: Receiver, count: int) -> list[dict[str, Any]]:
    """Return the bodies of the next *count* calls, once they are there and noted."""
    end = time.monotonic() + 60
    while len(receiver.calls) < count:
        assert time.monotonic() < end, receiver.calls
        time.sleep(0.02)
    return [json.loads(body) for _, _, body in receiver.taken()]


def until_shown(browser: Browser, text: str) -> str:
    """Return the page as soon as it shows *text*."""
    end = time.monotonic() + 60
    while text not in browser.open(PAGE):
        assert time.monotonic() < end, browser.text
        time.sleep(0.02)
    return browser.open(PAGE)


def test_a_webhook_is_added_tested_told_switched_off_and_removed(
    host: GameHost, app: Any, receiver: Receiver
) -> None:
    ann = browser_of(host, app, "Ann")
    ann.open("/games/mail/tokens")
    assert PAGE in ann.text
    assert "You have none." in ann.open(PAGE)
    address = f"{receiver.address}&token=granite"
    ann.send({"address": address}, to=PAGE)
    secret = re.search(r"whsec_[\w+/=]{44}", html.unescape(ann.text))
    assert secret is not None
    assert secret[0] not in html.unescape(ann.open(PAGE) + ann.text), "it is shown once"
    ann.send({}, button="Send a test")
    (test,) = wait_for(receiver, 1)
    assert (test["type"], test["data"]["events"]) == ("test", [])
    assert "a test" in until_shown(ann, "it has arrived")
    assert "in this minute" in ann.send({}, button="Send a test") or wait_for(receiver, 1)
    session = Session("0" * 64, "mail", "Ann")
    host.request(session, "proposes", Game.propose, "Ann", "Something", id="p")
    (told,) = wait_for(receiver, 1)
    assert any("Something" in event["told"] for event in told["data"]["events"])
    until_shown(ann, f"event {told['data']['events'][-1]['number']} webhook-")
    ann.send({}, button="Switch off")
    assert "Off : you switched it off" in ann.open(PAGE)
    assert "On." in ann.send({}, button="Switch on")
    bob = browser_of(host, app, "Bob")
    assert "You have none." in bob.open(PAGE)
    (webhook,) = host.webhooks.all_of("mail", "Ann")
    bob.send({"address": address}, to=PAGE)
    for do in ("Send a test", "Switch off", "Remove"):
        bob.open(PAGE)
        bob.send({"webhook": webhook.id}, button=do)
        assert bob.status == 404
    ann.open(PAGE)
    assert "You have none." in ann.send({}, button="Remove")
    host.webhooks.remove(host.webhooks.all_of("mail", "Bob")[0])
    deeds = [deed.what for deed in host.deeds.latest("mail") if "webhook" in deed.what]
    assert len(deeds) == 5
    assert all("localhost" in deed and "granite" not in deed for deed in deeds)


def test_the_page_says_if_the_server_calls_no_webhooks(
    host: GameHost, app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = browser_of(host, app, "Ann")
    assert "--no-webhooks" not in ann.open(PAGE)
    monkeypatch.setattr(host, "calls_webhooks", False)
    assert "This server calls no webhooks" in ann.open(PAGE)


@pytest.mark.parametrize(
    ("address", "expected"),
    [("http://example.org", "begins with https://"), ("", "begins with https://"),
     ("https://127.0.0.2/", "not public"), (f"https://{'a' * 64}.example/", "not public"),
     ("https://localhost:22/", "port 443, or 1024 and above")],
)  # fmt: skip
def test_what_cannot_be_called_is_not_added(
    host: GameHost, app: Any, address: str, expected: str
) -> None:
    ann = browser_of(host, app, "Ann")
    ann.open(PAGE)
    assert expected in ann.send({"address": address}, to=PAGE)
    assert ann.status == 422
    program = Program(app, "mail", token_of(host, "mail", "Ann"))
    answer = program.post("/webhooks", {"address": address})
    assert answer.status_code == 400
    assert expected in answer.json()["detail"]
    assert host.webhooks.all_of("mail", "Ann") == []


def test_programs_add_list_switch_and_remove_webhooks(
    host: GameHost, app: Any, receiver: Receiver
) -> None:
    ann, bob = (Program(app, "mail", token_of(host, "mail", name)) for name in ("Ann", "Bob"))
    body = {"address": receiver.address, "kinds": ["request"]}
    added = ann.post("/webhooks", body, key="mine").json()
    assert added["secret"].startswith("whsec_")
    assert ann.post("/webhooks", body, key="mine").json() == added
    place = f"/webhooks/{added['webhook']['id']}"
    assert ann.post(f"{place}/test").status_code == 200
    assert wait_for(receiver, 1)[0]["type"] == "test"
    listed = ann.get("/webhooks")
    assert [each["webhook"]["address"] for each in listed.json()["webhooks"]] == [receiver.address]
    assert added["secret"] not in listed.text
    switched = ann.post(f"{place}/state", {"is_on": False}).json()["webhooks"]
    assert [each["webhook"]["why"] for each in switched] == ["you switched it off"]
    assert bob.get("/webhooks").json() == {"webhooks": []}
    assert bob.post(f"{place}/remove").status_code == 404
    assert ann.post(f"{place}/remove").json() == {"webhooks": []}
    reader = Program(app, "mail", token_of(host, "mail", "Ann", "read", "play"))
    assert reader.post("/webhooks", body).json()["scope"] == "webhooks"
    admin = Program(app, "mail", token_of(host, "mail", "admin"))
    assert "no ?as" in admin.post("/webhooks?as=Ann", body).json()["detail"]
