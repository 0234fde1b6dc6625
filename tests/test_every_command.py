"""Every command on every kind of ledger: new, long, damaged, missing."""

import json
import shlex
import shutil
import sqlite3
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest
from all_commands import commands
from click.testing import CliRunner, Result
from tiers import sample, sample_rows

from nomoledger.cli import program
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

#: The words after LEDGER for each command; OUT stands for a path in an empty folder.
WORDS = {
    "advance": "--to 2026-03-09",
    "answer": "yes",
    "audit": "",
    "balances": "",
    "bisect": "money(Jamie)>9000",
    "board": "",
    "close": "",
    "copy": "OUT/copy.db",
    "demo": None,
    "dice commit": f"Jamie {'0' * 64}",
    "dice reveal": f"Jamie {'0' * 64}",
    "dice seed": None,
    "dice show": "",
    "dispute argue": "1 admin because",
    "dispute close": "1 so-be-it",
    "dispute list": "",
    "dispute open": "Jamie why --event 60",
    "dispute show": "1",
    "explain": "Jamie money",
    "export": "OUT/export.jsonl",
    "finality": "--after 7",
    "forecast": "--futures 1 --workers 1",
    "handover give": "OUT/none.request",
    "handover restore": "OUT/none.secret",
    "handover secret": "",
    "handover show": "",
    "handover take": "--key OUT/none.key",
    "history": "",
    "import": "OUT/none.jsonl",
    "init": "--rulebook mail-opening",
    "join": "Zoe email=zoe@example.org",
    "judge": "1 accepted",
    "leave": "Jamie",
    "league audit": "--workers 1",
    "league list": "",
    "league move": "OUT/moved.db",
    "log": "",
    "open": "60",
    "order": 'Jamie --when money(Jamie)>1 --do "buy square=1"',
    "player": "Jamie",
    "players": "",
    "project": "",
    "proposal check": "changes.yaml",
    "proposal show": "1",
    "proposals": "",
    "propose": "Jamie something",
    "provisional": "standings",
    "publish": "OUT/site",
    "rebuild": "",
    "replay": "",
    "roll": "3 4",
    "rules blame": "IV.1",
    "rules diff": "1 2",
    "rules log": "",
    "rules of": "",
    "ruling": "so-be-it",
    "rulings": "",
    "run": "--once",
    "seal": "",
    "serve": None,
    "simulate": "--rulebook mail-opening --periods 1",
    "standings": "",
    "state": "",
    "status": "",
    "submit": "Jamie buy square=1",
    "undo": "",
    "upgrade": "",
    "verify": "",
    "void": "proposal 1 because",
    "vote": "Jamie 1 yes",
    "what-if": "--replace 116=square:1",
    "why-not": "land Jamie",
}
#: Commands without LEDGER, which have tests of their own.
ELSEWHERE = {"completion", "demo", "handover key", "handover request", "rules check", "rules list",
             "rules mechanics", "rules show", "rules vocabulary", "test"}  # fmt: skip
#: Commands that create a missing ledger.
MAKE = {"init", "import", "simulate"}
#: Commands that have nothing to do in a ledger without a game, and are content.
WITHOUT_GAMES = {"league audit", "league list", "rebuild", "upgrade"}
TABLES = {name: words for name, words in WORDS.items() if words is not None}


def run(ledger: Path, name: str, *more: str) -> Result:
    """Run a command, which may refuse or fail but never breaks; return the result."""
    words = shlex.split(TABLES[name].replace("OUT", str(ledger.parent / "out")))
    (ledger.parent / "out").mkdir(exist_ok=True)
    result = CliRunner().invoke(program, [*name.split(), str(ledger), *words, *more])
    assert isinstance(result.exception, SystemExit | None), (name, result.exception)
    assert result.exit_code in (0, 1, 2), (name, result.output)
    assert "Traceback" not in result.output
    if result.exit_code == 2 and "Usage:" not in result.stderr:
        lines = result.stderr.strip().splitlines()
        assert len(lines) == 1, (name, result.stderr)
        assert lines[0].startswith("nomoledger: "), (name, lines)
    return result


