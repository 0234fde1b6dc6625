"""Programs read and play a game through the API."""

from typing import Any

from nomoledger.web.game_host import GameHost
from web.api.conftest import Start
from web.conftest import EnterAs


def test_everybody_reads_what_everybody_may_see(start: Start) -> None:
    anybody = start("")
    its = anybody.get().json()
    assert its["players"] == ["Ann", "Bob"]
    assert its["rulebook"] == "mail-opening"
    assert anybody.get("/players").json() == {"players": ["Ann", "Bob"]}
    assert [row["player"] for row in anybody.get("/standings").json()["standings"]] == [
        "Ann",
        "Bob",
    ]
    assert anybody.get("/balances").json()["accounts"]["Ann"] == {"$": 1000}
    assert anybody.get("/rules/I.1").json()["title"] == "Who the admin is"
    assert anybody.get("/state").json()["players"]["Ann"]["email"] == "address-1@withheld.invalid"
    assert anybody.get("/disputes").json() == {"disputes": [], "period": 1}
    squares = anybody.get("/board").json()["squares"]
    assert squares[0] == {
        "square": 1, "name": None, "owner": None, "standing": ["Ann", "Bob"], "place": [0, 0],
    }  # fmt: skip


def test_a_proposal_is_made_judged_and_bought_upon(start: Start) -> None:
    ann, admin = start("Ann"), start("admin")
    made = ann.post("/proposals", {"text": "Something"})
    assert made.status_code == 200, made.text
    assert made.json()["proposal"] == 1
    verdict = admin.post("/admin/proposals/1/verdict", {"verdict": "accepted"})
    assert any("Ann" in line for line in verdict.json()["told"])
    waiting = ann.get("/questions").json()["open"]
    assert [act["action"] for act in waiting] == ["buy", "decline"]
    square = waiting[0]["buttons"][0]["arguments"]["square"]
    body = {"action": "buy", "arguments": {"square": square}}
    tried = ann.post("/trials", body, key="").json()
    assert tried["reasons"] == []
    assert tried["changes"][0]["commodity"] == "$"
    bought = ann.post("/actions", body).json()
    assert bought["told"]
    owned = ann.get("/standings").json()["standings"]
    assert [row["owned"] for row in owned if row["player"] == "Ann"] == [[int(square)]]
    assert ann.get(f"/requests/{bought['id']}").json() == bought
    assert start("Bob").get(f"/requests/{bought['id']}").status_code == 404


def test_a_refusal_has_the_reasons_of_the_rules(start: Start) -> None:
    ann = start("Ann")
    body = {"action": "buy", "arguments": {"square": 9}}
    answer = ann.post("/actions", body, key="buy")
    assert answer.status_code == 409
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == "/api#refused"
    assert problem["reasons"][0]["rule"]
    assert problem["reasons"][0]["text"] in problem["detail"]
    assert ann.post("/trials", body, key="").json()["reasons"] == problem["reasons"]
    assert ann.post("/actions", body, key="buy").json() == problem
    recorded = ann.get(f"/requests/{problem['request']}").json()
    assert recorded["reasons"] == problem["reasons"]


def test_the_same_key_makes_one_request_and_another_body_is_refused(start: Start) -> None:
    ann, bob = start("Ann"), start("Bob")
    first = ann.post("/proposals", {"text": "Once"}, key="mine")
    assert ann.post("/proposals", {"text": "Once"}, key='"mine"').json() == first.json()
    other = ann.post("/proposals", {"text": "Twice"}, key="mine")
    assert (other.status_code, other.json()["type"]) == (422, "/api#key-reused")
    assert bob.post("/proposals", {"text": "Of Bob"}, key="mine").json()["proposal"] == 2
    assert len(ann.get("/proposals").json()["lines"]) == 2
    missing = ann.post("/proposals", {"text": "Once"}, key="")
    assert (missing.status_code, missing.json()["type"]) == (400, "/api#key-missing")


def test_a_form_cannot_take_the_key_of_a_program(enter_as: EnterAs, start: Start) -> None:
    id = start("Ann").post("/proposals", {"text": "Mine"}).json()["id"]
    bob = enter_as("Bob")
    bob.open("/games/mail/proposals/new")
    text = bob.send({"id": id, "text": "Taken", "do": "send"}, to="/proposals/draft")
    assert "lacks its id" in text


def test_orders_are_placed_listed_and_cancelled(start: Start) -> None:
    ann, bob = start("Ann"), start("Bob")
    acts = [{"action": "name_square", "arguments": {"square": 9, "name": "Bath"}}]
    placed = ann.post("/orders", {"when": "square(Ann) == 9", "acts": acts})
    assert placed.status_code == 200, placed.text
    orders = ann.get("/orders").json()["orders"]
    assert "Bath" in orders[0]["says"]
    assert bob.get("/orders").json() == {"orders": []}
    assert bob.post(f"/orders/{orders[0]['id']}/cancel").status_code == 404
    body = {"when": "square(Ann) == 7", "acts": acts, "replaces": orders[0]["id"]}
    for _ in range(2):
        assert bob.post("/orders", body, key="bob").status_code == 200
        assert len(ann.get("/orders").json()["orders"]) == 1, "it is not Bob's to replace"
        assert ann.post("/orders", body, key="again").status_code == 200
        (order,) = ann.get("/orders").json()["orders"]
        assert order["id"] != orders[0]["id"]
    assert ann.post(f"/orders/{order['id']}/cancel").status_code == 200
    assert ann.get("/orders").json() == {"orders": []}


