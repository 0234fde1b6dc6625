"""Dry runs of commands that write ledgers and files: all is checked, and nothing is written."""

from pathlib import Path

import pytest
from all_commands import commands

from cli.commands import NOON, ok, run, wrong
from cli.test_dry_run import NOTE, content
from nomoledger.cli import program


def dry(*words: str) -> str:
    """Run a command as a dry run, which leaves the folder as it is."""
    before = content(Path())
    output = ok(*words, "--dry-run")
    assert content(Path()) == before
    return output


def test_opening_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("init", "new.db", "--rulebook", "mail-opening", "--at", NOON)
    tried = dry(*words)
    assert not Path("new.db").exists()
    assert tried == ok(*words) + NOTE
    again = ("init", "new.db", "--rulebook", "mail-opening", "--game", "other", "--at", NOON)
    assert dry(*again) == ok(*again) + NOTE
    assert run(*again, "--dry-run").exit_code == 2  # there is such a game now
    assert "No such file" in wrong("init", "no/new.db", "--rulebook", "mail-opening", "--dry-run")
    assert run("init", "x.db", "--rulebook", "mail-opening", "--set", "a=1", "--dry-run").exit_code
    assert not Path("x.db").exists()


def test_copying_importing_and_exporting(landed: str) -> None:
    for words, made in (
        (("export", landed, "g.jsonl"), "g.jsonl"),
        (("import", "i.db", "g.jsonl"), "i.db"),
        (("copy", landed, "c.db"), "c.db"),
    ):
        tried = dry(*words)
        assert not Path(made).exists()
        real = ok(*words)
        note = f"a dry run: nothing is written; {made} would be created\n"
        assert tried == real + (note if words[0] == "export" else NOTE)
    error = wrong("export", landed, "g.jsonl", "--dry-run")
    assert "g.jsonl exists already" in error
    assert "g.jsonl would be replaced" in dry("export", landed, "g.jsonl", "--force")
    assert "is a ledger" in wrong("export", landed, landed, "--force", "--dry-run")
    assert dry("copy", landed, "c.db") == ok("copy", landed, "c.db") + NOTE


def test_sealing_and_opening(landed: str) -> None:
    ok("order", landed, "Bob", "--when", "money(Bob) > 5000", "--do", "buy square=4", "--at", NOON)
    ok("close", landed, "--at", NOON)
    note = "a dry run: nothing is written; {} would be created\n"
    assert dry("seal", landed, "-o", "1.seal") == note.format("1.seal")
    assert "there is nothing to seal" in wrong("seal", landed, "--period", "7", "--dry-run")
    assert ok("seal", landed, "-o", "1.seal") == ""
    assert "1.seal exists already" in wrong("seal", landed, "-o", "1.seal", "--dry-run")


def test_rebuilding_and_simulating(landed: str) -> None:
    assert dry("rebuild", landed) == ok("rebuild", landed) + NOTE
    words = ("simulate", "s.db", "--rulebook", "mail-opening", "--periods", "1", "--players", "2")
    assert dry(*words) == ok(*words) + NOTE


def test_the_clock_of_a_live_game(landed: str) -> None:
    """The option of Ann has lapsed since January."""
    tried = dry("run", landed)
    assert "the option of Ann on square 8 has ended" in tried
    assert tried == ok("run", landed, "--once") + NOTE
    assert dry("run", landed) == "nothing is due\n" + NOTE


#: Commands that change something and have no dry run: they are few, and the list may only shrink.
WITHOUT = {
    "demo", "handover key", "handover request", "handover secret", "project", "publish",
    "standings", "upgrade", "what-if",
}  # fmt: skip


def test_every_command_that_changes_something_has_a_dry_run() -> None:
    """A request has `--yes` for its time; what writes a file has `--force`."""
    changing = {"copy", "import", "init", "rebuild", "simulate", *WITHOUT}
    having = set()
    for name, command in commands(program):
        options = {option for parameter in command.params for option in parameter.opts}
        if options & {"--yes", "--force"}:
            changing.add(name)
        if "--dry-run" in options:
            having.add(name)
    assert changing - having == WITHOUT
