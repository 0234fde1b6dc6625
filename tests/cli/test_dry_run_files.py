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


@pytest.mark.slow
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


@pytest.mark.slow
def test_publishing_a_site(landed: str) -> None:
    words = ("publish", landed, "new/site")
    tried = dry(*words)
    assert not Path("new").exists()
    note = "a dry run: nothing is written; new/site would be {}\n"
    assert tried == ok(*words) + note.format("created")
    ok("propose", landed, "Bob", "Something else", "--at", NOON)
    front = Path("new/site/index.html").read_bytes()
    tried = dry(*words)
    assert Path("new/site/index.html").read_bytes() == front
    assert sorted(path.name for path in Path("new").iterdir()) == ["site"]
    assert tried == ok(*words) + note.format("replaced")
    Path("new/site/own.txt").write_text("mine")
    assert "own.txt, which is no part of the site" in wrong(*words, "--dry-run")
    assert "is a file" in wrong("publish", landed, landed, "--dry-run")
    assert "Not a directory" in wrong("publish", landed, f"{landed}/site", "--dry-run")


@pytest.mark.slow
def test_projecting_tables(landed: str) -> None:
    note = "a dry run: nothing is written; g.views.db would be {}\n"
    tried = dry("project", landed)
    assert not Path("g.views.db").exists()
    assert tried == ok("project", landed) + note.format("created")
    ok("propose", landed, "Bob", "Something else", "--at", NOON)
    tried = dry("project", landed)
    assert " of them new" in tried
    assert tried == ok("project", landed) + note.format("replaced")
    assert "nothing new" in dry("project", landed)
    assert "nothing new" not in dry("project", landed, "--rebuild")
    assert "nothing new" in ok("project", landed)
    Path("text.db").write_text("no database " * 100)
    for into in (landed, "text.db", "none/t.db"):
        errors = [wrong("project", landed, "--into", into, *more) for more in ((), ("--dry-run",))]
        assert into in errors[1]
        assert into == "none/t.db" or errors[0] == errors[1]
    assert not Path("none").exists()
    assert "holds tables with secrets" in wrong(
        "project", landed, "--public", "--into", "g.views.db", "--dry-run"
    )
    assert "exclude each other" in wrong("project", landed, "--follow", "--dry-run")
    postgres = wrong("project", landed, "--into", "postgresql://x/y", "--dry-run")
    assert "cannot copy tables in PostgreSQL" in postgres


def test_upgrading(landed: str) -> None:
    assert dry("upgrade", landed) == ok("upgrade", landed) + NOTE
    assert "no ledger at none.db" in wrong("upgrade", "none.db", "--dry-run")


def test_keys_requests_and_secrets(landed: str) -> None:
    note = "a dry run: nothing is written; {} would be created\n"
    assert dry("handover", "key", "own.key") == note.format("own.key")
    ok("handover", "key", "own.key")
    assert "own.key exists already" in wrong("handover", "key", "own.key", "--dry-run")
    request = ("handover", "request", "chess", "--key", "own.key", "-o", "own.request")
    assert dry(*request) == note.format("own.request")
    assert "none.key" in wrong(
        "handover", "request", "chess", "--key", "none.key", "-o", "x.request", "--dry-run"
    )
    assert dry("handover", "secret", landed, "-o", "g.secret") == note.format("g.secret")
    assert "is a ledger" in wrong("handover", "secret", landed, "-o", landed, "--dry-run")


def test_saving_a_what_if(landed: str) -> None:
    words = ("what-if", landed, "--rules-of", "1", "--save", "w.json")
    tried = dry(*words)
    assert not Path("w.json").exists()
    assert tried == ok(*words) + "a dry run: nothing is written; w.json would be created\n"
    assert "w.json exists already" in wrong(*words, "--dry-run")


#: Commands that change something and have no dry run: they are few, and the list may only shrink.
WITHOUT: set[str] = set()


def test_a_chart_is_drawn_and_not_written(landed: str) -> None:
    tried = dry("standings", landed, "--chart", "s.svg")
    note = "a dry run: nothing is written; s.svg would be created\n"
    assert tried == ok("standings", landed, "--chart", "s.svg") + note
    assert "s.svg exists already" in wrong("standings", landed, "--chart", "s.svg", "--dry-run")
    assert "is not a chart file" in wrong("standings", landed, "--chart", "s.txt", "--dry-run")


@pytest.mark.slow
def test_a_demo_leaves_no_ledger(landed: str) -> None:
    words = ("demo", "--weeks", "1", "--ledger", "season.db")
    tried = dry(*words)
    real, _, _ = ok(*words).partition("\nnext:\n")
    assert tried == real + NOTE
    assert "exists already" in wrong(*words, "--dry-run")


def test_every_command_that_changes_something_has_a_dry_run() -> None:
    """A request has `--yes` for its time; what writes a file has `--force`."""
    changing = {"copy", "import", "init", "project", "publish", "rebuild", "simulate", "upgrade"}
    changing |= {"league audit", "league move"} | WITHOUT
    having = set()
    for name, command in commands(program):
        options = {option for parameter in command.params for option in parameter.opts}
        if options & {"--yes", "--force"}:
            changing.add(name)
        if "--dry-run" in options:
            having.add(name)
    assert changing - having == WITHOUT
