"""docs/own-rulebook.md: every file is written, every command run; and the rules it ends with."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from nomoledger import Ledger
from nomoledger.game.game import Game

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "own-rulebook.md"

#: From an empty file to a game that is published.
STEPS = {"rules", "test", "init", "join", "submit", "roll", "propose", "vote", "close", "publish"}


@pytest.mark.slow
def test_every_snippet_does_what_the_page_says(
    play_page: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    commands = play_page(PAGE)
    assert {command.split()[1] for command in commands} >= STEPS
    assert (tmp_path / "site" / "index.html").is_file()
    with Ledger.open(tmp_path / "game.db") as ledger:
        world = Game(ledger).world
    assert [rule.number for rule in world.rules] == ["1", "2", "3", "4", "5", "6"]
    assert world.label(world.get("Ann", "square")) == 5


def test_links_resolve_and_the_readme_links_here() -> None:
    for link in re.findall(r"\]\(([^)#]+)", PAGE.read_text("utf-8")):
        assert (DOCS / link).is_file(), link
    for page in ("README.md", "docs/guide.md"):
        assert "own-rulebook.md)" in (DOCS.parent / page).read_text("utf-8")
