"""Each operation of the API does what it is for: a game is played in which each answers 200."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from webhook_receiver import make_certificate, sender_to

import nomoledger
from nomoledger.rulebook.changes import parse_changes
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from web.api.documented_answers import CHECKED, document
from web.api.programs import Program, token_of
from web.opened_game import BEGIN
from web.test_questions_and_votes import RULES


@pytest.fixture
def host(tmp_path: Path) -> Iterator[GameHost]:
    """Serves a game with real dice, and with rules that ask and take votes."""
    path = str(tmp_path / "mail.db")
    with nomoledger.open(path, create=True) as ledger:
        game = ledger.create_game("mail", "mail-opening", dice="entered", at=BEGIN)
        for name in ("Ann", "Bob"):
            game.join(name, {"email": f"{name.lower()}@example.org"}, at=BEGIN)
        game.rule("colors and votes", changes=parse_changes(RULES, "rules"), at=BEGIN)
    served = GameHost(path, webhook_sender=sender_to(make_certificate(tmp_path)))
    yield served
    served.close()


@pytest.mark.slow
def test_every_operation_answers(host: GameHost) -> None:
    app = make_app(host)
    ann, admin = (Program(app, "mail", token_of(host, "mail", name)) for name in ("Ann", "admin"))
    CHECKED.clear()
    propose_and_dispute(ann, admin)
    play(ann, admin)
    read_all(ann)
    rule_and_close(admin)
    keep_webhooks(ann)
    stated = [each for methods in document()["paths"].values() for each in methods.values()]
    assert {operation["operationId"] for operation in stated} - CHECKED == set()


def done(answer: Any) -> Any:
    """Return what *answer* tells; it must be one of success."""
    assert answer.status_code == 200, f"{answer.request.url}: {answer.text[:500]}"
    return answer.json()


def propose_and_dispute(ann: Program, admin: Program) -> None:
    done(ann.post("/proposals/check", {"changes": "- {repeal: X.7}"}))
    done(ann.post("/proposals", {"text": "Something"}))
    done(ann.post("/proposals/1/votes", {"choice": "yes"}))
    done(ann.post("/disputes", {"text": "Not so", "period": 1}))
    done(ann.post("/disputes/1/arguments", {"text": "Look"}))
    done(admin.post("/admin/disputes/1/close", {"text": "It is so"}))
    done(admin.post("/admin/proposals/1/verdict", {"verdict": "rejected"}))
    done(admin.post("/admin/dice", {"values": [1, 2]}))
    number = done(ann.post("/proposals", {"text": "Another thing"}))["proposal"]
    done(admin.post(f"/admin/proposals/{number}/verdict", {"verdict": "rejected"}))
    # After a double, Ann throws again.
    while done(admin.get("/admin/desk"))["question"] is not None:
        done(admin.post("/admin/draws"))


def play(ann: Program, admin: Program) -> None:
    like = {"action": "like"}
    done(ann.post("/trials", like))
    made = done(ann.post("/actions", like))
    question = done(ann.get("/questions"))["question"]
    done(ann.post("/answers", {"question": question["id"], "value": "red"}))
    done(admin.post("/admin/answers", {"value": 12}))
    done(ann.get(f"/requests/{made['id']}"))
    order = {"when": "closing()", "acts": [like]}
    placed = [done(ann.post("/orders", order)) for _ in range(2)]
    done(ann.post(f"/requests/{placed[1]['id']}/undo"))
    (listed,) = done(ann.get("/orders"))["orders"]
    done(ann.post(f"/orders/{listed['id']}/cancel"))


def rule_and_close(admin: Program) -> None:
    gift = {"text": "A gift", "more": [{"post": {"Ann": 5, "Bob": -5}}]}
    done(admin.post("/admin/rulings/preview", gift))
    done(admin.post("/admin/rulings", gift))
    done(admin.post("/admin/players", {"name": "Cleo", "details": {"email": "c@example.org"}}))
    to = done(admin.get())["now"] + 60
    done(admin.get(f"/admin/clock?to={to}"))
    done(admin.post("/admin/clock", {"to": to}))
    done(admin.get("/admin/close"))
    done(admin.post("/admin/close"))
    done(admin.get("/admin/desk"))
    order = {"when": "closing()", "acts": [{"action": "like"}]}
    done(admin.post("/orders?as=Ann", order))
    done(admin.post("/admin/undo"))
    done(admin.post("/admin/actions", {"action": "report_threat"}))


def keep_webhooks(ann: Program) -> None:
    added = done(ann.post("/webhooks", {"address": "https://localhost:8443/"}))
    place = f"/webhooks/{added['webhook']['id']}"
    done(ann.post(f"{place}/test"))
    done(ann.post(f"{place}/state", {"is_on": False}))
    done(ann.post(f"{place}/remove"))


def read_all(ann: Program) -> None:
    """Read everything that a player may read, and is not read yet."""
    for path, methods in document()["paths"].items():
        if "get" in methods and "/admin/" not in path and "{id}" not in path:
            address = path.replace("{game}", "mail").replace("{action}", "like")
            number = "I.1" if "/rules/" in path else "1"
            address = re.sub(r"\{\w+\}", number, address)
            done(ann.get_at(address))
