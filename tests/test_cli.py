"""The command line: what each command prints, its exit codes, and every way to get it wrong."""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from tiers import sample, sample_rows

from nomoledger.cli import program

NOON = "2026-01-05T12:00:00"
COMMAND = [sys.executable, "-c", "from nomoledger.cli import main; main()"]


def run(*words: str) -> Result:
    return CliRunner().invoke(program, list(words))


def ok(*words: str) -> str:
    result = run(*words)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def data(*words: str) -> Any:
    return json.loads(ok(*words, "--json"))


def refused(*words: str) -> str:
    result = run(*words)
    assert (result.exit_code, result.stderr) == (1, ""), result.output
    return result.stdout


def wrong(*words: str) -> str:
    """The one line on standard error of a command that is misused."""
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.startswith("nomoledger: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    assert "unexpected" not in result.stderr
    return result.stderr


@pytest.fixture(scope="module")
def game_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A game with Ann and Bob on a board of 9, with real dice; copy the file."""
    file = str(tmp_path_factory.mktemp("game") / "g.db")
    ok("init", file, "--rulebook", "mail-opening", "--set", "squares=9", "--dice", "entered",
       "--at", NOON)  # fmt: skip
    ok("join", file, "Ann", "email=ann@x.org", "--at", NOON)
    ok("join", file, "Bob", "email=bob@x.org", "--at", NOON)
    return file


@pytest.fixture(scope="module")
def landed_file(game_file: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same game after Ann landed on square 8; copy the file."""
    file = str(shutil.copy(game_file, tmp_path_factory.mktemp("landed") / "g.db"))
    ok("propose", file, "Ann", "Nothing", "--at", NOON)
    ok("judge", file, "1", "reject", "--at", NOON)
    ok("roll", file, "3", "4", "--at", NOON)
    return file


@pytest.fixture
def game(game_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A game with Ann and Bob, as g.db in the current folder."""
    monkeypatch.chdir(tmp_path)
    return shutil.copy(game_file, "g.db")


@pytest.fixture
def landed(landed_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A game in which Ann landed on square 8, as g.db in the current folder."""
    monkeypatch.chdir(tmp_path)
    return shutil.copy(landed_file, "g.db")


# --- help ---------------------------------------------------------------------------------------


def commands() -> dict[str, click.Command]:
    """Every command by what is typed for it."""
    found = dict(program.commands)
    for name, group in program.commands.items():
        if isinstance(group, click.Group):
            found |= {f"{name} {n}": each for n, each in group.commands.items()}
    return found


@pytest.mark.parametrize("name", commands())
def test_every_command_has_a_line_of_help_and_an_example(name: str) -> None:
    text = ok(*name.split(), "--help")
    command = name.removesuffix(" of")
    assert f"Example: nomoledger {command}" in text.replace("\n ", "")
    line = commands()[name].get_short_help_str(200)
    assert 10 < len(line) <= 65


def test_the_help_lists_every_command_once() -> None:
    text = ok("--help")
    for name in program.commands:
        assert text.count(f"\n  {name} ") == 1


def test_the_version_is_told() -> None:
    assert ok("--version").startswith("nomoledger 0.")


def test_a_read_model_or_an_engine_is_loaded_only_where_it_is_needed() -> None:
    script = (
        "import sys; from nomoledger.cli import program\n"
        "heavy = {'rich', 'starlark', 'eventsourcing', 'markdown_it', 'yaml', 'sqlite3'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


# --- playing --------------------------------------------------------------------------------------


def test_a_game_by_hand(landed: str) -> None:
    told = ok("submit", landed, "Ann", "buy", "square=8", "--at", NOON)
    assert "Ann -80 $, admin +80 $ (square)\n  owner of 8 becomes Ann" in told
    assert "option (player Ann, square 8) is gone" in told
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
    told = refused("submit", landed, "Bob", "buy", "square=8", "--at", NOON)
    assert told.splitlines()[1] == "refused: no option to buy this square (VIII.3)"
    result = run("submit", landed, "Bob", "buy", "square=8", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["refused"] == [
        "refused: no option to buy this square (VIII.3)"
    ]


def test_a_refusal_of_what_only_follows_is_not_one_of_what_was_asked(game: str) -> None:
    Path("fine.yaml").write_text("- {do: fine, with: {player: Ann, amount: 2000}}")
    ok("propose", game, "Ann", "A fine", "--changes", "fine.yaml", "--at", NOON)
    asked = ok("judge", game, "1", "accepted", "--at", NOON)
    assert (
        "waiting for admin: Ann has $1000 and owes $2000 (one of: nothing moves, take it" in asked
    )
    assert "nomoledger ruling g.db TEXT --value VALUE" in asked
    told = ok("ruling", game, "Take it", "--value", "take it all the same", "--at", NOON)
    assert "Ann -2000 $" in told


def test_questions_are_answered_by_the_command_that_status_names(game: str) -> None:
    ok("propose", game, "Ann", "Nothing", "--at", NOON)
    assert "undecided: proposal 1 by Ann: Nothing" in ok("status", game)
    asked = ok("judge", game, "1", "accept", "--at", NOON)
    assert "enter the dice: nomoledger roll g.db N N" in asked
    assert "2 dice from 1 to 6 are needed" in wrong("roll", game, "3")
    assert "2 dice from 1 to 6 are needed" in wrong("roll", game, "3", "seven")
    assert "what is open is a dice" in wrong("answer", game, "3")
    assert "Ann moves from 1 to 8" in ok("roll", game, "3", "4", "--at", NOON)
    status = data("status", game)
    assert [each["about"] for each in status["due"]] == ["option (player Ann, square 8)"]
    assert status["waiting"] == status["proposals"] == []


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
    said = wrong("submit", landed, "Ann", "deal", *terms, "price=much", "--at", NOON)
    assert "price is a number, not 'much'" in said


def test_a_correction_puts_right_from_now_on(game: str) -> None:
    Path("right.yaml").write_text("- {set: {player: Ann, square: 5}}")
    told = ok("ruling", game, "Ann stands on 5", "--changes", "right.yaml", "--cite", "VI.2",
              "--inferred", "--at", NOON)  # fmt: skip
    assert "square of Ann becomes 5" in told
    event = data("log", game)["events"][-3]["event"]
    assert (event["cites"], event["basis"]) == (["VI.2"], "inferred")


def test_a_repeated_request_is_harmless(game: str) -> None:
    first = ok("propose", game, "Ann", "Nothing", "--id", "p1", "--at", NOON)
    assert ok("propose", game, "Ann", "Nothing", "--id", "p1", "--at", NOON) == first
    assert len(data("status", game)["proposals"]) == 1


def test_also_one_that_would_make_no_sense_any_more(game: str) -> None:
    ok("propose", game, "Ann", "Nothing", "--id", "p1", "--at", NOON)
    ok("judge", game, "1", "accepted", "--id", "j1", "--at", NOON)
    first = ok("roll", game, "3", "4", "--id", "r1", "--at", NOON)
    assert ok("roll", game, "3", "4", "--id", "r1", "--at", NOON) == first
    assert "no question is open" in wrong("roll", game, "3", "4", "--id", "r2", "--at", NOON)
    assert ok("judge", game, "1", "accepted", "--id", "j1", "--at", NOON)


def test_time_passes_and_periods_close(landed: str) -> None:
    told = ok("advance", landed, "--to", "2026-01-12T12:00:01")
    assert "option (player Ann, square 8) is gone" in told
    assert "already carried out" in wrong("close", landed, "--at", NOON)
    assert "period 1 is closed" in ok("close", landed, "--at", "2026-01-12T14:00:00+01:00")
    ok("join", landed, "Cyd", "email=c@x.org", "--at", "2026-01-13")
    assert len(data("standings", landed)["standings"]) == 3
    assert len(data("standings", landed, "--period", "1")["standings"]) == 2
    assert "no period 7" in wrong("standings", landed, "--period", "7")
    assert data("replay", landed, "--period", "1")["exact"] is True


def test_play_as_json_gives_the_events(game: str) -> None:
    made = data("join", game, "Cyd", "email=c@x.org", "--at", NOON)
    assert [each["event"] for each in made["events"]][:2] == [
        "join-requested/1",
        "entity-created/1",
    ]
    head = data("verify", game)["games"][0]["head"]
    assert made["head"] == f"{head['number']}:{head['hash']}"


# --- misuse ---------------------------------------------------------------------------------------

MISUSE = [
    ("bogus", "no such command 'bogus'"),
    ("standings", "missing argument 'LEDGER'"),
    ("standings g.db --loud", "no such option"),
    ("standings nope.db", "no ledger at nope.db"),
    ("standings junk.db", "is not a ledger"),
    ("standings g.db --game chess", "no game 'chess'"),
    ("standings g.db --period x", "'x' is not a valid integer"),
    ("standings g.db --period 0", "there is no period 0"),
    ("standings g.db --period -99999999999999999999", "there is no period"),
    ("join g.db Cyd email", "'email' is not of the form KEY=VALUE"),
    ("join g.db Cyd --at noon", "'noon' is not a time"),
    ("join g.db Cyd --at 0001-01-01T00:00:00+23:59", "is not a time"),
    ("submit g.db Zoe buy", "there is no player 'Zoe'; playing: Ann, Bob"),
    ("submit g.db Ann dance", "nobody can 'dance'; there is: buy, deal"),
    ("judge g.db 1 maybe", "'maybe' is not one of"),
    ("judge g.db 99999999999999999999999999 accepted", "there is no proposal 9999"),
    ("judge g.db one accepted", "'one' is not a valid integer"),
    ("vote g.db Ann 3 yes", "there is no proposal 3"),
    ("roll g.db 3 4", "no question is open"),
    ("answer g.db yes", "no question is open"),
    ("ruling g.db Text --value yes", "no question is open"),
    ("ruling g.db Text --value yes --changes junk.db", "give one"),
    ("advance g.db", "missing option '--to'"),
    ("advance g.db --to 2026-01-06 --at 2026-01-06", "from --to"),
    ("propose g.db Ann Text --changes nope.yaml", "nope.yaml cannot be read"),
    ("propose g.db Ann Text --changes bad.yaml", "bad.yaml: not YAML"),
    ("propose g.db Ann Text --changes odd.yaml", "odd.yaml: "),
    ("propose g.db Ann Text --amend days_open=10", "names no rule's parameter"),
    ("init g.db --rulebook mail-opening", "there is a game 'mail-opening' already"),
    ("init new.db --rulebook nope", "no rulebook 'nope'"),
    ("init new.db --rulebook junk.db", "no rules in it"),
    ("init new.db --rulebook mail-opening --set size=3", "no parameter 'size'"),
    ("init new.db --rulebook mail-opening --set squares=many", "squares is a whole number"),
    ("init new.db --rulebook mail-opening --set squares=99999999999999999999", "too large"),
    ("init new.db --rulebook mail-opening --set squares=0", "at least one square (VI.1"),
    ("init new.db --rulebook mail-opening --dice loaded", "'loaded' is not one of"),
    ("init no/where.db --rulebook mail-opening", "no/where.db"),
    ("import new.db nope.jsonl", "nope.jsonl: No such file"),
    ("import new.db junk.db", "junk.db:1: "),
    ("import new.db g.db", "g.db:1: "),
    ("export g.db no/where.jsonl", "no/where.jsonl: No such file"),
    ("export g.db .", "Is a directory"),
    ("export g.db ./g.db", "is the ledger itself"),
    ("init junk.db --rulebook mail-opening", "is not a ledger"),
    ("init . --rulebook mail-opening", "nomoledger: "),
    ("standings .", "nomoledger: "),
    ("import new.db .", "is a directory"),
    ("verify g.db --head 3:ab", "not a head: '3:ab'"),
    ("log g.db --as Zoe", "there is no player 'Zoe'"),
    ("rules nope.db", "no ledger at nope.db"),
    ("rules diff g.db 1", "missing argument 'B'"),
    ("rules diff g.db 0 7", "there is no period 7; the periods are 1 to 1, and 0 for the opening"),
    ("rules diff g.db one 2", "'one' is not a valid integer"),
    ("rules blame g.db XX.1", "there has been no rule 'XX.1'"),
    ("rules log g.db --period 9", "there is no period 9"),
    ("history g.db --period 9", "there is no period 9"),
    ("standings g.db --csv --json", "--json and --csv exclude each other"),
    ("standings g.db --chart standings.jpg", "something.svg or something.png"),
    ("standings g.db --chart .", "is a directory"),
    ("standings g.db --chart no/where.svg", "no/where.svg"),
    ("completion tcsh", "'tcsh' is not one of 'bash', 'zsh', 'fish'"),
    ("rules show mail-opening XX.1", "has no rule 'XX.1'"),
    ("replay g.db --period 9", "there is no period 9"),
    ("test nope.yaml", "nope.yaml"),
    ("test bad.yaml", "bad.yaml"),
    ("demo --ledger g.db", "g.db exists already"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), sample_rows(MISUSE, 13))
def test_misuse_is_one_line_and_changes_nothing(game: str, words: str, said: str) -> None:
    Path("junk.db").write_text("no ledger\n")
    Path("bad.yaml").write_text("- {do: [\n")
    Path("odd.yaml").write_text("- {frobnicate: 3}\n")
    before = {each.name for each in Path().iterdir()}, data("verify", game)
    assert said in wrong(*words.split()).replace(f"{Path.cwd()}/", "")
    assert ({each.name for each in Path().iterdir()}, data("verify", game)) == before


def test_an_argument_that_is_not_utf8(game: str) -> None:
    assert "is not UTF-8" in wrong("join", game, "\udce4")


def test_a_name_cannot_command_the_terminal(game: str) -> None:
    told = ok("join", game, "Eve\x1b[31m\nMallory", "email=e@x.org", "--at", NOON)
    assert "\x1b" not in told + ok("standings", game) + ok("log", game) + ok("board", game)


def test_an_unexpected_error_is_one_line(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a fault\nof ours")

    monkeypatch.setattr("nomoledger.game.read_models.projection", fail)
    result = run("standings", game)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("nomoledger: unexpected ZeroDivisionError: of ours; this is a")
    monkeypatch.setenv("NOMOLEDGER_DEBUG", "1")
    assert isinstance(run("standings", game).exception, ZeroDivisionError)


# --- the history of the rules and of the game -----------------------------------------------------


def test_the_rules_and_their_history(landed: str) -> None:
    ok("propose", landed, "Ann", "Ten", "--amend", "VIII.3.days_open=10", "--at", NOON)
    ok("judge", landed, "2", "accepted", "--at", NOON)
    assert "VIII.3 Options to buy is amended by proposal 2 by Ann" in ok("rules", "log", landed)
    told = ok("rules", "diff", landed, "0", "1")
    assert "-days_open = 7\n+days_open = 10" in told
    assert "\x1b" not in told
    (found,) = data("rules", "diff", landed, "0", "1")["differences"]
    assert (found["number"], found["was"], found["now"]) == ("VIII.3", "VIII.3@1", "VIII.3@2")
    versions = data("rules", "blame", landed, "VIII.3")["versions"]
    assert [each["by"]["source"] for each in versions] == ["rulebook", "proposal 2"]
    assert versions[1]["by"]["verdict"] == "accepted"
    assert len(data("rules", "log", landed)["changes"]) == 28


def test_the_history_in_words(landed: str) -> None:
    told = ok("history", landed)
    assert "Ann rolls 3 and 4 and goes from 1 to 8. There is a new option" in told
    assert ok("history", landed, "--period", "1") == told
    assert data("history", landed)["chapters"][0]["period"] == 1


def test_the_cases_of_a_rulebook() -> None:
    assert ok("test", "origon-opening").endswith(" cases, 0 failed\n")


def test_standings_for_a_spreadsheet(landed: str) -> None:
    assert ok("standings", landed, "--csv").splitlines()[1] == "1,Ann,1000,0,"
    assert ok("standings", landed, "--all", "--csv").splitlines()[1] == "Ann,1,yes,no,no,1,1000,0"
    assert ok("balances", landed, "--csv").splitlines()[-1] == "admin,-2000"
    assert ok("standings", landed, "--all").split()[:3] == ["player", "1", "(open)"]


@pytest.mark.parametrize(("name", "begins"), [("c.svg", b"<?xml"), ("c.PNG", b"\x89PNG")])
def test_a_chart_is_drawn_beside_what_is_printed(landed: str, name: str, begins: bytes) -> None:
    assert ok("standings", landed, "--chart", name) == ok("standings", landed)
    assert Path(name).read_bytes().startswith(begins)


# --- less to type ---------------------------------------------------------------------------------


def test_the_ledger_may_be_named_by_the_environment(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOMOLEDGER_LEDGER", game)
    assert "there is a new player Cyd" in ok("join", "Cyd", "email=c@x.org", "--at", NOON)
    ok("propose", "Ann", "Nothing", "--at", NOON)
    asked = ok("judge", "1", "rejected", "--at", NOON)
    assert "enter the dice: nomoledger roll N N\n" in asked
    assert "Ann moves from 1 to 8" in ok("roll", "3", "4", "--at", NOON)
    assert ok("rules") == ok("rules", "of") != ok("rules", "log")
    assert ok("rules", "--period", "1") == ok("rules")
    assert "Starting money" in ok("rules", "blame", "IV.1")
    assert len(data("standings")["standings"]) == 3
    assert ok("standings", "--help").startswith("Usage: nomoledger standings [OPTIONS]\n")


def test_no_command_takes_a_ledger_where_the_environment_names_one(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = data("verify", game)
    monkeypatch.setenv("NOMOLEDGER_LEDGER", game)
    said = run("standings", game).stderr
    assert "extra argument (g.db); NOMOLEDGER_LEDGER is set to g.db: leave LEDGER out" in said
    for words in ("leave g.db Ann", "submit g.db Ann buy", "roll g.db 3 4", "rules g.db"):
        assert run(*words.split()).exit_code == 2
    monkeypatch.setenv("NOMOLEDGER_LEDGER", "nope.db")
    assert "no ledger at nope.db" in wrong("standings")
    monkeypatch.setenv("NOMOLEDGER_LEDGER", "")
    assert data("verify", game) == before
    assert "missing argument 'LEDGER'" in wrong("standings")


@pytest.mark.slow
def test_commands_to_paste_name_another_ledger_and_one_of_several_games(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOMOLEDGER_LEDGER", "other.db")
    assert "next: nomoledger join NAME, or nomoledger status\n" in ok(
        "init", "--rulebook", "mail-opening"
    )
    told = ok("demo", "--ledger", "mine.db")
    assert "NOMOLEDGER_LEDGER=mine.db nomoledger standings --all\n" in told
    monkeypatch.delenv("NOMOLEDGER_LEDGER")
    told = ok("init", game, "--rulebook", "mail-opening", "--game", "two of them")
    assert "nomoledger status g.db --game 'two of them'\n" in told
    which = ("--game", "mail-opening", "--at", NOON)
    ok("propose", game, "Ann", "Nothing", *which)
    asked = ok("judge", game, "1", "rejected", *which)
    assert "nomoledger roll g.db N N --game mail-opening\n" in asked
    assert data("verify", game)["ok"] is True
    assert len(data("verify", game)["games"]) == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_of_a_shell(shell: str) -> None:
    assert f"_NOMOLEDGER_COMPLETE={shell}_complete" in ok("completion", shell)


@pytest.mark.parametrize(
    ("words", "found"),
    sample_rows(
        [
            (["sta"], "plain,standings"),
            (["rules", "bl"], "plain,blame"),
            (["rules", "ga"], "file,ga"),
            (["standings", "ga"], "file,ga"),
            (["standings", "game.db", "--ch"], "plain,--chart"),
            (["judge", "game.db", "1", "acc"], "plain,accepted"),
        ],
        2,
    ),
)
def test_what_a_shell_is_told(words: list[str], found: str) -> None:
    environment = os.environ | {
        "_NOMOLEDGER_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["nomoledger", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(COMMAND, capture_output=True, env=environment, check=True)
    assert found in done.stdout.decode().splitlines()
    assert done.stderr == b""


# --- whole ledgers --------------------------------------------------------------------------------


def test_an_export_comes_back_to_the_byte(landed: str) -> None:
    ok("export", landed, "one.jsonl")
    ok("import", "copy.db", "one.jsonl")
    assert (
        CliRunner().invoke(program, ["export", "copy.db", "-"]).stdout_bytes
        == Path("one.jsonl").read_bytes()
    )
    assert data("state", landed) == data("state", "copy.db")
    assert "there is a game 'mail-opening' already" in wrong("import", landed, "one.jsonl")


def test_an_export_takes_its_place_whole(landed: str) -> None:
    Path("kept.jsonl").write_text("before")
    os.chmod("kept.jsonl", 0o640)
    Path("link.jsonl").symlink_to("kept.jsonl")
    assert run("export", landed, "kept.jsonl", "--game", "chess").exit_code == 2
    assert Path("kept.jsonl").read_text() == "before"
    ok("export", landed, "link.jsonl")
    assert Path("link.jsonl").is_symlink()
    assert Path("kept.jsonl").read_bytes().startswith(b'{"nomoledger":1')
    assert stat.S_IMODE(Path("kept.jsonl").stat().st_mode) == 0o640
    ok("export", landed, "/dev/null")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("kept", sample([3000, 0, 100, -1], 1))
def test_an_import_that_is_cut_off_leaves_nothing(landed: str, kept: int) -> None:
    ok("export", landed, "whole.jsonl")
    Path("cut.jsonl").write_bytes(Path("whole.jsonl").read_bytes()[:kept])
    assert "cut.jsonl:" in wrong("import", "new.db", "cut.jsonl")
    assert not list(Path().glob("new.db*"))


def test_verify_says_what_is_wrong(landed: str) -> None:
    import sqlite3

    head = data("verify", landed)["games"][0]["head"]
    written = f"{head['number']}:{head['hash']}"
    assert written in ok("verify", landed, "--head", written)
    with sqlite3.connect(landed) as database:
        database.execute("DELETE FROM stored_events WHERE originator_version = 40")
    database.close()
    assert "#40 is wrong (missing)" in refused("verify", landed)
    result = json.loads(run("verify", landed, "--json").stdout)
    assert (result["ok"], result["games"][0]["number"]) == (False, 40)


@pytest.mark.slow
def test_the_demo_finds_the_slips_and_plays_one_again(tmp_path: Path) -> None:
    ledger = str(tmp_path / "season.db")
    told = ok("demo", "--ledger", ledger)
    assert "square of Jamie: recorded 3, by the rules 1 (VI.1@1)" in told
    assert told.count("rent of Cypher: recorded 48, by the rules 54 (X.3@1)") == 3
    assert re.search(r"^Jamie +9789 +3 +9922 +1$", told, re.MULTILINE)
    assert data("state", ledger)["players"]["Jamie"]["square"] == 15  # nothing is recorded
    result = run("replay", ledger, "--period", "1", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (report["mode"], report["exact"], report["compared"]) == ("audit", False, 11)
    found = report["divergences"][0]
    assert len(report["divergences"]) == 1
    assert {key: found[key] for key in ("subject", "what", "recorded", "by_rules", "rule")} == {
        "subject": "Jamie",
        "what": "square",
        "recorded": 3,
        "by_rules": 1,
        "rule": "VI.1@1",
    }


def test_a_hand_kept_record_is_imported(tmp_path: Path) -> None:
    from nomoledger.game.recorded_games import find

    ledger = str(tmp_path / "season.db")
    ok("import", ledger, str(find("weekly-vote-season")), "--game", "season")
    assert data("verify", ledger)["games"][0]["game"] == "season"


# --- cases and rulebooks --------------------------------------------------------------------------


def test_cases_that_hold_and_cases_that_fail(game: str) -> None:
    case = (
        "rulebook: mail-opening\ncase: joining\n"
        "steps:\n- {do: join, with: {name: Ann, email: a@x}}\n"
        "then:\n  players: {Ann: {money: MONEY}}\n"
    )
    Path("good.yaml").write_text(case.replace("MONEY", "1000"))
    Path("bad.yaml").write_text(case.replace("MONEY", "999"))
    assert ok("test", "good.yaml") == "1 cases, 0 failed\n"
    assert "no file or folder 'nowhere'" in wrong("test", "nowhere")
    assert "bad.yaml: joining" in refused("test", "good.yaml", "bad.yaml")
    assert json.loads(run("test", "bad.yaml", "--json").stdout)["failed"] == 1


def test_a_rulebook_is_shown_and_checked(game: str) -> None:
    assert "mail-opening" in ok("rules", "list").splitlines()
    assert "    def value_market_value(square: Square):" in ok(
        "rules", "show", "mail-opening", "V.1"
    )
    assert len(data("rules", "show", "mail-opening")["rules"]) == 27
    found = data("rules", "check", "mail-opening")
    assert (found["rulebook"], found["rules"], found["errors"]) == ("mail-opening", 27, [])
    assert "buy" in ok("rules", "vocabulary", "mail-opening")


def test_a_rulebook_with_an_error(game: str) -> None:
    Path("mine.md").write_text("### I.1 Broken\n\nWords.\n\n```python\ndef define_x(:\n```\n")
    assert "mine.md:" in refused("rules", "check", "mine.md")
    result = run("rules", "check", "mine.md", "--json")
    assert result.exit_code == 1
    assert len(json.loads(result.stdout)["errors"]) == 1
    Path("mine.md").write_text("### I.1\n")
    assert "mine.md:1" in refused("rules", "check", "mine.md")


# --- a real process -------------------------------------------------------------------------------


def in_terminal(
    words: list[str],
    columns: int = 100,
    press: bytes = b"",
    after: float = 0,
    command: list[str] = COMMAND,
) -> tuple[int, str]:
    """Exit code and output of a command on a terminal of its own, where keys may be pressed."""
    import fcntl
    import pty
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": str(columns)}
    environment.pop("NO_COLOR", None)
    child = subprocess.Popen(
        [*command, *words],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=environment,
        preexec_fn=lambda: (os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY, 0)),  # type: ignore[func-returns-value]
    )
    os.close(follower)
    if press:
        time.sleep(after)
        os.write(leader, press)
    output = b""
    try:
        while piece := os.read(leader, 4096):
            output += piece
    except OSError:  # the child has gone, and the terminal with it
        pass
    os.close(leader)
    return child.wait(), output.decode()


def test_colour_on_a_terminal_and_none_in_a_pipe(landed: str) -> None:
    code, output = in_terminal(["standings", landed])
    assert code == 0
    assert "\x1b[1m" in output
    piped = subprocess.run([*COMMAND, "standings", landed], capture_output=True, check=True)
    assert b"\x1b" not in piped.stdout
    assert piped.stdout.splitlines()[0].split() == [b"rank", b"player", b"$", b"squares", b"owned"]


#: The command line, with a progress bar that comes at once.
AT_ONCE = [
    sys.executable,
    "-c",
    "from nomoledger.cli import main, progress\n"
    "progress.AFTER_SECONDS, progress.EVERY_SECONDS = 0, .001\n"
    "main()",
]


@pytest.mark.slow
def test_a_bar_shows_how_far_it_is_and_goes(landed: str) -> None:
    ok("export", landed, "whole.jsonl")
    expected = ok("verify", landed)
    for words, title in [
        (["verify", landed], "verifying"),
        (["export", landed, "again.jsonl"], "exporting"),
        (["import", "copy.db", "whole.jsonl"], "importing"),
        (["replay", landed], "replaying"),
    ]:
        code, output = in_terminal(words, command=AT_ONCE)
        assert code == 0, output
        assert title in output
        assert output.count("\x1b[?25l") == output.count("\x1b[?25h")  # the cursor is back
    assert Path("again.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert ok("verify", "copy.db") == expected


def test_no_bar_on_what_is_quick_nor_in_a_pipe(landed: str) -> None:
    _, output = in_terminal(["verify", landed])
    assert "verifying" not in output
    piped = subprocess.run([*AT_ONCE, "verify", landed], capture_output=True, check=True)
    assert piped.stderr == b""


def test_differences_are_coloured_on_a_terminal(game: str) -> None:
    _, output = in_terminal(["rules", "blame", game, "IV.1"])
    assert "\x1b[32m+starting_money = 1000" in output


def test_the_board_fits_the_terminal(landed: str) -> None:
    _, output = in_terminal(["board", landed], columns=40)
    assert "> Ann" in output
    assert max(map(len, output.splitlines())) <= 40


def test_long_lines_are_not_cut_in_a_pipe(game: str) -> None:
    name = "A" * 300
    ok("join", game, name, "email=a@x.org", "--at", NOON)
    piped = subprocess.run([*COMMAND, "standings", game], capture_output=True, check=True)
    assert name.encode() in piped.stdout


def test_what_the_output_cannot_write_is_spelled_out(game: str) -> None:
    ok("join", game, "Zoč", "email=z@x.org", "--at", NOON)
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    piped = subprocess.run(
        [*COMMAND, "standings", game], capture_output=True, check=True, env=environment
    )
    assert b"Zo\\u010d" in piped.stdout


def test_a_reader_who_leaves_early_is_no_error(game: str) -> None:
    command = f"{' '.join(COMMAND[:1])} -c '{COMMAND[2]}' log {game} --json | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert (len(done.stdout), done.stderr) == (10, b"")


@pytest.fixture
def slow(game: str) -> list[str]:
    """A command that would take very long, in a game whose rules allow it."""
    Path("slow.yaml").write_text(
        "- enact:\n    number: X.1\n    title: Slow\n    prose: Slow.\n"
        "    code: |\n"
        "      def action_dawdle(player: Player):\n"
        "          for x in range(100000):\n"
        "              for y in range(100000):\n"
        "                  z = x\n"
    )
    ok("propose", game, "Ann", "Slow", "--changes", "slow.yaml", "--at", NOON)
    ok("judge", game, "1", "accepted", "--at", NOON)
    ok("roll", game, "1", "2", "--at", NOON)
    return ["submit", game, "Ann", "dawdle", "--at", NOON]


def test_an_interrupt_is_one_line_and_loses_nothing(game: str, slow: list[str]) -> None:
    before = data("verify", game)
    child = subprocess.Popen([*COMMAND, *slow], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(1.5)
    child.send_signal(signal.SIGINT)
    told, said = child.communicate(timeout=10)
    assert (child.returncode, told) == (130, b"")
    assert said == b"nomoledger: interrupted; what was recorded stays recorded\n"
    assert data("verify", game) == before


@pytest.mark.slow
def test_ctrl_c_on_a_terminal(game: str, slow: list[str]) -> None:
    before = data("verify", game)
    code, output = in_terminal(slow, press=b"\x03", after=1.5)
    assert code == 130
    assert output.splitlines() == [
        "^C",
        "nomoledger: interrupted; what was recorded stays recorded",
    ]
    assert data("verify", game) == before
    assert "Cyd" in ok("join", game, "Cyd", "email=c@x.org", "--at", NOON)
