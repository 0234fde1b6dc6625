"""Tokens: made on a page, shown once, with scopes, until they expire or are revoked."""

import html
import re

import pytest

from nomoledger.errors import UnknownError, UsageError
from nomoledger.people.api_tokens import ApiTokens
from nomoledger.people.database import open_people
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from nomoledger.web.rate_limits import RATES, Rate, RateLimits
from web.api.conftest import Start
from web.api.programs import Program, token_of
from web.conftest import EnterAs

PATHS = ("desk", "acts", "questions", "orders", "admin/desk", "admin/close")


def test_a_token_is_made_on_a_page_shown_once_used_and_revoked(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann = enter_as("Ann")
    assert "You have none." in ann.open("/games/mail/tokens")
    fields = {"name": "<b>bot", "scope": ["read", "play"], "days": "90"}
    text = ann.send(fields, to="/tokens")
    assert "You have none" not in text
    made = re.search(r"nomoledger_[\w-]{43}", html.unescape(ann.text))
    assert made is not None
    program = Program(ann.client.app, "mail", made[0])
    assert program.get("/desk").json()["player"] == "Ann"
    assert made[0] not in ann.open("/games/mail/tokens")
    assert "&lt;b&gt;bot" in ann.text
    assert "never" not in ann.text
    assert "is revoked" in ann.send({}, to="/tokens/revoke")
    assert program.get("/desk").status_code == 401
    deeds = [deed.what for deed in host.deeds.latest("mail")]
    assert "makes the token '<b>bot' (read, play)" in deeds


def test_only_hashes_are_stored(host: GameHost) -> None:
    token = token_of(host, "mail", "Ann")
    with host._database.transaction() as connection:
        rows = connection.execute("SELECT * FROM api_tokens").fetchall()
    assert token not in repr(rows)


def test_tokens_expire(tmp_path: object) -> None:
    now = [1000.0]
    tokens = ApiTokens(open_people(f"{tmp_path}/some.db"), lambda: now[0])
    secret = tokens.make("mail", "Ann", "bot", ["read"], 1)
    assert tokens.find(secret) is not None
    assert [token.used for token in tokens.all_of("mail", "Ann")] == [1000]
    now[0] += 86400 + 1
    assert tokens.find(secret) is None
    assert tokens.all_of("mail", "Ann") == []


def test_tokens_of_others_cannot_be_revoked_and_senseless_ones_not_made(tmp_path: object) -> None:
    tokens = ApiTokens(open_people(f"{tmp_path}/some.db"))
    tokens.make("mail", "Ann", "bot", ["read"], 1)
    with pytest.raises(UnknownError, match="no such token"):
        tokens.revoke("mail", "Bob", tokens.all_of("mail", "Ann")[0].id)
    for name, scopes, days in [
        ("", ["read"], 1),
        ("x", [], 1),
        ("x", ["all"], 1),
        ("x", ["read"], 0),
    ]:
        with pytest.raises(UsageError):
            tokens.make("mail", "Ann", name, scopes, days)
    with pytest.raises(UsageError, match="only the admin"):
        tokens.make("mail", "Ann", "bot", ["admin"], 1)


def test_a_wrong_scope_is_refused_with_its_name(start: Start) -> None:
    reader, public = start("Ann", "read"), start("Ann", "public")
    wants = [
        (reader, "/trials", {"action": "buy"}, "play"),
        (reader, "/proposals", {"text": "No"}, "propose"),
        (reader, "/disputes", {"text": "No", "period": 1}, "dispute"),
        (start("Ann"), "/admin/close", None, "admin"),
    ]
    for program, path, body, scope in wants:
        answer = program.post(path, body)
        assert (answer.status_code, answer.json()["scope"]) == (403, scope)
        assert f'scope="{scope}"' in answer.headers["www-authenticate"]
    assert public.get("/desk").json()["scope"] == "read"
    assert start("Ann", "play").get("/standings").json()["scope"] == "read"


def test_a_public_token_reads_what_everybody_may_see(start: Start) -> None:
    assert start("Ann", "public").get("/state").json() == start("").get("/state").json()


def test_without_a_token_and_with_a_wrong_one_nothing_of_a_player_is_told(start: Start) -> None:
    stranger = start("")
    for path in PATHS:
        answer = stranger.get(f"/{path}")
        assert (answer.status_code, answer.json()["type"]) == (401, "/api#token")
        assert answer.headers["www-authenticate"].startswith("Bearer")
    for header in ("Bearer nomoledger_x", "Basic abc", "Bearer ", "bearer"):
        stranger.headers = {"authorization": header}
        assert stranger.get("/standings").status_code == 401


def test_cookies_sign_nobody_in_to_the_api_and_tokens_nobody_to_pages(
    enter_as: EnterAs, host: GameHost
) -> None:
    ann = enter_as("Ann")
    assert ann.client.get("/api/v1/games/mail/desk").status_code == 401
    headers = {"idempotency-key": "x", "sec-fetch-site": "same-origin"}
    posted = ann.client.post("/api/v1/games/mail/proposals", json={"text": "No"}, headers=headers)
    assert posted.status_code == 401
    bearer = {"authorization": f"Bearer {token_of(host, 'mail', 'Ann')}"}
    stranger = enter_as("")
    for page in ("play", "tokens", "orders"):
        assert stranger.client.get(f"/games/mail/{page}", headers=bearer).status_code == 401


def test_a_token_works_for_its_game_only(host: GameHost) -> None:
    program = Program(make_app(host), "other", token_of(host, "mail", "Ann"))
    answer = program.get("/standings")
    assert (answer.status_code, answer.json()["type"]) == (403, "/api#scope")


def test_too_many_requests_of_a_token_are_told_when_to_go_on(host: GameHost) -> None:
    limits = RateLimits(rates={**RATES, "reading": Rate(3, 60)})
    app = make_app(host, limits)
    ann, bob = (Program(app, "mail", token_of(host, "mail", name)) for name in ("Ann", "Bob"))
    answers = [ann.get("/players") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 20
    assert answers[-1].json()["type"] == "/api#too-many"
    assert bob.get("/players").status_code == 200
