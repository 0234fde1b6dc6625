"""docs/league.md: its examples are run one after the other, and print what it says they print."""

import os
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "league.md"


def test_every_example_prints_what_the_page_says(
    play_page: Callable[[Path], list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    assert play_page(PAGE)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    runpy.run_path("league.py")
    printed = capsys.readouterr().out.splitlines()
    assert printed == ["chess 1 ['proposal 1 is undecided']", "go 1 []", "[True]"]
