"""docs/api.md: what its examples send is answered, and its check of signatures finds forgeries."""

import json
import re
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from litestar.testing import TestClient
from web.api.programs import token_of
from web.opened_game import open_mail_game
from webhook_receiver import running_receiver, sender_to

from nomoledger.people.webhook_round import CallBody
from nomoledger.people.webhook_sender import SECRET_PREFIX
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def examples(kind: str) -> list[str]:
    """Return the examples of *kind* on the page."""
    return [text for its, text in FENCE.findall(PAGE.read_text("utf-8")) if its == kind]


@pytest.fixture
def host(tmp_path: Path) -> Iterator[GameHost]:
    path = str(tmp_path / "mail.db")
    open_mail_game(path)
    served = GameHost(path)
    yield served
    served.close()


def test_the_commands_of_the_page_are_answered(host: GameHost) -> None:
    client: TestClient[Any] = TestClient(make_app(host), base_url="http://127.0.0.1:8000")
    token = token_of(host, "mail", "Ann")
    statuses = []
    for command in examples("sh"):
        written = command.replace("nomoledger_…", token).replace("3f2b…", "3f2b")
        words = shlex.split(written.replace("\\\n", " "))
        assert words.pop(0) == "curl"
        headers, body = {}, None
        while words[0].startswith("-"):
            option, value = words.pop(0), words.pop(0)
            if option == "-H":
                name, _, text = value.partition(": ")
                headers[name] = text
            else:
                assert option == "-d"
                body = value
        (address,) = words
        answer = client.request("POST" if body else "GET", address, content=body, headers=headers)
        statuses.append(answer.status_code)
        told = answer.json()
    assert statuses == [200, 200, 409], "the rules refuse: it is not offered to Ann"
    (problem,) = [json.loads(text) for text in examples("json") if "refused" in text]
    assert {name: told[name] for name in ("type", "title", "status")} == {
        name: problem[name] for name in ("type", "title", "status")
    }
    assert told["reasons"][0].keys() == problem["reasons"][0].keys()


def test_every_address_and_scope_of_the_page_exists(host: GameHost) -> None:
    client: TestClient[Any] = TestClient(make_app(host))
    described = client.get("/api/v1/openapi.json").json()["paths"]
    known = {re.sub(r"\{\w+\}", "X", path) for path in described}
    rows = re.findall(r"^\| (`/.*?) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    for path in re.findall(r"`(/[^`?]*)", " ".join(rows)):
        address = re.sub(r"\b[A-Z]+\b", "X", f"/api/v1/games/GAME{path}")
        assert address in known, path


def test_the_call_on_the_page_has_the_fields_of_calls() -> None:
    (example,) = [text for text in examples("json") if "game.events" in text]
    body = msgspec.json.decode(example, type=CallBody)
    assert json.loads(msgspec.json.encode(body)) == json.loads(example)


def test_the_example_tells_genuine_calls_from_forged_ones(tmp_path: Path) -> None:
    (source,) = examples("python")
    example: dict[str, Any] = {}
    exec(source, example)
    is_genuine, secret = example["is_genuine"], SECRET_PREFIX + "c2VjcmV0c2VjcmV0"
    with running_receiver(tmp_path) as receiver:
        sender_to(receiver.file).send(receiver.address, secret, "call-1", b'{"type": "test"}')
        sender_to(receiver.file, time.time() - 600).send(receiver.address, secret, "x", b"{}")
    (_, headers, body), (_, old, old_body) = receiver.calls
    assert is_genuine(secret, headers, body)
    assert not is_genuine(secret, headers, body + b" ")
    assert not is_genuine(SECRET_PREFIX + "b3RoZXJzZWNyZXQ=", headers, body)
    assert not is_genuine(secret, headers | {"webhook-id": "call-2"}, body)
    assert not is_genuine(secret, old, old_body), "a call of long ago may be a copy"
