"""How a new site replaces an earlier one, and what is never lost."""

import os
from pathlib import Path
from typing import Any

import pytest
from test_site import contents

from nomoledger.errors import UsageError
from nomoledger.views.site import folder as site_folder
from nomoledger.views.site.folder import MARKER, put_in_place


def test_an_earlier_site_is_replaced_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "site"
    put_in_place(folder, {"a.html": "1", "b/c.html": "2"})
    put_in_place(folder, {"a.html": "3"})
    assert contents(folder) == {"a.html": "3", MARKER: contents(folder)[MARKER]}
    assert folder.stat().st_mode & 0o055 == folder.parent.stat().st_mode & 0o055


@pytest.mark.parametrize("name", ["mine.txt", ".git/config"])
def test_a_folder_that_holds_anything_else_is_left_alone(tmp_path: Path, name: str) -> None:
    file = tmp_path / "site" / name
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    with pytest.raises(UsageError, match="holds something else"):
        put_in_place(tmp_path / "site", {"a.html": "1"})
    assert file.read_text() == "mine"


def test_another_file_in_a_site_is_not_lost(tmp_path: Path) -> None:
    put_in_place(tmp_path / "site", {"a.html": "1"})
    (tmp_path / "site" / "CNAME").write_text("mine")
    with pytest.raises(UsageError, match="holds CNAME, which is no part of the site"):
        put_in_place(tmp_path / "site", {"a.html": "2"})
    assert (tmp_path / "site" / "a.html").read_text() == "1"


def test_a_file_is_refused_as_a_folder(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine")
    with pytest.raises(UsageError, match="is a file"):
        put_in_place(tmp_path / "site", {})


@pytest.mark.parametrize("fails_at", [1, 2, 3])
def test_the_old_site_stays_if_the_new_one_cannot_replace_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    folder = tmp_path / "site"
    put_in_place(folder, {"a.html": "1"})
    calls = []

    def failing(what: Any) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            calls.append(arguments)
            if len(calls) == fails_at:
                raise OSError("no space left")
            return what(*arguments, **named)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(site_folder, "_exchange", lambda one, other: False)
        names = {1: "write_text", 2: "rename", 3: "rename"}
        patch.setattr(Path, names[fails_at], failing(getattr(Path, names[fails_at])))
        calls += [()] if fails_at > 1 else []
        with pytest.raises(OSError, match="no space left"):
            put_in_place(folder, {"a.html": "2"})
    assert (folder / "a.html").read_text() == "1"
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_leftovers_of_a_dead_process_are_not_published(tmp_path: Path) -> None:
    left = tmp_path / f".site.new-{os.getpid()}"
    left.mkdir()
    (left / "old.html").write_text("old")
    put_in_place(tmp_path / "site", {"a.html": "1"})
    assert set(contents(tmp_path / "site")) == {"a.html", MARKER}
