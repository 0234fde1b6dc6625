"""The game of fines, opened."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import nomoledger

from .fines import BOOK, CASES, NOON


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game whose rulebook and cases are gone since it opened."""
    folder = tmp_path_factory.mktemp("fines")
    (folder / "cases" / "fines").mkdir(parents=True)
    (folder / "fines.md").write_text(BOOK, "utf-8")
    (folder / "cases" / "fines" / "late.yaml").write_text(CASES, "utf-8")
    with nomoledger.open(folder / "g.db", create=True) as ledger:
        ledger.create_game("g", str(folder / "fines.md"), at=NOON, secret=b"s" * 32)
    shutil.rmtree(folder / "cases")
    (folder / "fines.md").unlink()
    return folder / "g.db"


@pytest.fixture
def file(opened: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return str(shutil.copy(opened, tmp_path / "g.db"))


@pytest.fixture
def game(file: str) -> Any:
    with nomoledger.open(file) as ledger:
        yield ledger.game("g")
