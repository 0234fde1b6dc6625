"""docs/disputes.md: two real slips, each settled both ways, as the page says."""

from collections.abc import Callable
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "disputes.md"

#: What it takes to settle a dispute.
STEPS = {"dispute", "what-if", "ruling", "standings", "rulings", "explain", "replay", "bisect"}


@pytest.mark.slow
def test_the_page_settles_both_slips_both_ways(play_page: Callable[[Path], list[str]]) -> None:
    commands = play_page(PAGE)
    assert {command.split()[1] for command in commands} >= STEPS
    for slip in ("496", "116"):
        for way in (f"--ratify {slip}", f"--replace {slip}="):
            assert any(way in each for each in commands if "what-if" not in each), way
