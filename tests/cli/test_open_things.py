"""status: what waits, for whom, until when; each command that it names does what it says."""

import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from cli.commands import NOON, data, ok, run

MONDAY = NOON
SATURDAY = "2026-01-10T12:00:00"
#: Players vote, and are asked.
VOTES = """### I.1 Votes
Words.
```yaml
declares:
  player: {name: Text key, hidden: Flag}
  proposal: {number: Number key, state: Text}
```
```python
def define_join(name: Text) -> Player:
    return create("player", {"name": name, "hidden": False}, name)

def define_propose(player: Player, number: Number):
    create("proposal", {"number": number, "state": "open"})

def define_vote(player: Player, proposal: Proposal, choice: Text):
    set(proposal, "state", "voted")

def define_judge(proposal: Proposal, verdict: Text):
    set(proposal, "state", verdict)

def action_roll_dice(player: Player):
    roll(2, 6)

def action_choose_color(player: Player):
    ask(player, "Which color?", ["red", "blue"])

def action_choose_only(player: Player):
    ask(player, "Which color?", ["red"])

def action_hide(player: Player, hidden: Flag):
    if get(player, "hidden") == hidden:
        refuse("it is so already")
    set(player, "hidden", hidden)
```
"""


def opened(file: Path, rulebook: str, *settings: str) -> str:
    """A new game of Ann, Bob and Cy."""
    ok("init", str(file), "--rulebook", rulebook, *settings, "--at", MONDAY)
    for name in ("Ann", "Bob", "Cy"):
        ok("join", str(file), name, f"email={name.lower()}@x.org", "--at", MONDAY)
    return str(file)


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A week of weekly-vote after the moves: offers, a trade, a proposal."""
    file = opened(tmp_path_factory.mktemp("week") / "g.db", "weekly-vote")
    ok("propose", file, "Ann", "More dice", "--at", MONDAY)
    ok("submit", file, "Ann", "offer_trade", "money=[[Ann, Bob, 5]]", "--at", MONDAY)
    ok("submit", file, "admin", "start_week", "--at", MONDAY)
    return file


def open_items(file: str, *options: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = data("status", file, *options)["open"]
    return items


def answer(file: str, item: dict[str, Any], command: str, at: str) -> str:
    """Run the command on a copy of the game; return what it prints."""
    shutil.copy(file, f"{file}.copy")
    program, *words = shlex.split(command.replace("PLAYER", (item["who"] or ["Ann"])[0]))
    assert program == "nomoledger"
    words = [f"{file}.copy" if word == file else word for word in words]
    result = run(*words, "--at", at)
    assert result.exit_code == 0, (command, result.output)
    return result.stdout


def test_an_option_waits_for_its_player_until_it_lapses(landed: str) -> None:
    (item,) = open_items(landed)
    assert item["what"] == "the option of Ann on square 8"
    assert (item["who"], item["until"]) == (["Ann"], "2026-01-12 12:00")
    commands = dict.fromkeys(command for _, command in item["commands"])
    assert list(commands) == [
        f"nomoledger submit {landed} Ann buy square=8",
        f"nomoledger submit {landed} Ann decline square=8",
    ]
    for command in commands:
        answer(landed, item, command, item["until"].replace(" ", "T"))
    assert (
        "not on offer"
        in run("submit", landed, "Ann", "buy", "square=8", "--at", "2026-01-12T12:00:01").stdout
    )


@pytest.mark.slow
def test_every_command_that_status_names_is_accepted(week: str) -> None:
    items = open_items(week)
    assert {item["what"].partition(" ")[0] for item in items} == {"the", "trade"}
    for item in items:
        for _, command in item["commands"]:
            answer(week, item, command, MONDAY)


@pytest.mark.slow
def test_what_is_offered_lapses_with_the_choices_of_the_week(week: str) -> None:
    offers = [item for item in open_items(week) if "offer" in item["what"]]
    assert offers
    assert {item["until"] for item in offers} == {"2026-01-07 23:59:59"}


@pytest.mark.slow
def test_votes_wait_for_those_who_may_vote(week: str, tmp_path: Path) -> None:
    file = str(shutil.copy(week, tmp_path))
    ok("advance", file, "--to", SATURDAY)
    if data("status", file)["waiting"]:
        pytest.fail("the dice are seeded")
    (item,) = [item for item in open_items(file) if item["what"] == "proposal 1"]
    assert item["who"] == ["Ann", "Bob", "Cy"]
    assert item["until"] is None
    assert item["commands"] == [
        [name, f"nomoledger vote {file} {name} 1 yes"] for name in ("Ann", "Bob", "Cy")
    ]
    for _, command in item["commands"]:
        answer(file, item, command, SATURDAY)
        assert f"\n  {command}\n" in ok("status", file)


@pytest.mark.slow
def test_a_player_sees_only_what_waits_for_that_player(week: str) -> None:
    for item in open_items(week, "--as", "Bob"):
        assert "Bob" in item["who"]


def test_a_proposal_waits_for_its_judge(game: str) -> None:
    ok("propose", game, "Ann", "Nothing", "--at", NOON)
    (item,) = open_items(game)
    assert item["who"] == ["admin"]
    ((_, command),) = item["commands"]
    assert command == f"nomoledger judge {game} 1 accepted"
    assert "accepted" in answer(game, item, command, NOON)


def test_a_rejected_verdict_leaves_the_proposal_undecided_everywhere(landed: str) -> None:
    events = data("log", landed, "--kind", "proposal-judged")["events"]
    ok("ruling", landed, "It was not judged", "--reject", str(events[0]["number"]), "--settle",
       "all", "--yes", "--at", NOON)  # fmt: skip
    assert "undecided: proposal 1 by Ann" in ok("status", landed)
    shown = data("proposal", "show", landed, "1")
    assert (shown["state"], shown["verdict"]) == ("undecided", None)
    (item,) = open_items(landed)
    answer(landed, item, item["commands"][0][1], NOON)


def test_a_dispute_comes_with_the_command_that_closes_it(landed: str) -> None:
    ok("dispute", "open", landed, "Bob", "It was a 2", "--period", "1", "--at", NOON)
    (dispute,) = data("status", landed)["disputes"]
    assert dispute["command"] == f"nomoledger dispute close {landed} 1 TEXT"
    assert dispute["command"] in ok("status", landed)


def test_timers_come_with_the_command_that_lets_time_pass(landed: str) -> None:
    (due,) = data("status", landed)["due"]
    assert due["command"] == f"nomoledger advance {landed} --to 2026-01-12T12:00:01"
    ok(*shlex.split(due["command"])[1:])
    assert data("status", landed)["due"] == []
    assert open_items(landed) == []


@pytest.mark.slow
def test_looking_changes_nothing(week: str) -> None:
    before = data("verify", week)
    open_items(week)
    assert data("verify", week) == before


@pytest.mark.slow
def test_secret_acts_of_others_do_not_show(tmp_path: Path) -> None:
    file = opened(tmp_path / "g.db", "nomopoly-iii")
    ok("propose", file, "Ann", "Something", "--at", MONDAY)
    before = open_items(file)
    run("vote", file, "Bob", "1", "yes", "--at", MONDAY)
    assert open_items(file) == before


@pytest.mark.slow
def test_sealed_bids_are_open_to_all_players(tmp_path: Path) -> None:
    file = opened(tmp_path / "g.db", "mail", "--set", "squares=20")
    ok("close", file, "--at", MONDAY)
    lots = [item for item in open_items(file) if item["what"].startswith("lot ")]
    assert lots
    for lot in lots:
        ((by, command),) = lot["commands"]
        assert (by, lot["who"]) == (None, [])
        assert command.startswith(f"nomoledger submit {file} PLAYER bid lot=")
        assert command.endswith(" amount=AMOUNT")
    assert "asks to bid" in answer(file, lot, command.replace("AMOUNT", "5"), MONDAY)
    (waiting, *_) = data("player", file, "Ann")["waiting"]
    assert waiting["requests"] == [f"nomoledger submit {file} Ann bid lot=1 amount=AMOUNT"]
    assert waiting["explained"] == ["amount: a number"]
    assert "amount=AMOUNT (PLAYER: the own name, amount: a number)" in ok("status", file)


def test_what_many_may_answer_is_one_command(tmp_path: Path) -> None:
    rules, file = tmp_path / "votes.md", str(tmp_path / "g.db")
    rules.write_text(VOTES, "utf-8")
    ok("init", file, "--rulebook", str(rules), "--at", MONDAY)
    for name in ("Ann", "Bob", "Cy", "Di"):
        ok("join", file, name, "--at", MONDAY)
    ok("propose", file, "Ann", "More dice", "--at", MONDAY)
    (item,) = [item for item in open_items(file) if item["what"] == "proposal 1"]
    assert [by for by, _ in item["commands"]] == ["Ann", "Bob", "Cy", "Di", "admin"]
    ok("join", file, "Ed", "--at", MONDAY)
    (item,) = [item for item in open_items(file) if item["what"] == "proposal 1"]
    command = f"nomoledger vote {file} PLAYER 1 yes"
    assert item["commands"][0] == [None, command]
    assert item["explained"][0] == "PLAYER: the own name"
    assert f"  Ann, Bob, Cy, Di, Ed, admin: {command} (PLAYER: the own name)" in ok("status", file)


def test_a_question_says_what_its_command_asks_for(tmp_path: Path) -> None:
    rules, file = tmp_path / "votes.md", str(tmp_path / "g.db")
    rules.write_text(VOTES, "utf-8")
    ok("init", file, "--rulebook", str(rules), "--dice", "entered", "--at", MONDAY)
    ok("join", file, "Ann", "--at", MONDAY)
    run("submit", file, "Ann", "roll_dice", "--at", MONDAY)
    assert f"nomoledger roll {file} N N (each N: 1 to 6)\n" in ok("status", file)
    ok("roll", file, "1", "2", "--at", MONDAY)
    run("submit", file, "Ann", "choose_color", "--at", MONDAY)
    told = ok("status", file)
    assert f"nomoledger answer {file} VALUE --by Ann (VALUE: one of these)\n" in told
    ok("answer", file, "red", "--by", "Ann", "--at", MONDAY)
    run("submit", file, "Ann", "choose_only", "--at", MONDAY)
    assert f"nomoledger answer {file} red --by Ann\n" in ok("status", file)


def test_a_flag_has_two_values_and_both_are_tried(tmp_path: Path) -> None:
    rules, file = tmp_path / "votes.md", str(tmp_path / "g.db")
    rules.write_text(VOTES, "utf-8")
    ok("init", file, "--rulebook", str(rules), "--at", MONDAY)
    ok("join", file, "Ann", "--at", MONDAY)
    may = {act["action"]: act for act in data("player", file, "Ann")["may"]}
    assert (may["hide"]["with"], may["hide"]["chosen"]) == (["hidden=yes"], {})
    ok("submit", file, "Ann", "hide", "hidden=yes", "--at", MONDAY)
    may = {act["action"]: act for act in data("player", file, "Ann")["may"]}
    assert may["hide"]["with"] == ["hidden=no"]
