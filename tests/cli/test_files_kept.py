"""No command overwrites a ledger, and none overwrites another file without --force."""

import ast
import os
import shlex
import shutil
import sqlite3
from pathlib import Path

import click
import pytest
from all_commands import commands

import nomoledger.cli
from cli.commands import ok, run, wrong
from nomoledger.cli import program
from nomoledger.cli.atomic_file import atomic_file, is_of_ledger
from nomoledger.cli.options import OutputFile

#: For each command that writes a file: the words around the file.
WORDS = {
    "export": "g.db FILE",
    "forecast": "g.db --futures 1 --workers 1 --save FILE",
    "handover key": "FILE",
    "handover request": "chess --key own.key -o FILE",
    "handover secret": "g.db -o FILE",
    "open": "g.db 0 -o FILE",
    "seal": "g.db -o FILE",
    "standings": "g.db --chart FILE",
    "what-if": "g.db --rules-of 1 --save FILE",
}
#: Parameters that name a file or folder and are no `OutputFile`, with what they are for.
OTHERS = {
    ("audit", "locations"): "ledgers, which are read",
    ("copy", "target"): "a ledger, which is added to",
    ("demo", "location"): "a new ledger; an existing file is refused",
    ("dispute argue", "file"): "read",
    ("dispute close", "changes"): "read",
    ("export", "key_file"): "read",
    ("forecast", "file"): "read",
    ("handover give", "key_file"): "read",
    ("handover give", "request_file"): "read",
    ("handover request", "key_file"): "read",
    ("handover restore", "file"): "read",
    ("handover take", "key_file"): "read",
    ("import", "file"): "read",
    ("import", "rulebook"): "read",
    ("init", "rulebook"): "read",
    ("project", "into"): "a database of tables, which is added to",
    ("league audit", "locations"): "ledgers, whose last audit is kept in them",
    ("league list", "locations"): "ledgers, which are read",
    ("league move", "target"): "a ledger, which is added to",
    ("proposal check", "file"): "read",
    ("propose", "changes"): "read",
    ("publish", "forecast_file"): "read",
    ("publish", "folder"): "a folder with nothing but a site in it",
    ("rules check", "rulebook"): "read",
    ("rules show", "where"): "read",
    ("rules vocabulary", "rulebook"): "read",
    ("ruling", "changes"): "read",
    ("seal", "key_file"): "read",
    ("serve", "publish_to"): "a folder with nothing but a site in it",
    ("simulate", "rulebook"): "read",
    ("test", "files"): "read",
    ("verify", "seals"): "read",
    ("what-if", "file"): "read",
    ("what-if", "instead"): "read",
    ("what-if", "rule_files"): "read",
}
SIGNS = ("FILE", "DIR", "FOLDER", "PATH", "TARGET", "VIEWS", "LEDGER", "RULEBOOK")


def outputs() -> dict[str, click.Command]:
    return {
        name: command
        for name, command in commands(program)
        if any(isinstance(parameter.type, OutputFile) for parameter in command.params)
    }


def names_file(parameter: click.Parameter) -> bool:
    words = f"{parameter.metavar or ''} {parameter.name}".upper()
    return isinstance(parameter.type, click.Path | click.File) or any(x in words for x in SIGNS)


def test_every_parameter_that_names_a_file_is_listed() -> None:
    found = {
        (name, parameter.name)
        for name, command in commands(program)
        for parameter in command.params
        if names_file(parameter) and not isinstance(parameter.type, OutputFile)
    }
    ledgers = {at for at in found if at[1] == "location" and at[0] != "demo"}
    assert found - ledgers == OTHERS.keys()
    assert outputs().keys() == WORDS.keys()


def test_only_one_module_of_the_command_line_writes_files() -> None:
    for path in Path(nomoledger.cli.__file__).parent.glob("*.py"):
        if path.name == "atomic_file.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            assert name not in ("write_text", "write_bytes"), path
            if name == "open" and isinstance(node.func, ast.Name):
                mode = node.args[1:2] and ast.literal_eval(node.args[1])
                assert mode in ([], "r", "rb"), path


def words(name: str, file: str) -> list[str]:
    return [*name.split(), *shlex.split(WORDS[name].replace("FILE", shlex.quote(file)))]


