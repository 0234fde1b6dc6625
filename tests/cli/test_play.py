"""Commands that play a game, and what they print."""

import json
from pathlib import Path

import pytest

from cli.commands import NOON, data, ok, refusal, run, wrong


def test_a_game_by_hand(landed: str) -> None:
    output = ok("submit", landed, "Ann", "buy", "square=8", "--at", NOON)
    assert "Ann -80 $, admin +80 $ (square)\n  Ann now owns square 8" in output
    assert "the option of Ann on square 8 has ended" in output
    assert data("standings", landed) == {
        "period": 1,
        "standings": [
            {"rank": 1, "player": "Bob", "money": 1000, "squares": 0, "owned": []},
            {"rank": 2, "player": "Ann", "money": 920, "squares": 1, "owned": [8]},
        ],
        "money": "$",
        "disputed": [],
        "final": False,
    }
    state = data("state", landed)
    assert state["players"]["Ann"]["square"] == 8
    assert state["players"]["Ann"]["speeding"] is None
    assert state["squares"]["8"] == {"number": 8, "owner": "Ann", "name": None, "color": None}
    assert state["accounts"]["Ann"] == {"$": 920}
    assert data("balances", landed)["accounts"]["admin"] == {"$": -1920}


def test_a_refusal_names_its_rule_and_exits_with_1(landed: str) -> None:
    output = refusal("submit", landed, "Bob", "buy", "square=8", "--at", NOON)
    assert output.splitlines()[1] == "refused: this square is not on offer to that player (VIII.3)"
    result = run("submit", landed, "Bob", "buy", "square=8", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["refused"] == [
        "refused: this square is not on offer to that player (VIII.3)"
    ]


def test_a_refused_consequence_does_not_refuse_the_request(game: str) -> None:
    Path("fine.yaml").write_text("- {do: fine, with: {player: Ann, amount: 2000}}")
    ok("propose", game, "Ann", "A fine", "--changes", "fine.yaml", "--at", NOON)
    asked = ok("judge", game, "1", "accepted", "--at", NOON)
    assert (
        "waiting for admin: Ann has $1000 and owes $2000 (one of: nothing moves, take it" in asked
    )
    assert "nomoledger ruling g.db TEXT --value VALUE" in asked
    output = ok("ruling", game, "Take it", "--value", "take it all the same", "--at", NOON)
    assert "Ann -2000 $" in output


@pytest.mark.slow
def test_the_printed_command_answers_the_question(game: str) -> None:
    ok("propose", game, "Ann", "Nothing", "--at", NOON)
    assert "undecided: proposal 1 by Ann: Nothing" in ok("status", game)
    asked = ok("judge", game, "1", "accept", "--at", NOON)
    assert "enter the dice: nomoledger roll g.db N N" in asked
    assert "two dice of six sides for Ann's turn: 2 numbers are needed, from 1 to 6" in wrong(
        "roll", game, "3"
    )
    assert "two dice of six sides for Ann's turn: 2 numbers are needed, from 1 to 6" in wrong(
        "roll", game, "3", "seven"
    )
    assert "what is open is a dice" in wrong("answer", game, "3")
    assert "Ann moves from 1 to 8" in ok("roll", game, "3", "4", "--at", NOON)
    status = data("status", game)
    assert [each["about"] for each in status["due"]] == ["the option of Ann on square 8"]
    assert status["waiting"] == status["proposals"] == []


@pytest.mark.slow
def test_an_amendment_on_the_command_line(game: str) -> None:
    ok("propose", game, "Ann", "Ten days", "--amend", "VIII.3.days_open=10", "--at", NOON)
    ok("judge", game, "1", "accepted", "--at", NOON)
    rules = {each["number"]: each for each in data("rules", game)["rules"]}
    assert rules["VIII.3"]["parameters"] == {"days_open": 10}
    assert [each["source"] for each in rules["VIII.3"]["history"]] == ["rulebook", "proposal 1"]


def test_text_stays_text_and_numbers_are_checked(landed: str) -> None:
    ok("submit", landed, "Ann", "buy", "square=8", "--at", NOON)
    ok("submit", landed, "Ann", "name_square", "square=8", "name=007", "--at", NOON)
    assert data("state", landed)["squares"]["8"]["name"] == "007"
    terms = ("buyer=Bob", "seller=Ann", "square=8")
    message = wrong("submit", landed, "Ann", "deal", *terms, "price=much", "--at", NOON)
    assert "price is a number, not 'much'" in message


def test_a_ruling_with_changes_corrects_the_present(game: str) -> None:
    Path("right.yaml").write_text("- {set: {player: Ann, square: 5}}")
    output = ok("ruling", game, "Ann stands on 5", "--changes", "right.yaml", "--cite", "VI.2",
              "--inferred", "--at", NOON)  # fmt: skip
    assert "square of Ann becomes 5" in output
    event = data("log", game)["events"][-3]["event"]
    assert (event["cites"], event["basis"]) == (["VI.2"], "inferred")


def test_a_repeated_request_is_harmless(game: str) -> None:
    first = ok("propose", game, "Ann", "Nothing", "--id", "p1", "--at", NOON)
    assert ok("propose", game, "Ann", "Nothing", "--id", "p1", "--at", NOON) == first
    assert len(data("status", game)["proposals"]) == 1


def test_a_repeated_request_that_no_longer_applies_is_harmless(game: str) -> None:
    ok("propose", game, "Ann", "Nothing", "--id", "p1", "--at", NOON)
    ok("judge", game, "1", "accepted", "--id", "j1", "--at", NOON)
    first = ok("roll", game, "3", "4", "--id", "r1", "--at", NOON)
    assert ok("roll", game, "3", "4", "--id", "r1", "--at", NOON) == first
    assert "no question is open" in wrong("roll", game, "3", "4", "--id", "r2", "--at", NOON)
    assert ok("judge", game, "1", "accepted", "--id", "j1", "--at", NOON)


def test_time_passes_and_periods_close(landed: str) -> None:
    output = ok("advance", landed, "--to", "2026-01-12T12:00:01")
    assert "the option of Ann on square 8 has ended" in output
    assert "already carried out" in wrong("close", landed, "--at", NOON)
    assert "period 1 is closed" in ok("close", landed, "--at", "2026-01-12T14:00:00+01:00")
    ok("join", landed, "Cyd", "email=c@x.org", "--at", "2026-01-13")
    assert len(data("standings", landed)["standings"]) == 3
    assert len(data("standings", landed, "--period", "1")["standings"]) == 2
    assert "no period 7" in wrong("standings", landed, "--period", "7")
    assert data("replay", landed, "--period", "1")["exact"] is True


def test_json_output_of_play_has_the_events(game: str) -> None:
    made = data("join", game, "Cyd", "email=c@x.org", "--at", NOON)
    assert [each["event"] for each in made["events"]][:2] == [
        "join-requested/1",
        "entity-created/1",
    ]
    head = data("verify", game)["games"][0]["head"]
    assert made["head"] == f"{head['number']}:{head['hash']}"
