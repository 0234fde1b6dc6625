"""Whatever programs send, the answer is a problem on one line that names the field."""

from typing import Any

import pytest

from nomoledger.web.game_host import GameHost
from web.api.conftest import Start

DEEP = b"[" * 90_000 + b"]" * 90_000
BODIES: list[tuple[bytes, str]] = [
    (b'{"text": "a", "color": "red"}', "unknown field 'color'"),
    (b'{"text": 5}', "field 'text': Expected 'str', got 'int'"),
    (b"{}", "missing required field 'text'"),
    (b"[]", "Expected 'object', got 'array'"),
    (b'{"text": ', "truncated"),
    (b"\xff\xfe", "malformed"),
    (b"", "the body is missing"),
    (b'{"text": "a", "changes": NaN}', "malformed"),
    (b'{"text": "a", "changes": 1e999}', "out of range"),
    (b'{"text": "\\u0000"}', "text: a text cannot hold"),
    (b'{"text": "' + b"a" * 100_000 + b'"}', "text: a text has at most 60000 characters"),
]
ARGUMENTS: list[tuple[bytes, str]] = [
    (b'{"square": 1' + b"0" * 60 + b"}", "arguments.square: a number is too large"),
    (b'{"square": 1.5}', "arguments.square: float 1.5 is not a plain value"),
    (b'{"square": ' + b"[" * 60 + b"]" * 60 + b"}", "more than 32 lists and tables"),
    (b'{"square": ' + DEEP[:20_000] + DEEP[-20_000:] + b"}", ""),
]


def test_bad_bodies_are_told_with_their_fields(start: Start) -> None:
    ann = start("Ann")
    for body, expected in BODIES:
        told(ann.post("/proposals", body), 400, expected)


def test_bad_arguments_are_told_with_their_places(start: Start) -> None:
    ann = start("Ann")
    for arguments, expected in ARGUMENTS:
        body = b'{"action": "buy", "arguments": ' + arguments + b"}"
        for path in ("/actions", "/trials"):
            told(ann.post(path, body), 400, expected)


def test_bad_headers_addresses_and_numbers_are_told(start: Start) -> None:
    ann = start("Ann")
    told(ann.post("/proposals", b'{"text": "' + b"a" * 210_000 + b'"}'), 413, "")
    told(ann.post("/proposals", {"text": "a"}, key="k" * 300), 400, "key")
    ann.headers["content-type"] = "text/plain"
    told(ann.post("/orders/x/cancel"), 415, "send application/json, not 'text/plain'")
    del ann.headers["content-type"]
    for path in ("/events?after=x", "/events?limit=0", "/events?limit=99999999999999999999"):
        told(ann.get(path), 400, "query, field ")
    told(ann.get("/rules/none"), 404, "no rule 'none'")
    told(ann.get("/proposals/7"), 404, "no proposal 7")
    told(ann.get("/acts/fly"), 404, "no action 'fly'")
    told(ann.get("/requests/none"), 404, "no such request")
    told(ann.post("/actions", {"action": "fly"}), 404, "fly")
    told(ann.post("/proposals", {"text": "a", "changes": "- {what: 1}"}), 400, "")
    told(ann.post("/answers", {"question": "q", "value": 1}), 409, "answered already")


def test_problems_of_unknown_addresses_and_methods_are_problem_details(start: Start) -> None:
    client = start("").client
    for method, path, status in [
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/api/v2/games", 404),
        ("DELETE", "/api/v1/games", 405),
        ("GET", "/api/v1/games/mail/actions", 405),
    ]:
        told(client.request(method, path), status, "")
    told(client.get("/api/v1/games/nobody/standings"), 404, "there is no game 'nobody'")


def test_a_bug_is_logged_and_not_told(
    start: Start, host: GameHost, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("internals")

    anybody = start("")
    monkeypatch.setattr(host, "read", fail)
    answer = anybody.get("/standings")
    told(answer, 500, "This is our mistake")
    assert "internals" not in answer.text
    assert "internals" in caplog.text


def told(answer: Any, status: int, expected: str) -> None:
    """Check that *answer* has problem details with the *expected* words on one line."""
    assert answer.status_code == status, answer.text[:300]
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert expected in problem["detail"]
    assert "\n" not in problem["detail"]
    assert len(problem["detail"]) < 600
