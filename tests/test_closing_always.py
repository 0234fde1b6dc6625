"""A period can always be closed, whatever rules have piled up; else a message names the rule."""

import re
import shlex
from pathlib import Path

import pytest
from sound_commands import ok, run

START = "2026-01-05T12:00:00"
NAMED = re.compile(r"(?:to mend it|to repeal rule \S+): (nomoledger .*)")


def game_with(code: str) -> str:
    """Open a game in which a rule with this code is in force."""
    ok("init", "g.db", "--rulebook", "mail-opening", "--set", "squares=9", "--at", START)
    ok("join", "g.db", "Ann", "email=ann@example.org", "--at", START)
    lines = "".join(f"      {line}\n" for line in code.splitlines())
    text = f"- enact:\n    number: X.1\n    title: T\n    prose: P\n    code: |\n{lines}"
    Path("changes.yaml").write_text(text)
    ok("ruling", "g.db", "In force", "--changes", "changes.yaml")
    return "g.db"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_a_period_closes_at_whose_end_more_statuses_end_than_an_attempt_may_change() -> None:
    file = game_with(
        "def action_mark(player: Player, n: Number):\n"
        "    for each in range(7000):\n"
        "        set(player, 'a%d_%d' % (n, each), 1, 'period')\n"
    )
    for number in range(4):
        ok("submit", file, "Ann", "mark", f"n={number}")
    assert "period 1 is closed" in ok("close", file)
    ok("replay", file, "--period", "1")
    ok("verify", file)


@pytest.mark.slow
def test_a_period_closes_although_attempts_follow_from_the_close_without_end() -> None:
    file = game_with(
        "def define_close_period():\n    schedule('inner', 1)\n"
        "def define_inner(n: Number):\n    schedule('inner', n + 1)\n"
    )
    output = run("close", file).output
    assert "more than 2000 attempts follow from one request" in output
    assert "period 1 is closed" in output
    ok("replay", file, "--period", "1")


@pytest.mark.parametrize(
    "line",
    [
        "mint('Ann', 1, 'too often')",
        "mint('Ann', 1, 'too long' * 1000)",
        "schedule('wait', each)",
    ],
)
def test_the_rule_is_named_that_makes_a_close_use_more_than_it_may(line: str) -> None:
    file = game_with(
        "def define_wait(n: Number):\n    pass\n"
        f"def define_close_period():\n    for each in range(60000):\n        {line}\n"
    )
    refused = run("close", file)
    assert refused.exit_code == 1
    assert "--repeal X.1 --urgent" in refused.output
    named = NAMED.findall(ok("status", file))
    assert named
    ok(*shlex.split(named[0])[1:])
    assert "period 1 is closed" in ok("close", file)


@pytest.mark.slow
def test_timers_without_end_of_one_request_leave_those_of_others_alone() -> None:
    file = game_with(
        "def action_start(player: Player):\n    tick(player)\n"
        "def define_tick(player: Player):\n    schedule('tick', player, due = now() + seconds(1))\n"
        "def action_wait(player: Player):\n    schedule('ring', player, due = now() + days(3))\n"
        "def define_ring(player: Player):\n    set(player, 'email', 'it rang')\n"
    )
    ok("submit", file, "Ann", "wait")
    ok("submit", file, "Ann", "start")
    output = ok("advance", file, "--to", "2027-01-06T12:00:00")
    assert "more than 2000 attempts follow from one request" in output
    assert "email of Ann becomes it rang" in output
