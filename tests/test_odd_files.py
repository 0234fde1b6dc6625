"""What is no sound ledger: one line says what it is and what to do, and nothing changes."""

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from tiers import sample_rows

from nomoledger.cli import program
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sound") / "g.db"
    with Ledger.open(file, create=True) as ledger:
        open_game(ledger, "g", load("mail-opening"))
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    return file


def newer(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version=99")


def fifo(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[4096:4200] = bytes(byte ^ 0xFF for byte in data[4096:4200])
    file.write_bytes(data)


def other_header(file: Path) -> None:
    file.write_bytes(b"SQLite format 4" + file.read_bytes()[15:])


def with_a_damaged_name(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data.replace(b"CREATE TABLE games", b"CREATE TABLX g\xecmes"))


#: By what the line says: what is done to a sound ledger.
ODD: dict[str, Callable[[Path], object]] = {
    "by a newer nomoledger": newer,
    "is no regular file": fifo,
    "is a folder": folder,
    "is damaged": lambda file: os.truncate(file, 5000),
    "damaged|malformed": flipped,
    "is damaged|malformed": with_a_damaged_name,
    "not an SQLite file": other_header,
    "is not a ledger": lambda file: file.write_bytes(b""),
    "no ledger at": lambda file: file.unlink(),
}
COMMANDS = ("verify", "standings", "close", "upgrade", "export - --public", "rebuild", "copy")


@pytest.mark.parametrize(
    ("says", "command"), sample_rows(((says, words) for says in ODD for words in COMMANDS), 24)
)
def test_what_is_no_sound_ledger_is_refused_in_one_line(
    sound: Path, tmp_path: Path, says: str, command: str
) -> None:
    file = Path(shutil.copy(sound, tmp_path / "g.db"))
    ODD[says](file)
    name, *words = command.split()
    words = [str(tmp_path / "copy.db")] if name == "copy" else words
    kind = stat.S_IFMT(file.stat().st_mode) if file.exists() else 0
    before = file.read_bytes() if file.is_file() else b""
    result = CliRunner().invoke(program, [name, str(file), *words])
    if name in ("upgrade", "close") and says == "damaged|malformed":
        assert result.exit_code in (0, 2)  # the damage is in a page that is not read
        return
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1
    assert any(part in result.stderr for part in says.split("|"))
    assert (stat.S_IFMT(file.stat().st_mode) if file.exists() else 0) == kind
    assert (file.read_bytes() if file.is_file() else b"")[100:] == before[
        100:
    ]  # WAL is noted there
    assert not (tmp_path / "copy.db").exists()
