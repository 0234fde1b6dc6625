"""docs/real-time.md: what it prints, by a clock that stands at the times the page speaks of."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nomoledger.cli import run
from nomoledger.game import realtime
from nomoledger.game.realtime import SystemClock

DOCS = Path(__file__).parents[1] / "docs"


class WallOfThePage(SystemClock):
    """Saturday noon, until somebody presses Ctrl-C at midnight; then the Friday after."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 10, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)
        if self.time.hour == 0:
            self.time += timedelta(days=5)
            raise KeyboardInterrupt


@pytest.mark.slow
def test_every_command_of_the_page_prints_what_it_says(
    play_page: Callable[[Path], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "WALL", WallOfThePage())
    monkeypatch.setattr(realtime, "POLL_SECONDS", 3600)
    commands = play_page(DOCS / "real-time.md")
    assert sum(each.startswith("nomoledger run") for each in commands) == 3


def test_the_page_is_linked() -> None:
    assert "(real-time.md)" in (DOCS / "guide.md").read_text("utf-8")
    assert "(real-time.md)" in (DOCS / "cli.md").read_text("utf-8")