@pytest.fixture
def copied(season_file: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(season_file, tmp_path / "season.db"))


def test_every_command_is_listed_here() -> None:
    assert {name for name, _ in commands(program)} == WORDS.keys() | ELSEWHERE


@pytest.mark.parametrize("name", sample(TABLES, 13))
@pytest.mark.slow_with("simulate", "publish")
def test_on_a_new_ledger(name: str, tmp_path: Path) -> None:
    file = tmp_path / "new.db"
    with Ledger.open(file, create=True) as ledger:
        open_game(ledger, "game", load("mail-opening"), at=NOON, secret=b"s" * 32)
    run(file, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.slow_with("publish")
def test_on_a_long_ledger(name: str, copied: Path) -> None:
    takes_json = any("--json" in x.opts for x in dict(commands(program))[name].params)
    result = run(copied, name, *(["--json"] if takes_json else []))
    if takes_json and result.exit_code == 0 and result.stdout:
        for line in [result.stdout] if result.stdout[0] in "{[" else result.stdout.splitlines():
            _read(line)


def _read(text: str) -> None:
    """Parse one JSON document, or one on each line."""
    try:
        json.loads(text)
    except json.JSONDecodeError:
        for line in text.splitlines():
            json.loads(line)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.slow_with("simulate")
def test_on_a_ledger_without_a_game(name: str, tmp_path: Path) -> None:
    Ledger.open(tmp_path / "empty.db", create=True).close()
    result = run(tmp_path / "empty.db", name)
    assert name in {*MAKE, *WITHOUT_GAMES} or result.exit_code == 2


@pytest.mark.parametrize(
    ("what", "name"),
    sample_rows(product(("missing", "folder", "text", "empty", "another database"), TABLES), 40),
)
@pytest.mark.slow_with("simulate")
def test_on_something_that_is_not_a_ledger(name: str, what: str, tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    if what == "folder":
        file.mkdir()
    elif what == "another database":
        with sqlite3.connect(file) as connection:
            connection.execute("CREATE TABLE cakes (price INTEGER)")
        connection.close()
    elif what != "missing":
        file.write_text("to whom it may concern\n" * 99 if what == "text" else "")
    before = file.read_bytes() if file.is_file() else None
    result = run(file, name)
    creates = name in MAKE and what in ("missing", "empty")
    assert creates or result.exit_code == 2, result.output
    assert creates or (file.read_bytes() if file.is_file() else None) == before


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("what", ["cut off", "overwritten", "a record altered", "a record gone"])
@pytest.mark.slow_with("simulate", "overwritten", "a record gone", "cut off")
def test_on_a_damaged_ledger(name: str, what: str, copied: Path) -> None:
    _damage(copied, what)
    run(copied, name)


def _damage(file: Path, what: str) -> None:
    if what == "cut off":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    elif what == "overwritten":
        content = bytearray(file.read_bytes())
        content[len(content) // 3 : len(content) // 3 + 20_000] = b"\x07" * 20_000
        file.write_bytes(content)
    else:
        with sqlite3.connect(file) as connection:
            change = {
                "a record altered": "UPDATE stored_events SET state=x'0102'",
                "a record gone": "DELETE FROM stored_events",
            }[what]
            connection.execute(f"{change} WHERE originator_version=200")
        connection.close()


@pytest.mark.parametrize("name", TABLES)
def test_with_an_unknown_game(name: str, copied: Path) -> None:
    takes_game = any("--game" in x.opts for x in dict(commands(program))[name].params)
    if takes_game and name not in MAKE:
        result = run(copied, name, "--game", "chess")
        assert result.exit_code == 2
        assert "chess" in result.stderr
