"""docs/forecasts.md: its examples are run, and print what it says they print."""

from collections.abc import Callable
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "forecasts.md"


@pytest.mark.slow
def test_every_example_prints_what_the_page_says(play_page: Callable[[Path], list[str]]) -> None:
    assert play_page(PAGE)
