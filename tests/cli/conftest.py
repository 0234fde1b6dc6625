"""Games that commands are tried on."""

import shutil
from pathlib import Path

import pytest

from cli.commands import NOON, ok


@pytest.fixture(scope="module")
def game_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A game with Ann and Bob on a board of 9 squares, with real dice; copy the file."""
    file = str(tmp_path_factory.mktemp("game") / "g.db")
    ok("init", file, "--rulebook", "mail-opening", "--set", "squares=9", "--dice", "entered",
       "--at", NOON)  # fmt: skip
    ok("join", file, "Ann", "email=ann@x.org", "--at", NOON)
    ok("join", file, "Bob", "email=bob@x.org", "--at", NOON)
    return file


@pytest.fixture(scope="module")
def landed_file(game_file: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same game, after Ann landed on square 8; copy the file."""
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
