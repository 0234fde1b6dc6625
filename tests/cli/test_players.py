"""players and player: where players stand, what waits for them, what they may do, what happened."""

import shlex

import pytest

from cli.commands import NOON, data, ok, run, wrong
from cli.test_open_things import MONDAY, opened

OPTION = "the option of Ann on square 8"


def test_the_list_says_what_waits_for_each(landed: str) -> None:
    ann, bob = data("players", landed)["players"]
    assert (ann["rank"], ann["player"], ann["square"], ann["money"]) == (1, "Ann", "square 8", 1000)
    (item,) = ann["waiting"]
    assert (item["what"], item["until"]) == (OPTION, "2026-01-12 12:00")
    assert (bob["player"], bob["waiting"]) == ("Bob", [])
    assert "the option of Ann on square 8 (until" in ok("players", landed)


def test_a_player_sees_the_requests_that_answer_and_they_work(landed: str) -> None:
    page = data("player", landed, "Ann")
    (item,) = page["waiting"]
    assert item["requests"] == [
        f"nomoledger submit {landed} Ann buy square=8",
        f"nomoledger submit {landed} Ann decline square=8",
    ]
    ok(*shlex.split(item["requests"][0])[1:], "--at", NOON)
    page = data("player", landed, "Ann")
    assert page["waiting"] == []
    assert (page["money"], page["owned"]) == (920, ["8"])


def test_what_a_player_may_do_was_tried(landed: str) -> None:
    may = {act["action"]: act for act in data("player", landed, "Ann")["may"]}
    assert may["buy"] == {
        "action": "buy",
        "with": ["square=8"],
        "chosen": {},
        "until": "2026-01-12 12:00",
    }
    assert may["name_square"]["chosen"] == {"square": "a square", "name": "a text"}
    told = ok("player", landed, "Ann")
    assert f"may try these, with values to choose (nomoledger submit {landed} Ann ACTION)" in told
    assert "  name_square square=SQUARE name=NAME (square: a square, name: a text)\n" in told
    assert "buy" not in [act["action"] for act in data("player", landed, "Bob")["may"]]
    ok("advance", landed, "--to", "2026-01-12T12:00:01")
    assert "buy" not in [act["action"] for act in data("player", landed, "Ann")["may"]]
    assert "nothing waits for Ann" in ok("player", landed, "Ann")


def test_what_answers_what_waits_is_not_listed_again(landed: str) -> None:
    told = ok("player", landed, "Ann")
    assert told.count("buy square=8") == 1
    assert "  buy square=8" not in told


def test_what_happened_to_a_player_since_a_time(landed: str) -> None:
    ok("submit", landed, "Ann", "buy", "square=8", "--at", "2026-01-06T12:00:00")
    told = ok("player", landed, "Ann", "--since", "2026-01-06")
    assert "since 2026-01-06 00:00:\n  2026-01-06 12:00 Ann asks to buy: square 8" in told
    assert "Ann asks to join" not in told
    assert "Ann asks to join" in ok("player", landed, "Ann", "--since", "2026-01-01")
    assert "nothing happened to Bob" in ok("player", landed, "Bob", "--since", "2026-01-06")


def test_an_address_shows_to_the_admin_only(game: str) -> None:
    assert "ann@x.org" not in ok("player", game, "Ann")
    assert "ann@x.org" not in run("player", game, "Ann", "--as", "Ann").stdout
    assert "ann@x.org" in ok("player", game, "Ann", "--admin")


def test_a_wrong_name_says_who_there_is(game: str) -> None:
    assert "there is no player 'Anne'; did you mean 'Ann'?" in wrong("player", game, "Anne")
    assert "there is: Ann, Bob" in wrong("player", game, "Xerxes")


@pytest.mark.slow
def test_what_is_secret_shows_to_nobody_else(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Two games that differ only in a secret act of Bob look the same to all others."""
    plain, secret = (
        opened(tmp_path_factory.mktemp(name) / "g.db", "nomopoly-iii") for name in ("one", "two")
    )
    for file in (plain, secret):
        ok("propose", file, "Ann", "Something", "--at", MONDAY, "--id", "proposal")
    ok("vote", secret, "Bob", "1", "yes", "--at", MONDAY)
    for words in (("players",), ("player", "Bob"), ("player", "Bob", "--as", "Ann")):
        verb, *rest = words
        shown = ok(verb, plain, *rest, "--json").replace(plain, secret)
        assert shown == ok(verb, secret, *rest, "--json")
    assert "votes yes" in run("player", secret, "Bob", "--as", "Bob").stdout
