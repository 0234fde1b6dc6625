"""log: filters by player, rule, kind, square, time and period, and what is said of wrong ones."""

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cli.commands import NOON, data, ok, refusal, run, wrong

LATER = "2026-01-06T12:00:00"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Ann lands on square 8 and buys it; Bob lands on 4 a day later, and is refused square 8."""
    file = str(tmp_path_factory.mktemp("filtered") / "g.db")
    ok("init", file, "--rulebook", "mail-opening", "--set", "squares=9", "--dice", "entered",
       "--at", NOON)  # fmt: skip
    for name in ("Ann", "Bob"):
        ok("join", file, name, f"email={name.lower()}@x.org", "--at", NOON)
    ok("propose", file, "Ann", "Nothing", "--at", NOON)
    ok("judge", file, "1", "reject", "--at", NOON)
    ok("roll", file, "3", "4", "--at", NOON)
    ok("submit", file, "Ann", "buy", "square=8", "--at", NOON)
    ok("propose", file, "Bob", "Nothing either", "--at", LATER)
    ok("judge", file, "2", "reject", "--at", LATER)
    ok("roll", file, "1", "2", "--at", LATER)
    return file


def events(file: str, *filters: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = data("log", file, *filters)["events"]
    return found


def test_a_player_sees_what_concerns_the_player(played: str) -> None:
    told = ok("log", played, "--player", "Bob")
    assert "Bob asks to join" in told
    assert "Bob" in told
    assert "Ann -" not in told
    assert "rolled by hand: 1, 2" in told
    assert "rolled by hand: 3, 4" not in told
    either = events(played, "--player", "Ann", "--player", "Bob")
    assert len(either) < len(events(played))
    assert len(either) >= len(events(played, "--player", "Bob"))


def test_what_follows_from_a_request_of_a_player_concerns_the_player(
    played: str, tmp_path: Path
) -> None:
    file = str(shutil.copy(played, tmp_path))
    refusal("submit", file, "Bob", "decline", "square=9", "--at", LATER)
    told = ok("log", file, "--player", "Bob", "--kind", "attempt-refused")
    assert "this square is not on offer" in told
    assert ok("log", file, "--player", "Ann", "--kind", "attempt-refused") == ""


def test_a_square_by_number_or_by_name(played: str, tmp_path: Path) -> None:
    file = str(shutil.copy(played, tmp_path))
    ok("submit", file, "Ann", "name_square", "square=8", "name=Old Mill", "--at", LATER)
    told = ok("log", file, "--square", "8")
    assert "Ann asks to buy: square 8" in told
    assert "Bob" not in told
    assert ok("log", file, "--square", "Old Mill") == told


def test_rules_and_kinds_and_all_of_them(played: str) -> None:
    assert {x["event"]["event"] for x in events(played, "--kind", "posted")} == {"posted/1"}
    assert events(played, "--kind", "draw entered") == events(played, "--kind", "draw_entered")
    of_rule = events(played, "--rule", "VIII.3")
    assert of_rule
    for event in of_rule:
        is_about = event["event"].get("rule", {}).get("number") == "VIII.3"
        assert is_about or any(rule.startswith("VIII.3@") for rule in event["rules"])
    assert events(played, "--rule", "VIII.3@1") == of_rule
    assert events(played, "--rule", "VIII.3", "--kind", "posted", "--player", "Bob") == []


def test_times_and_periods(played: str, tmp_path: Path) -> None:
    late = events(played, "--since", "2026-01-06")
    assert late
    assert all(datetime.fromisoformat(x["at"]) >= datetime(2026, 1, 6, tzinfo=UTC) for x in late)
    file = str(shutil.copy(played, tmp_path))
    ok("close", file, "--at", LATER)
    ok("propose", file, "Ann", "More", "--at", LATER)
    assert {x["period"] for x in events(file, "--period", "1")} == {1}
    assert "More" not in ok("log", file, "--period", "1")


@pytest.mark.parametrize(
    ("filters", "says"),
    [
        (("--player", "Anne"), "there was never a player 'Anne'; did you mean 'Ann'?"),
        (("--player", "Xerxes"), "there was never a player 'Xerxes'; there is: Ann, Bob"),
        (("--kind", "post"), "there was never a kind of event 'post'; did you mean 'posted'?"),
        (("--rule", "VIII.33"), "there was never a rule 'VIII.33'; did you mean 'VIII.3'?"),
        (("--square", "99"), "there was never a square '99'; did you mean '9'?"),
        (("--since", "yesterday"), "'yesterday' is not a time"),
    ],
)
def test_a_wrong_filter_says_what_there_is(
    played: str, filters: tuple[str, ...], says: str
) -> None:
    assert says in wrong("log", played, *filters)


@pytest.mark.slow
def test_the_public_cannot_filter_by_what_is_secret(tmp_path: Path) -> None:
    """A kind of which there are only secret events was never there, for the public."""
    file = str(tmp_path / "g.db")
    ok("init", file, "--rulebook", "nomopoly-iii", "--at", NOON)
    for name in ("Ann", "Bob"):
        ok("join", file, name, f"email={name.lower()}@x.org", "--at", NOON)
    ok("propose", file, "Ann", "Something", "--at", NOON)
    ok("vote", file, "Bob", "1", "yes", "--at", NOON)
    assert "Bob" in ok("log", file, "--kind", "vote-cast", "--admin")
    assert "Bob" in run("log", file, "--kind", "vote-cast", "--as", "Bob").stdout
    assert "there was never a kind of event 'vote-cast'" in wrong(
        "log", file, "--kind", "vote-cast"
    )
