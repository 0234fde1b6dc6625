"""Putting the finished site in its place: all of it, or nothing."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from nomoledger.errors import UsageError

MARKER = ".nomoledger-site"
_SAYS = "Made by nomoledger publish, which replaces these files:"


def put_in_place(folder: Path, pages: Mapping[str, str]) -> None:
    """Make *folder* hold *pages*, by path, and nothing else.

    They are written beside it first, and then take its place.

    Raises:
        UsageError: there is something in *folder* that is no part of a site made before.
    """
    folder = folder.resolve()
    _check(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = _beside(folder, "new")
    try:
        _write(fresh, pages)
        _swap(folder, fresh)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _check(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file: give a folder for the site")
    if not any(folder.iterdir()):
        return
    if not (folder / MARKER).is_file():
        raise UsageError(f"{folder} holds something else: give an empty folder, or a new one")
    there = {str(each.relative_to(folder)) for each in folder.rglob("*") if not each.is_dir()}
    known = set((folder / MARKER).read_text("utf-8").splitlines()[1:])
    if foreign := sorted(there - known - {MARKER}):
        raise UsageError(f"{folder} holds {foreign[0]}, which is no part of the site: move it away")


def _write(fresh: Path, pages: Mapping[str, str]) -> None:
    marker = "\n".join([_SAYS, *sorted(pages)]) + "\n"
    for path, text in {MARKER: marker, **pages}.items():
        file = fresh / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", newline="\n")


def _beside(folder: Path, what: str) -> Path:
    """A place in the same file system, which a process that died there has left empty."""
    place = folder.with_name(f".{folder.name}.{what}-{os.getpid()}")
    shutil.rmtree(place, ignore_errors=True)
    return place


def _swap(folder: Path, fresh: Path) -> None:
    """Let *fresh* be *folder*; where that fails, what was there is put back."""
    if not folder.exists():
        fresh.rename(folder)
        return
    old = _beside(folder, "old")
    folder.rename(old)
    try:
        fresh.rename(folder)
    except BaseException:
        old.rename(folder)
        raise
    shutil.rmtree(old)