@pytest.fixture
def closed(landed: str) -> str:
    ok("close", landed)
    ok("handover", "key", "own.key")
    return landed


@pytest.mark.parametrize("name", WORDS)
def test_no_command_overwrites_a_ledger(name: str, closed: str) -> None:
    shutil.copy(closed, "other.db")
    shutil.copy(closed, "plain.svg")
    Path("symbolic.svg").symlink_to("other.db")
    os.link("other.db", "hard.svg")
    Path("folder").mkdir()
    kept = {file: Path(file).read_bytes() for file in (closed, "other.db", "plain.svg")}
    spelled = ["other.db", closed, "./folder/../g.db", os.path.abspath(closed)]
    beside = ["g.db-wal", "g.db-shm", "other.db-journal"]
    charts = ["symbolic.svg", "hard.svg", "plain.svg"]
    for file in charts if name == "standings" else [*spelled, *beside, *charts]:
        for force in ([], ["--force"]):
            assert "is a ledger, or belongs to one" in wrong(*words(name, file), *force)
    assert {file: Path(file).read_bytes() for file in kept} == kept
    assert not Path("other.db-journal").exists()
    assert run("verify", closed).exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", WORDS)
def test_no_command_overwrites_another_file_without_force(name: str, closed: str) -> None:
    Path("kept.svg").write_text("mine")
    Path("link.svg").symlink_to("kept.svg")
    for file in ("kept.svg", "link.svg"):
        assert "--force" in wrong(*words(name, file))
    assert Path("kept.svg").read_text() == "mine"
    if name == "open":  # no event of this game is sealed
        assert "is public" in wrong(*words(name, "kept.svg"), "--force")
        assert Path("kept.svg").read_text() == "mine"
        return
    assert run(*words(name, "link.svg"), "--force").exit_code == 0
    assert Path("link.svg").is_symlink()
    assert Path("kept.svg").read_text() != "mine"
    assert not list(Path().glob(".kept*"))


def test_a_ledger_is_known_by_its_tables_if_its_header_is_damaged(closed: str) -> None:
    with sqlite3.connect(closed) as connection:
        connection.execute("PRAGMA application_id=0")
    connection.close()
    assert is_of_ledger(Path(closed))
    assert not is_of_ledger(Path("no.db"))


def test_the_tables_for_sql_never_go_into_a_ledger(closed: str) -> None:
    before = Path(closed).read_bytes()
    assert "no tables of ours" in wrong("project", closed, "--into", closed)
    assert Path(closed).read_bytes() == before


def test_a_failed_opening_keeps_the_game_that_another_program_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nomoledger.cli.context import open_or_create_ledger_at

    monkeypatch.chdir(tmp_path)

    def fail(file: str, *meanwhile: str) -> None:
        with open_or_create_ledger_at(file):
            if meanwhile:
                ok(*meanwhile)
            raise KeyError

    with pytest.raises(KeyError):
        fail("g.db", "init", "g.db", "--rulebook", "mail-opening")
    assert "mail-opening" in ok("verify", "g.db")
    with pytest.raises(KeyError):
        fail("h.db")
    assert not list(tmp_path.glob("h.db*"))


@pytest.mark.parametrize("has_nameless_files", [True, False])
def test_a_file_appears_when_it_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_nameless_files: bool
) -> None:
    if not has_nameless_files:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("this system has no files without a name")
    path = tmp_path / "a file"
    for content, force in ((b"1", False), (b"2", True)):
        with atomic_file(str(path), force=force) as target:
            target.write(content)
            hidden = [name for name in tmp_path.iterdir() if name != path]
            assert len(hidden) == (0 if has_nameless_files else 1)
        assert path.read_bytes() == content
        assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(KeyError), atomic_file(str(path), force=True):
        raise KeyError
    assert path.read_bytes() == b"2"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_of_the_disk_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a file"
    with pytest.raises(OSError, match="No space") as full, atomic_file(str(path)):
        raise OSError(28, "No space left on device")
    assert full.value.filename == str(path)
    with pytest.raises(FileNotFoundError) as missing, atomic_file(str(tmp_path / "no" / "file")):
        pass
    assert missing.value.filename == str(tmp_path / "no" / "file")
