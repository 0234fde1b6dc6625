"""What is sealed for others stands in no byte of the API: every operation is tried as everybody."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import nomoledger
from nomoledger.rulebook.changes import parse_changes
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from web.api.documented_answers import document
from web.api.programs import Program, token_of
from web.test_sealed_pages import WHISPERS

BEGIN = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=2)
#: What Bob whispers and orders in secret, and where a webhook of his is.
SECRETS = ("Marmalade", "Gooseberry", "Rhubarb")
BODIES: dict[str, Any] = {
    "submit_action": {"action": "whisper", "arguments": {"text": "Mine"}},
    "try_action": {"action": "whisper", "arguments": {"text": "Mine"}},
    "vote": {"choice": "yes"},
    "answer": {"question": "q", "value": "yes"},
    "place_order": {"when": "closing()", "answer": "yes"},
    "check_proposal": {"changes": "- {repeal: X.9}"},
    "propose": {"text": "Something"},
    "open_dispute": {"text": "Not so", "period": 1},
    "argue": {"text": "Look"},
    "add_webhook": {"address": "https://127.0.0.1/"},
    "switch_webhook": {"is_on": False},
}


@pytest.fixture
def host(tmp_path: Path) -> Iterator[GameHost]:
    """Serves a game with Ann and Bob, and rules by which players whisper."""
    path = str(tmp_path / "secret.db")
    with nomoledger.open(path, create=True) as ledger:
        game = ledger.create_game("game", "mail-opening", at=BEGIN)
        for name in ("Ann", "Bob"):
            game.join(name, {"email": f"{name.lower()}@example.org"}, at=BEGIN)
        game.propose("Ann", "All squares are free", at=BEGIN)
        game.rule("whispers", changes=parse_changes(WHISPERS, "whispers"), at=BEGIN)
    served = GameHost(path)
    yield served
    served.close()


def whisper(host: GameHost) -> list[str]:
    """Let Bob whisper and order in secret, and return the ids of his requests."""
    bob = Program(make_app(host), "game", token_of(host, "game", "Bob"))
    first = bob.post("/actions", {"action": "whisper", "arguments": {"text": "Marmalade"}})
    acts = [{"action": "whisper", "arguments": {"text": "Gooseberry"}}]
    second = bob.post("/orders", {"when": "square(Bob) == 9", "acts": acts})
    assert second.status_code == 200, second.text
    assert "Gooseberry" in bob.get("/orders").text
    assert "Marmalade" in bob.get("/desk").text
    given = ("game", "Bob", "form", "https://example.org/Rhubarb", ["request"], 0)
    webhook, _ = host.webhooks.add(*given)
    assert "Rhubarb" in bob.get("/webhooks").text
    return [first.json()["id"], second.json()["id"], webhook.id]


def operations(methods: tuple[str, ...]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, each in document()["paths"].items():
        for method, operation in each.items():
            if method in methods and path != "/api/v1/games":
                yield method, path.removeprefix("/api/v1/games/{game}"), operation


def answers(program: Program, methods: tuple[str, ...], id: str) -> Iterator[tuple[str, Any]]:
    """Yield the answers to all operations with all numbers of events, proposals and rules."""
    last = program.get().json().get("last", 0)
    for method, path, operation in operations(methods):
        path = re.sub(r"\{(id|order|webhook)\}", id, path).replace("{action}", "whisper")
        numbers = ["1", "X.9"] if "/rules/" in path else ["1", str(last), str(last + 1)]
        for number in numbers if "{number}" in path else [""]:
            address = path.replace("{number}", number)
            address += "?to=2000000000" if operation["operationId"] == "preview_clock" else ""
            address += "?limit=1000" if operation["operationId"] == "list_events" else ""
            if method == "get":
                answer = program.get(address)
            else:
                answer = program.post(address, BODIES.get(operation["operationId"]))
            yield f"{method} {address}", answer


def raw(answer: Any) -> str:
    """Return all bytes of *answer* as text: status, headers and body."""
    return f"{answer.status_code} {sorted(answer.headers.items())} {answer.text}"


@pytest.mark.slow
def test_secrets_of_bob_change_no_byte_that_others_read(host: GameHost) -> None:
    app = make_app(host)
    others = {name: Program(app, "game", token_of(host, "game", name)) for name in ("Ann",)}
    others["nobody"] = Program(app, "game")
    others["public"] = Program(app, "game", token_of(host, "game", "Bob", "public"))
    before = {name: dict(answers(each, ("get",), "none")) for name, each in others.items()}
    ids = whisper(host)
    for name, program in others.items():
        for what, answer in answers(program, ("get",), "none"):
            assert raw(answer) == raw(before[name][what]), f"{name}: {what}"
    for name, program in others.items():
        for id in ids:
            for what, answer in answers(program, ("get", "post"), id):
                found = [word for word in (*SECRETS, "bob@example.org") if word in raw(answer)]
                assert not found, f"{name}: {what}"


def test_others_find_out_nothing_by_the_ids_and_keys_of_bob(host: GameHost) -> None:
    app = make_app(host)
    ids = whisper(host)
    ann = Program(app, "game", token_of(host, "game", "Ann"))
    # The first key of Ann's program is that of Bob's.
    body = {"action": "whisper", "arguments": {"text": "Mine"}}
    assert ann.post("/actions", body).status_code == 200
    for id in (*ids, "none"):
        known = ann.get(f"/requests/{id}")
        assert (known.status_code, known.json()["detail"]) == (
            404,
            "there is no such request of yours",
        )
        undone = ann.post(f"/requests/{id}/undo")
        assert undone.json()["detail"] == "there is no such request of yours"
    for secret in SECRETS:
        assert secret not in ann.get("/desk").text


@pytest.mark.slow
def test_the_admin_reads_all_as_the_admin_and_for_others_what_they_read(host: GameHost) -> None:
    app = make_app(host)
    ids = whisper(host)
    programs = {
        "Ann": Program(app, "game", token_of(host, "game", "Ann")),
        "nobody": Program(app, "game"),
        "admin": Program(app, "game", token_of(host, "game", "admin")),
        "public": Program(app, "game", token_of(host, "game", "admin", "public")),
    }
    shown = {
        who: {what: answer.text for what, answer in answers(each, ("get",), ids[0])}
        for who, each in programs.items()
    }
    told = "".join(shown["admin"].values())
    assert all(word in told for word in ("Marmalade", "Gooseberry")), "the admin sees all"
    assert "Rhubarb" not in told, "but the webhooks of others"
    read_by_all = [what for what, text in shown["nobody"].items() if "/api#" not in text]
    assert len(read_by_all) > 10
    for what in read_by_all:
        assert shown["public"][what] == shown["nobody"][what], what
    for what, text in shown["Ann"].items():
        address = what.removeprefix("get ")
        if not address.startswith(("/admin", "/webhooks")):
            mark = "&" if "?" in address else "?"
            assert programs["admin"].get(f"{address}{mark}as=Ann").text == text, what
