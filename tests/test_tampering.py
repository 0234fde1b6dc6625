"""Random changes to a ledger file: verification notices those that matter, and nothing crashes."""

import random
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tiers import sample

from nomoledger.cli import program

TABLES = (
    "games", "stored_events", "chain", "rollup", "seals", "snapshots", "snapshot_parts",
)  # fmt: skip
PROVE = ("stored_events", "chain", "rollup")
VALUES = (None, "", b"", "x", b"\xff\xfe", 1.5, -1, 0, 2**62, "9" * 30, b"\0" * 32)
ASKED = (
    ("verify", "--chain-only"), ("standings", "--all"), ("log",), ("seal",), ("rulings",),
    ("balances", "--period", "1", "--as-known", "2"), ("status",), ("rebuild",), ("history",),
)  # fmt: skip


def run(*words: object) -> Result:
    return CliRunner().invoke(program, [str(word) for word in words])


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "game.db"
    made = run("simulate", path, "--rulebook", "mail-opening", "--players", 3, "--periods", 3)
    assert made.exit_code == 0, made.output
    assert run("seal", path).exit_code == 0
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    return path


@pytest.mark.parametrize("seed", sample(range(100), 5))
def test_random_changes_are_reported_without_a_crash(
    sound: Path, tmp_path: Path, seed: int
) -> None:
    path = Path(shutil.copyfile(sound, tmp_path / "game.db"))
    chance = random.Random(seed)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        table = chance.choice(TABLES)
        is_changed = tamper(connection, table, chance)
    verdict = run("verify", path)
    assert_reported(verdict)
    if table in PROVE:
        assert (verdict.exit_code != 0) == is_changed, verdict.output
    for words in chance.sample(ASKED, 3):
        assert_reported(run(words[0], path, *words[1:]))


def tamper(connection: sqlite3.Connection, table: str, chance: random.Random) -> bool:
    """Delete a row or change one of its cells; return whether that was possible."""
    before = connection.execute(f"SELECT * FROM {table}").fetchall()
    names = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
    row, place = chance.choice(before), chance.randrange(len(names))
    where = " AND ".join(f"{name} IS ?" for name in names)
    with suppress(sqlite3.IntegrityError):
        if chance.random() < 0.15:
            connection.execute(f"DELETE FROM {table} WHERE {where}", row)
        else:
            value = chance.choice([*VALUES, *[_flipped(row[place], chance)] * len(VALUES)])
            statement = f"UPDATE {table} SET {names[place]}=? WHERE {where}"
            connection.execute(statement, (value, *row))
    return bool(before != connection.execute(f"SELECT * FROM {table}").fetchall())


def _flipped(value: Any, chance: random.Random) -> Any:
    """Return *value* with one bit flipped."""
    if isinstance(value, int):
        return value ^ 1 << chance.randrange(8)
    data = bytearray(value if isinstance(value, bytes) else str(value).encode())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(7)
    return bytes(data) if isinstance(value, bytes) else data.decode(errors="replace")


def assert_reported(result: Result) -> None:
    """Check that the result has no traceback, and one line in case of misuse or damage."""
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in (0, 1, 2)
    assert result.exit_code < 2 or result.stderr.count("\n") == 1, result.stderr


def test_a_seal_missing_between_others_is_reported(sound: Path, tmp_path: Path) -> None:
    path = Path(shutil.copyfile(sound, tmp_path / "game.db"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM seals WHERE period=2")
    verdict = run("verify", path)
    assert verdict.exit_code == 1
    assert "the seal of period 2: it is missing, but that of period 3 is stored" in verdict.output
    assert run("seal", path).exit_code == 0
    assert run("verify", path).exit_code == 0
