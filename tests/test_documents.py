"""What ARCHITECTURE.md, CONTRIBUTING.md and the list of decisions name exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: Where the paths of these pages begin; a row of a table may go on in the folder of its first path.
FOLDERS = (ROOT, ROOT / "src" / "nomoledger")
DECISIONS = ROOT / "docs" / "adr"


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_module_and_folder_that_a_page_names_exists(page: str) -> None:
    missing = []
    for line in (ROOT / page).read_text("utf-8").splitlines():
        paths = re.findall(r"`([a-z_*/]+(?:\.py|/))`", line)
        folders = {folder / path for folder in FOLDERS for path in paths}
        beside = {folder if folder.suffix == "" else folder.parent for folder in folders}
        for path in paths:
            if not any(any(place.glob(path)) for place in (*FOLDERS, *beside)):
                missing.append(path)
    assert missing == []


def test_every_decision_is_listed_once_and_the_newest_first() -> None:
    listed = re.findall(r"^- \[(\d+)\]\(([^)]*)\)", (DECISIONS / "README.md").read_text(), re.M)
    records = sorted((path.name for path in DECISIONS.glob("0*.md")), reverse=True)
    assert [(name[:4], name) for name in records] == listed
