"""A disk that is really full: a small file system of its own, on both stores."""

import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from postgres_server import PostgresServer
from tiers import sample

from nomoledger.cli import program
from nomoledger.errors import StoreError
from nomoledger.events import FactRecorded
from nomoledger.ledger.ledger import Ledger

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
GAME = "g"


class LittleDisk:
    """A file system of *megabytes*, in memory."""

    def __init__(self, megabytes: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="nomoledger-little-"))
        nobody = "uid=nobody,gid=nogroup" if os.geteuid() == 0 else ""
        try:
            self._mount(f"size={megabytes}m,mode=777,{nobody}".rstrip(","), "-t", "tmpfs", "tmpfs")
        except (OSError, subprocess.CalledProcessError):
            self.folder.rmdir()
            raise

    def _mount(self, options: str, *words: str) -> None:
        command = ["mount", "-o", options, *words, str(self.folder)]
        subprocess.run(command, check=True, capture_output=True)

    def make_room(self) -> None:
        """From now on there is enough."""
        self._mount("remount,size=256m")

    def fill(self) -> None:
        """Leave no room for anything."""
        with (self.folder / "ballast").open("wb", buffering=0) as file:
            for size in (1 << 16, 1 << 12):
                try:
                    while file.write(b"\0" * size):
                        pass
                except OSError:
                    continue

    def remove(self) -> None:
        """Give it back."""
        subprocess.run(["umount", "-l", str(self.folder)], check=False, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture
def disk() -> Iterator[LittleDisk]:
    try:
        little = LittleDisk(24)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this user may not mount a file system")
    yield little
    little.remove()


@pytest.fixture(params=["postgres", "sqlite"])
def place(request: pytest.FixtureRequest, disk: LittleDisk) -> Iterator[str]:
    """Where a ledger can be made on that disk, on each kind of store."""
    if request.param == "sqlite":
        yield str(disk.folder / "games.db")
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    server.execute(f"CREATE TABLESPACE little LOCATION '{disk.folder}'")
    server.execute("CREATE DATABASE little TEMPLATE template0 TABLESPACE little")
    yield server.url("little")
    server.drop_connections()
    server.execute("DROP DATABASE little")
    server.execute("DROP TABLESPACE little")


def fact(number: int) -> FactRecorded:
    """Nothing can make it shorter."""
    text = random.Random(number).randbytes(200_000).hex()
    return FactRecorded(
        period=1, received_at=NOON, recorded_at=NOON, id=str(number), kind="fish",
        fields={"text": text},
    )  # fmt: skip


def test_a_full_disk_loses_nothing_and_leaves_nothing_half_done(
    place: str, disk: LittleDisk
) -> None:
    with Ledger.open(place, create=True) as ledger:
        ledger.add_game(GAME, b"secret of 16 bytes")
        last = -1
        said = ""
        for number in range(1000):
            try:
                last = ledger.append(GAME, [fact(number)], expected=last).number
            except StoreError as full:
                said = str(full)
                break
        assert "no room left on the disk of" in said
        assert said.endswith(": what is recorded stays recorded; make room, try again")
        assert last > 0
        assert ledger.head(GAME).number == last
        assert ledger.verify(GAME).records == last + 1
        disk.make_room()
        assert ledger.append(GAME, [fact(last + 1)], expected=last).number == last + 1
        assert ledger.verify(GAME).ok


COMMANDS = (
    ("copy", "{game}", "{disk}/copy.db"),
    ("export", "{game}", "{disk}/game.jsonl"),
    ("export", "--public", "{game}", "{disk}/public.jsonl"),
    ("import", "{disk}/imported.db", "{export}"),
    ("init", "{disk}/new.db", "--rulebook", "mail-opening"),
    ("project", "{game}", "--into", "{disk}/tables.db"),
    ("publish", "{game}", "{disk}/site"),
    ("rebuild", "{disk}/there.db"),
    ("seal", "{disk}/there.db"),
    ("join", "{disk}/there.db", "Zoe", "email=zoe@example.org"),
)


@pytest.mark.slow
@pytest.mark.parametrize("words", sample(COMMANDS, 2), ids=" ".join)
def test_a_command_reports_a_full_disk_in_one_line(
    words: tuple[str, ...], disk: LittleDisk, tmp_path: Path
) -> None:
    game, export = tmp_path / "game.db", tmp_path / "game.jsonl"
    there = disk.folder / "there.db"
    made = ("simulate", game, "--rulebook", "mail-opening", "--players", 3, "--periods", 2)
    for command in (made, ("export", game, export), ("copy", game, there)):
        assert run(*command) == (0, 0), command
    disk.fill()
    places = {"game": game, "disk": disk.folder, "export": export}
    code, lines = run(*(word.format(**places) for word in words))
    assert (code, lines) == (2, 1)
    assert {each.name for each in disk.folder.iterdir()} <= {"ballast", *there_already()}
    (disk.folder / "ballast").unlink()
    assert run("verify", there) == (0, 0)
    assert run(*(word.format(**places) for word in words))[0] == 0


def there_already() -> set[str]:
    """The ledger; and tables, which are made page by page, and gone on with."""
    ledger = {f"there.db{each}" for each in ("", "-wal", "-shm")}
    return {*ledger, "tables.db"}


def run(*words: object) -> tuple[int, int]:
    """The exit code, and how many lines of errors there were."""
    result = CliRunner().invoke(program, [str(word) for word in words])
    return result.exit_code, result.stderr.count("\n")
