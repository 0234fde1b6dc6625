"""docs/cli.md: its examples are run one after the other, and print what it says they print."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nomoledger.cli import program

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"


@pytest.mark.slow
def test_every_example_prints_what_the_page_says(play_page: Callable[[Path], list[str]]) -> None:
    assert play_page(PAGE)


def test_every_command_is_on_the_page() -> None:
    text = PAGE.read_text("utf-8")
    for name in program.every_command():
        assert f"`{name}" in text or f"$ nomoledger {name} " in text, name
