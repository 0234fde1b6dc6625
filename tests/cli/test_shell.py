"""The environment variable of the ledger, commands to paste, and completion in a shell."""

import os
import subprocess

import pytest
from tiers import sample_rows

from cli.commands import COMMAND, NOON, data, ok, run, wrong


def test_the_environment_can_name_the_ledger(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOMOLEDGER_LEDGER", game)
    assert "there is a new player Cyd" in ok("join", "Cyd", "email=c@x.org", "--at", NOON)
    ok("propose", "Ann", "Nothing", "--at", NOON)
    asked = ok("judge", "1", "rejected", "--at", NOON)
    assert "enter the dice: nomoledger roll N N (each N: 1 to 6)\n" in asked
    assert "Ann moves from 1 to 8" in ok("roll", "3", "4", "--at", NOON)
    assert ok("rules") == ok("rules", "of") != ok("rules", "log")
    assert ok("rules", "--period", "1") == ok("rules")
    assert "Starting money" in ok("rules", "blame", "IV.1")
    assert len(data("standings")["standings"]) == 3
    assert ok("standings", "--help").startswith("Usage: nomoledger standings [OPTIONS]\n")


def test_commands_refuse_a_ledger_if_the_environment_names_one(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = data("verify", game)
    monkeypatch.setenv("NOMOLEDGER_LEDGER", game)
    message = run("standings", game).stderr
    assert "extra argument (g.db); NOMOLEDGER_LEDGER is set to g.db: leave LEDGER out" in message
    for words in ("leave g.db Ann", "submit g.db Ann buy", "roll g.db 3 4", "rules g.db"):
        assert run(*words.split()).exit_code == 2
    monkeypatch.setenv("NOMOLEDGER_LEDGER", "nope.db")
    assert "no ledger at nope.db" in wrong("standings")
    monkeypatch.setenv("NOMOLEDGER_LEDGER", "")
    assert data("verify", game) == before
    assert "missing argument 'LEDGER'" in wrong("standings")


@pytest.mark.slow
def test_printed_commands_name_the_ledger_and_the_game(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOMOLEDGER_LEDGER", "other.db")
    assert "next: nomoledger join NAME, or nomoledger status\n" in ok(
        "init", "--rulebook", "mail-opening"
    )
    output = ok("demo", "--ledger", "mine.db")
    assert "NOMOLEDGER_LEDGER=mine.db nomoledger standings --all\n" in output
    monkeypatch.delenv("NOMOLEDGER_LEDGER")
    output = ok("init", game, "--rulebook", "mail-opening", "--game", "two of them")
    assert "nomoledger status g.db --game 'two of them'\n" in output
    which = ("--game", "mail-opening", "--at", NOON)
    ok("propose", game, "Ann", "Nothing", *which)
    asked = ok("judge", game, "1", "rejected", *which)
    assert "nomoledger roll g.db N N --game mail-opening (each N: 1 to 6)\n" in asked
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
def test_completions_for_a_shell(words: list[str], found: str) -> None:
    environment = os.environ | {
        "_NOMOLEDGER_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["nomoledger", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(COMMAND, capture_output=True, env=environment, check=True)
    assert found in done.stdout.decode().splitlines()
    assert done.stderr == b""
