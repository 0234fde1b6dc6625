"""Rules that do what nothing expects: the game goes on, is replayed, and can be published."""

import json
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from sound_commands import ok, run
from tiers import sample

from nomoledger import events as e
from nomoledger.cli.remedies import void_command
from nomoledger.engine.agenda import Engine
from nomoledger.engine.batches import encode_batch
from nomoledger.errors import RuleFault
from nomoledger.game.game import Game
from nomoledger.language.program import Program
from nomoledger.ledger.ledger import Ledger
from nomoledger.state.world import Attempt

START = "2026-01-05T12:00:00"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A game with Ann and Bob, in the current folder."""
    monkeypatch.chdir(tmp_path)
    ok("init", "g.db", "--rulebook", "mail-opening", "--set", "squares=9", "--at", START)
    ok("join", "g.db", "Ann", "email=ann@example.org", "--at", START)
    ok("join", "g.db", "Bob", "email=bob@example.org", "--at", START)
    return "g.db"


def propose(file: str, code: str, number: str = "X.1") -> Result:
    """Let Ann propose a rule with this code."""
    lines = "".join(f"      {line}\n" for line in code.splitlines())
    text = f"- enact:\n    number: {number}\n    title: T\n    prose: P\n    code: |\n{lines}"
    Path("changes.yaml").write_text(text)
    return run("propose", file, "Ann", "A rule", "--changes", "changes.yaml", "--cases", "0")


def adopt(file: str, code: str) -> str:
    """Let Ann propose a rule with this code; accept it, and return what is printed."""
    result = propose(file, code)
    number = re.search(r"makes proposal (\d+)", result.output)
    assert number is not None, result.output
    return run("judge", file, number[1], "accepted").output


def play_on(file: str) -> None:
    """Show that everything goes on: others join, the period closes, everything is shown."""
    ok("join", file, "Cleo", "email=cleo@example.org")
    ok("close", file)
    for words in (("verify",), ("replay", "--period", "1"), ("log",), ("status",), ("standings",)):
        ok(words[0], file, *words[1:])
    ok("explain", file, "Bob", "money")
    ok("export", file, "g.jsonl")
    ok("export", file, "public.jsonl", "--public")
    ok("verify", "public.jsonl")
    ok("import", "copy.db", "g.jsonl")
    ok("publish", file, "site")


# The names of attributes and the values are computed, so that no check can foresee them.
ODD = {
    "a name that is a list of lists": 'set("Ann", ["name"][0], ["x", ["y"]])',
    "a name that is a number": 'set("Ann", ["name"][0], 5)',
    "a square that is a list": 'set("Ann", ["square"][0], ["x"])',
    "the name of another player": 'set("Ann", "name", "Bob")',
    "a new player whose name is a list": 'create(["player"][0], [{"name": ["x"]}][0], "Zed")',
}


@pytest.mark.slow
@pytest.mark.parametrize("line", ODD.values(), ids=ODD)
def test_a_game_goes_on_when_a_rule_sets_an_attribute_to_something_odd(
    file: str, line: str
) -> None:
    adopt(file, f"def on_enact():\n    {line}")
    play_on(file)


@pytest.mark.slow
def test_things_are_found_beside_things_whose_key_is_a_list_of_lists(file: str) -> None:
    adopt(
        file,
        'def on_enact():\n    for square in all("square"):\n'
        '        if get(square, "number") > 5:\n'
        '            set(square, ["number"][0], [[1], get(square, "number")])',
    )
    assert "1000" in ok("explain", file, "Bob", "money")
    ok("state", file)


@pytest.mark.slow
def test_a_site_shows_balances_that_floats_do_not_tell_apart(file: str) -> None:
    adopt(
        file,
        "def on_enact():\n    for each in range(20):\n"
        '        mint("Ann", 999999999999999, "a gift")',
    )
    play_on(file)


ROLLING = {
    "never settles": "def check_luck():\n    roll(1, 6, 'luck')\n",
    "fails": "def check_luck():\n    if roll(1, 6, 'luck')[0] < 7:\n        fail('bad luck')\n",
    "refuses": "def check_luck():\n    if roll(1, 6, 'luck')[0] < 7:\n        refuse('no luck')\n",
    "asks": (
        "def check_luck():\n    if roll(1, 6, 'luck')[0] < 7 and once('asked', per = 'game'):\n"
        "        ruling('is it luck?', ['yes'])\n"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(ROLLING, 1))
def test_a_period_replays_in_which_a_check_rolled_before_it_was_undone(
    file: str, name: str
) -> None:
    adopt(file, ROLLING[name])
    run("join", file, "Dan", "email=dan@example.org")
    ok("ruling", file, "No luck", "--repeal", "X.1", "--urgent")
    run("ruling", file, "Luck", "--value", "yes")
    play_on(file)


@pytest.mark.slow
def test_a_period_replays_in_which_a_rule_rolled_in_vain_when_it_was_repealed(file: str) -> None:
    adopt(file, "def on_repeal():\n    if roll(1, 6, 'end')[0] < 7:\n        fail('bad luck')\n")
    assert "undone: fail: bad luck" in ok("ruling", file, "No luck", "--repeal", "X.1")
    play_on(file)


@pytest.mark.parametrize("number", ["engine", "Engine", "record"])
def test_no_rule_has_the_number_that_stands_for_no_rule(file: str, number: str) -> None:
    result = propose(file, "def after_land(player):\n    pass\n", number)
    assert f"'{number}' is no number for a rule" in result.output
    assert result.exit_code == 1


@pytest.mark.slow
def test_yes_is_no_time(file: str) -> None:
    adopt(
        file,
        "def action_rest(player: Player, wrong: List = []):\n"
        "    set(player, 'email', 'resting', dict(a = wrong[0] == 'x').get('a'))\n",
    )
    result = run("submit", file, "Ann", "rest", "wrong=x")
    assert "True is no time in seconds since 1970 (X.1)" in result.output
    play_on(file)


WRONG_RULES = {
    "a number that is no text": "enact(get('game', 'bag')[0], 'T', 'P')",
    "a title that is no text": "enact('Q.1', get('game', 'bag')[0], 'P')",
    "parameters that are no table": "enact('Q.1', 'T', 'P', '', get('game', 'bag')[0])",
    "a parameter without a name": "enact('Q.1', 'T', 'P', '', {1: 2})",
    "a parameter nested deep": (
        "deep = []\n    for each in range(900):\n        deep = [deep]\n"
        "    enact('Q.1', 'T', 'P', '', {'deep': deep})"
    ),
    "an invisible character": "enact('Q.1', 'T', 'a' + '\\u200b' + 'b')",
}


@pytest.mark.slow
@pytest.mark.parametrize("line", WRONG_RULES.values(), ids=WRONG_RULES)
def test_rule_code_that_enacts_no_rule_at_all_is_at_fault_and_stops_nobody(
    file: str, line: str
) -> None:
    text = (
        "- enact:\n    number: X.1\n    title: T\n    prose: P\n"
        "    declares: {game: {bag: List}}\n    code: |\n"
    )
    code = f"def on_enact():\n    set('game', 'bag', [5])\n    {line}\n"
    text += "".join(f"      {x}\n" for x in code.splitlines())
    Path("changes.yaml").write_text(text)
    made = run("propose", file, "Ann", "A rule", "--changes", "changes.yaml", "--cases", "0")
    if made.exit_code == 0:
        run("judge", file, "1", "accepted")
    play_on(file)


def test_an_error_of_which_nobody_thought_is_a_fault_of_the_rule_that_acted(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(engine: Engine, program: Program, attempt: Attempt) -> None:
        program.host.frames[-1].rule = "VII.1"
        raise TypeError("unhashable type: 'list'")

    monkeypatch.setattr(Engine, "_perform", fail)
    with Ledger.open(file) as ledger:
        engine = Engine(Game(ledger).world)
        with pytest.raises(RuleFault, match=r"rule VII\.1: TypeError: unhashable") as fault:
            engine.carry_out(Attempt(id="a", operation="turn"))
    assert fault.value.rule == "VII.1"
    assert not fault.value.is_certain


def test_a_rule_is_named_that_makes_an_event_which_no_ledger_can_hold() -> None:
    at = datetime(2026, 1, 5, tzinfo=UTC)
    fields: Any = {"period": 1, "received_at": at, "recorded_at": at}
    left: Any = ["nowhere"]
    move = e.Moved(piece="Ann", left=left, to="x", mode="jump", rules=("X.1@2",), **fields)
    done = e.AttemptDone(attempt="a", rules=("engine",), **fields)
    with pytest.raises(RuleFault, match=r"rule X\.1: made something that cannot be recorded") as x:
        encode_batch([done, move])
    assert x.value.rule == "X.1"


@pytest.mark.parametrize("id", ["-x", "--help"])
def test_no_id_looks_like_an_option_of_a_command(file: str, id: str) -> None:
    order = ("order", file, "Bob", "--when", "money(Bob) > 9999", "--do", "buy square=4")
    result = run(*order, f"--id={id}")
    assert "cannot be an id" in result.output
    assert result.exit_code == 2


def test_what_an_older_version_recorded_under_such_an_id_can_be_void(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(file) as ledger:
        command = void_command(ledger, Game(ledger).name, "order", "--help")
    result = run(*shlex.split(command)[1:])
    assert "there is no order '--help' to be void" in result.output


def test_the_number_of_a_dispute_has_few_digits(file: str) -> None:
    result = run("void", file, "dispute", "9" * 5000, "No")
    assert "is no number of a dispute" in result.output


@pytest.mark.slow
def test_numbers_that_python_cannot_read_are_names_like_any_other(file: str) -> None:
    assert "there is no '999" in run("explain", file, "9" * 5000, "owner").output
    for number, square in enumerate(("²", "--5", "9" * 50)):
        opening = {"squares": {square: {"color": "red"}}}
        header = {"rulebook": "mail-opening", "game": "r", "parameters": {"squares": 4}}
        record = json.dumps(header | {"start": "2026-01-05", "opening": opening})
        Path("record.jsonl").write_text(record + "\n", encoding="utf-8")
        result = run("import", f"record-{number}.db", "record.jsonl")
        assert "ValueError" not in result.output
