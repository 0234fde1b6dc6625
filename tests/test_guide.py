"""docs/guide.md: every snippet is run, in order, and the site it ends with is there."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
GUIDE = DOCS / "guide.md"

#: What an admin does in a first published week, and after it.
STEPS = {
    "rules", "init", "join", "propose", "judge", "roll", "status", "submit", "ruling", "close",
    "standings", "replay", "verify", "publish", "explain", "why-not", "import",
}  # fmt: skip


@pytest.mark.slow
def test_every_snippet_does_what_the_guide_says(
    play_page: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    commands = play_page(GUIDE)
    assert {command.split()[1] for command in commands} >= STEPS
    for page in ("index.html", "period-1/standings.html", "period-2/standings.html"):
        text = (tmp_path / "site" / page).read_text("utf-8")
        assert "Cleo" in text
        assert "cleo@example.org" not in text


def test_every_file_of_the_guide_is_used() -> None:
    text = GUIDE.read_text("utf-8")
    for file in re.findall(r"^```\w+ (\S+)$", text, re.MULTILINE):
        assert re.search(rf"^\$ nomoledger .*\b{re.escape(file)}\b", text, re.MULTILINE), file


def test_links_resolve_and_the_readme_links_here() -> None:
    for link in re.findall(r"\]\(([^)#]+)", GUIDE.read_text("utf-8")):
        assert (DOCS / link).is_file(), link
    assert "(docs/guide.md)" in (DOCS.parent / "README.md").read_text("utf-8")