def test_a_request_is_taken_back_while_nothing_has_come_of_it(start: Start) -> None:
    ann, bob = start("Ann"), start("Bob")
    acts = [{"action": "name_square", "arguments": {"square": 9, "name": "Bath"}}]
    id = ann.post("/orders", {"when": "square(Ann) == 9", "acts": acts}).json()["id"]
    assert bob.post(f"/requests/{id}/undo").status_code == 409
    assert ann.post(f"/requests/{id}/undo").status_code == 200
    assert ann.get("/orders").json() == {"orders": []}


def test_disputes_are_opened_argued_and_closed(start: Start) -> None:
    ann, admin = start("Ann"), start("admin")
    opened = ann.post("/disputes", {"text": "Not so", "period": 1}).json()
    assert opened["dispute"] == 1
    assert ann.post("/disputes/1/arguments", {"text": "Look"}).status_code == 200
    assert admin.post("/admin/disputes/1/close", {"text": "It is so"}).status_code == 200
    dispute = ann.get("/disputes").json()["disputes"][0]
    assert dispute["ruling"] == "It is so"
    assert "Look" in [argument["text"] for argument in dispute["arguments"]]
    both = ann.post("/disputes", {"text": "Not so", "period": 1, "event": 2})
    assert both.json()["detail"] == "body: give an event or a period: one of them"


def test_the_admin_rules_closes_lets_time_pass_and_brings_people_in(start: Start) -> None:
    admin = start("admin")
    joined = admin.post("/admin/players", {"name": "Cleo", "details": {"email": "c@example.org"}})
    assert joined.status_code == 200, joined.text
    assert admin.get("/players").json()["players"] == ["Ann", "Bob", "Cleo"]
    body = {"text": "Cleo gets a gift", "more": [{"post": {"Cleo": 5, "Ann": -5}}]}
    shown = admin.post("/admin/rulings/preview", body, key="").json()
    assert (shown["problem"], bool(shown["command"])) == ("", True)
    now = admin.get().json()["now"]
    assert admin.get(f"/admin/clock?to={now + 60}").json()["to"] == now + 60
    assert admin.post("/admin/clock", {"to": now + 60}).status_code == 200
    assert admin.get().json()["now"] == now + 60
    assert admin.get("/admin/close").json()["period"] == 1
    assert admin.post("/admin/close").status_code == 200
    assert admin.get().json()["period"] == 2
    assert admin.get("/admin/desk").json()["period"] == 2


def test_the_admin_acts_for_a_player_and_that_is_noted(start: Start, host: GameHost) -> None:
    admin = start("admin")
    assert "add ?as=PLAYER" in admin.post("/proposals", {"text": "Hers"}).json()["detail"]
    assert admin.post("/proposals?as=Ann", {"text": "Hers"}).status_code == 200
    assert admin.get("/proposals/1").json()["by"] == "Ann"
    assert [deed.acting_for for deed in host.deeds.latest("mail")] == ["Ann"]
    assert start("Bob").get("/desk?as=Ann").status_code == 403
    assert start("admin", "read", "play", "propose").get("/desk?as=Ann").status_code == 403


def test_events_are_read_in_pages_and_explained(start: Start) -> None:
    anybody = start("")
    first = anybody.get("/events?limit=2").json()
    assert [event["number"] for event in first["events"]] == [0, 1]
    assert first["next"] == "/api/v1/games/mail/events?after=1&limit=2"
    rest = anybody.get("/events?after=1&limit=1000").json()
    assert rest["next"] is None
    assert rest["events"][-1]["number"] == rest["last"]
    joined = next(x for x in rest["events"] if x["told"].startswith("Ann asks to join"))
    came = next(x for x in rest["events"] if x["cause"] == joined["number"])
    explained: Any = anybody.get(f"/events/{came['number']}").json()
    assert explained["causes"][0] == joined
    assert explained["trail"]["lines"] or explained["trail"]["note"]
    assert anybody.get("/events/99999").status_code == 404
    assert anybody.get(f"/past/{rest['last']}").json()["players"][0]["name"] == "Ann"


def test_what_is_known_is_not_sent_again_until_something_happens(start: Start) -> None:
    ann = start("Ann")
    first = ann.get("/standings")
    tag = first.headers["etag"]
    again = ann.get("/standings", **{"if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")
    assert start("Bob").get("/standings", **{"if-none-match": tag}).status_code == 200
    ann.post("/proposals", {"text": "News"})
    assert ann.get("/standings", **{"if-none-match": tag}).status_code == 200
