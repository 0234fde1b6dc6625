"""The folder of a site, which is replaced as a whole or not at all."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from nomoledger.errors import UsageError

MARKER = ".nomoledger-site"
_SAYS = "Made by nomoledger publish, which replaces these files:"


def put_in_place(folder: Path, pages: Mapping[str, str]) -> None:
    """Replace the content of *folder* with *pages*, by path.

    The pages are written to a folder next to *folder*, which then takes its place.

    Raises:
        UsageError: *folder* holds a file that is not part of an earlier site.
    """
    folder = folder.resolve()
    _check(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = _sibling(folder, "new")
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
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
    known = set((folder / MARKER).read_text("utf-8").splitlines()[1:])
    if foreign := sorted(files - known - {MARKER}):
        raise UsageError(f"{folder} holds {foreign[0]}, which is no part of the site: move it away")


def _write(fresh: Path, pages: Mapping[str, str]) -> None:
    marker = "\n".join([_SAYS, *sorted(pages)]) + "\n"
    for path, text in {MARKER: marker, **pages}.items():
        file = fresh / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", newline="\n")


def _sibling(folder: Path, purpose: str) -> Path:
    """Return a free path in the same file system. Removes what a dead process left there."""
    path = folder.with_name(f".{folder.name}.{purpose}-{os.getpid()}")
    shutil.rmtree(path, ignore_errors=True)
    return path


def _swap(folder: Path, fresh: Path) -> None:
    """Move *fresh* to *folder*, or restore the old folder if that fails."""
    if not folder.exists():
        fresh.rename(folder)
        return
    old = _sibling(folder, "old")
    folder.rename(old)
    try:
        fresh.rename(folder)
    except BaseException:
        old.rename(folder)
        raise
    shutil.rmtree(old)
