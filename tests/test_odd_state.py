"""Rules that give attributes values that nothing expects: the game goes on, and can be published."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nomoledger.cli import program

START = "2026-01-05T12:00:00"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A game with Ann and Bob, in the current folder."""
    monkeypatch.chdir(tmp_path)
    ok("init", "g.db", "--rulebook", "mail-opening", "--set", "squares=9", "--at", START)
    ok("join", "g.db", "Ann", "email=ann@example.org", "--at", START)
    ok("join", "g.db", "Bob", "email=bob@example.org", "--at", START)
    return "g.db"


def run(*words: str) -> Result:
    """Run a command that may fail, but not with a bug."""
    result = CliRunner().invoke(program, words)
    assert "this is a bug" not in result.output, (words, result.output)
    return result


def ok(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 0, (words, result.output)
    return result.output


def adopt(file: str, code: str) -> str:
    """Let Ann propose a rule with this code; accept it, and return what is printed."""
    lines = "".join(f"      {line}\n" for line in code.splitlines())
    text = f"- enact:\n    number: X.1\n    title: T\n    prose: P\n    code: |\n{lines}"
    Path("changes.yaml").write_text(text)
    made = ok("propose", file, "Ann", "A rule", "--changes", "changes.yaml", "--cases", "0")
    number = re.search(r"makes proposal (\d+)", made)
    assert number is not None
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


@pytest.mark.parametrize("line", ODD.values(), ids=ODD)
def test_a_game_goes_on_when_a_rule_sets_an_attribute_to_something_odd(
    file: str, line: str
) -> None:
    adopt(file, f"def on_enact():\n    {line}")
    play_on(file)


def test_things_are_found_beside_things_whose_key_is_a_list_of_lists(file: str) -> None:
    adopt(
        file,
        'def on_enact():\n    for square in all("square"):\n'
        '        if get(square, "number") > 5:\n'
        '            set(square, ["number"][0], [[1], get(square, "number")])',
    )
    assert "1000" in ok("explain", file, "Bob", "money")
    ok("state", file)


def test_a_site_shows_balances_that_floats_do_not_tell_apart(file: str) -> None:
    adopt(
        file,
        "def on_enact():\n    for each in range(20):\n"
        '        mint("Ann", 999999999999999, "a gift")',
    )
    play_on(file)
