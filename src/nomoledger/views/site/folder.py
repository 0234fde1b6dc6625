"""The folder of a site, which is replaced as a whole, in one step, or not at all.

A new site is written beside the old one; then both folders exchange their names. Linux and macOS do
that in one step, so a kill at any moment leaves the old site or the new one. Where the file system
cannot, two renames follow each other, and the next publish puts back what a kill left aside.
"""

import ctypes
import errno
import fcntl
import hashlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from glob import escape
from pathlib import Path

from nomoledger.errors import UsageError

MARKER = ".nomoledger-site"
_SAYS = "Made by nomoledger publish, which replaces these files:"
#: From the headers of Linux (fcntl.h, fs.h) and macOS (stdio.h).
_AT_FDCWD, _EXCHANGE = -100, 2
#: What a system or a file system says that cannot exchange two names.
_CANNOT = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOTTY)


class NewFolder:
    """The new folder of a site, while its files are written.

    Attributes:
        old: the folder that it will replace, which may not exist.
        paths: the paths of its files so far.
    """

    def __init__(self, folder: Path | None, old: Path) -> None:
        """Write to *folder*, which will replace *old*; if *folder* is None, write nothing."""
        self._folder = folder
        self.old = old
        self.paths: set[str] = set()
        self._parents: set[Path] = set()

    def write(self, path: str, text: str) -> str:
        """Write the file at *path*; return its SHA-256."""
        content = text.encode()
        place = self._place(path)
        if place is not None:
            place.write_bytes(content)
        return hashlib.sha256(content).hexdigest()

    def keep(self, path: str) -> None:
        """Take over the file at *path* of the old folder: as a second link to it, or as a copy."""
        place = self._place(path)
        if place is None:
            return
        try:
            os.link(self.old / path, place)
        except OSError:  # The file system has no links.
            shutil.copyfile(self.old / path, place)

    def finish(self) -> None:
        """Write the list of the files."""
        if self._folder is not None:
            listed = "\n".join([_SAYS, *sorted(self.paths)]) + "\n"
            (self._folder / MARKER).write_text(listed, "utf-8")

    def _place(self, path: str) -> Path | None:
        if self._folder is None:
            self.paths.add(path)
            return None
        file = self._folder / path
        if file.parent not in self._parents:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._parents.add(file.parent)
        self.paths.add(path)
        return file


@contextmanager
def replacing(folder: Path, *, dry_run: bool = False) -> Iterator[NewFolder]:
    """Yield a new folder, which takes the place of *folder* at the end of the block.

    What a publish that was killed left beside *folder* is removed. For a *dry_run*, everything is
    checked, and nothing is written or removed.

    Raises:
        UsageError: *folder* holds a file that is not part of an earlier site.
        OSError: *folder* cannot be made.
    """
    folder = folder.resolve()
    if dry_run:
        _check(folder)
        _check_parent(folder)
        yield NewFolder(None, folder)
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    _clear_up(folder)
    _check(folder)
    with _new_sibling(folder) as fresh:
        new = NewFolder(fresh, folder)
        yield new
        new.finish()
        _swap(folder, fresh)


def put_in_place(folder: Path, pages: Mapping[str, str]) -> None:
    """Replace the content of *folder* with *pages*, by path.

    Raises:
        UsageError: *folder* holds a file that is not part of an earlier site.
    """
    with replacing(folder) as new:
        for path, text in pages.items():
            new.write(path, text)


def _check(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file: give a folder for the site")
    if not any(folder.iterdir()):
        return
    if not (folder / MARKER).is_file():
        raise UsageError(f"{folder} holds something else: give an empty folder, or a new one")
    files = set(_files_in(folder))
    known = set((folder / MARKER).read_text("utf-8").splitlines()[1:])
    if foreign := sorted(files - known - {MARKER}):
        raise UsageError(f"{folder} holds {foreign[0]}, which is no part of the site: move it away")


def _check_parent(folder: Path) -> None:
    """Check that *folder* can be made, or replaced.

    Raises:
        OSError: a folder above it is a file, or nobody may write there.
    """
    above = next(parent for parent in folder.parents if parent.exists())
    if not above.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(above))
    if not os.access(above, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(above))


def _files_in(folder: Path) -> Iterator[str]:
    """Yield the paths of all files in *folder*, relative to it."""
    for top, _, files in os.walk(folder):
        prefix = "" if Path(top) == folder else f"{os.path.relpath(top, folder)}/"
        yield from (f"{prefix}{name}" for name in files)


@contextmanager
def _new_sibling(folder: Path) -> Iterator[Path]:
    """Make an empty folder beside *folder*, locked while it is in use; remove it at the end."""
    path = _sibling(folder, "new")
    path.mkdir()
    lock = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def _sibling(folder: Path, purpose: str) -> Path:
    return folder.with_name(f".{folder.name}.{purpose}-{os.getpid()}")


def _clear_up(folder: Path) -> None:
    """Put back or remove what processes that are dead left beside *folder*."""
    for purpose in ("old", "new"):
        for path in sorted(folder.parent.glob(f".{escape(folder.name)}.{purpose}-*")):
            if not _is_left(path):
                continue
            if purpose == "old" and not folder.exists():
                path.rename(folder)  # the process died between two renames
            else:
                shutil.rmtree(path, ignore_errors=True)


def _is_left(path: Path) -> bool:
    """Return whether no process uses the folder *path* any more."""
    try:
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False
    finally:
        os.close(lock)


def _swap(folder: Path, fresh: Path) -> None:
    """Give the content of *fresh* the name *folder*; *fresh* then holds the old site, if any.

    Raises:
        UsageError: somebody put another file into *folder* meanwhile; nothing is changed.
    """
    if not folder.exists():
        fresh.rename(folder)
        return
    shutil.copymode(folder, fresh)
    if _exchange(folder, fresh):
        try:
            _check(fresh)
        except UsageError:
            _exchange(folder, fresh)
            _check(folder)
            raise
        return
    old = _sibling(folder, "old")
    folder.rename(old)
    try:
        fresh.rename(folder)
    except BaseException:
        old.rename(folder)
        raise
    shutil.rmtree(old)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two folders in one step; False if the system cannot."""
    libc = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(one), os.fsencode(other)
    if sys.platform == "darwin":
        result = libc.renamex_np(*names, _EXCHANGE)
    elif hasattr(libc, "renameat2"):
        result = libc.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE)
    else:
        return False
    if result == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), str(one))
