"""docs/league.md: its examples are run one after the other, and print what it says they print."""

from collections.abc import Callable
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "league.md"


def test_every_example_prints_what_the_page_says(
    play_page: Callable[[Path], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    assert play_page(PAGE)
