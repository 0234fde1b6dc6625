"""Publishing swaps in one step: a kill leaves the old site or the new one, and no rubbish stays."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tiers import sample

from nomoledger.errors import UsageError
from nomoledger.views.site import folder as site_folder
from nomoledger.views.site.folder import MARKER, NewFolder, put_in_place

PAGES = 60
#: Publishes one version of a site after the other, until it is killed.
PUBLISHER = """
import sys
from pathlib import Path
from typing import Any
from nomoledger.views.site.folder import put_in_place
version = 0
while True:
    version += 1
    put_in_place(Path(sys.argv[1]), {f"page/{n}.html": f"{version}\\n" * 200 for n in range(60)})
    print(version, flush=True)
"""


def pages(version: str, count: int = PAGES) -> dict[str, str]:
    return {f"page/{n}.html": version for n in range(count)}


def version_of(site: Path) -> str:
    """Return the version of a site, all of whose pages must be there and of one version."""
    listed = (site / MARKER).read_text("utf-8").splitlines()[1:]
    assert len(listed) == PAGES
    (version,) = {(site / name).read_text("utf-8") for name in listed}
    return version


def beside(site: Path) -> list[str]:
    return sorted(path.name for path in site.parent.iterdir() if path != site)


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample(range(40), 3))
def test_a_kill_leaves_the_old_site_or_the_new_one(tmp_path: Path, seed: int) -> None:
    site, chance = tmp_path / "site", random.Random(seed)
    put_in_place(site, pages("first"))
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", PUBLISHER, str(site)], stdout=subprocess.PIPE
        ) as publisher:
            assert publisher.stdout is not None
            publisher.stdout.readline()
            time.sleep(chance.uniform(0, 0.03))
            os.kill(publisher.pid, signal.SIGKILL)
        assert version_of(site)
    put_in_place(site, pages("last"))
    assert version_of(site) == "last"
    assert beside(site) == []


def test_a_site_is_replaced_where_names_cannot_be_exchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_folder, "_exchange", lambda one, other: False)
    site = tmp_path / "site"
    for version in ("1", "2", "3"):
        put_in_place(site, pages(version))
        assert version_of(site) == version
    assert beside(site) == []


def test_a_site_that_a_kill_left_aside_is_put_back(tmp_path: Path) -> None:
    site = tmp_path / "site"
    put_in_place(site, pages("1"))
    site.rename(tmp_path / ".site.old-999")
    (tmp_path / ".site.new-999").mkdir()
    with pytest.raises(OSError, match="No space"):
        put_in_place(site, Full())
    assert version_of(site) == "1"
    put_in_place(site, pages("2"))
    assert version_of(site) == "2"
    assert beside(site) == []


class Full(dict[str, str]):
    """Pages that cannot be written."""

    def items(self) -> Any:
        raise OSError(28, "No space left on device")


def test_a_publish_at_the_same_time_is_left_alone(tmp_path: Path) -> None:
    site = tmp_path / "site"
    put_in_place(site, pages("1"))
    with site_folder._new_sibling(site) as other:
        (other / "page.html").write_text("x")
        moved = other.rename(tmp_path / ".site.new-1")
        put_in_place(site, pages("2"))
        assert (moved / "page.html").exists()
    assert version_of(site) == "2"


def test_a_file_that_is_put_into_a_site_meanwhile_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    put_in_place(site, pages("1"))
    finish = NewFolder.finish

    def disturbed(new: NewFolder) -> None:
        finish(new)
        (site / "mine.txt").write_text("mine")

    monkeypatch.setattr(NewFolder, "finish", disturbed)
    with pytest.raises(UsageError, match=r"mine.txt, which is no part of the site"):
        put_in_place(site, pages("2"))
    assert (site / "mine.txt").read_text() == "mine"
    assert (site / "page/0.html").read_text() == "1"
    assert beside(site) == []
