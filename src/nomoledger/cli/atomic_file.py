"""Writing a file completely or not at all, and never over a ledger.

Every command that writes a file writes it here, so this module alone decides what may be replaced:
a ledger never, another file only if the user says so.
"""

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from nomoledger.errors import UsageError

#: What SQLite adds to the name of a database for the files that belong to it.
_SUFFIXES = ("-wal", "-shm", "-journal")
_DATABASE = b"SQLite format 3\0"
#: How a write-ahead log begins (in either byte order), and a rollback journal: SQLite's file format
#: document, sections 3 and 4.
_LOGS = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
#: "nomo" at offset 68 of a database, as `nomoledger.ledger.stores.sqlite_file` writes it.
_APPLICATION_ID = b"nomo"
#: In a ledger whose header was damaged, the first page still holds its tables.
_TABLES = (b"stored_events", b"commitment")
_FIRST_PAGE = 65536


def is_of_ledger(path: Path) -> bool:
    """Return whether *path* is a ledger, or a file that SQLite keeps beside one.

    The content decides, so that links and other spellings of a path make no difference. A file
    beside a ledger counts even while it does not exist: SQLite would read whatever is put there.
    """
    name = path.name
    for suffix in _SUFFIXES:
        if name.lower().endswith(suffix) and _is_ledger(path.with_name(name[: -len(suffix)])):
            return True
    return _is_ledger(path)


def _is_ledger(path: Path) -> bool:
    if not path.is_file():
        return False
    with open(path, "rb") as source:
        page = source.read(_FIRST_PAGE)
    if page.startswith(_LOGS):
        return True
    has_tables = all(table in page for table in _TABLES)
    return page.startswith(_DATABASE) and (page[68:72] == _APPLICATION_ID or has_tables)


def check_replaceable(name: str, *, force: bool) -> None:
    """Check that a command may write the file *name*, which exists or not.

    Raises:
        UsageError: it is a ledger or belongs to one; or it exists, and *force* is False.
        OSError: it exists and cannot be read.
    """
    for path in {Path(os.path.abspath(name)), Path(os.path.realpath(name))}:
        if is_of_ledger(path):
            raise UsageError(f"{name} is a ledger, or belongs to one: give another file")
        if path.is_block_device():
            raise UsageError(f"{name} is a disk: give another file")
    if Path(name).is_file() and not force:
        raise UsageError(f"{name} exists already: give another file, or replace it with --force")


@contextmanager
def atomic_file(
    name: str, *, force: bool = False, is_private: bool = False, dry_run: bool = False
) -> Iterator[BinaryIO]:
    """Open a temporary file for writing, and rename it to *name* when the block succeeds.

    If *is_private*, only the owner of the file may read it. For a *dry_run*, everything is checked,
    and nothing is written.

    `-` is standard output. A path that exists but is not a regular file (a pipe) is written to
    directly.

    Raises:
        UsageError: *name* must not be replaced; see `check_replaceable`. It is checked before the
            block and again after the block.
    """
    path = Path(os.path.realpath(name))
    if dry_run:
        if name != "-":
            check_replaceable(name, force=force)
            check_folder(path)
        with open(os.devnull, "wb") as nothing:
            yield nothing
        return
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    check_replaceable(name, force=force)
    if path.exists() and not path.is_file():
        with open(path, "wb") as target:
            yield target
    else:
        with _temporary_file(path, name, force, 0o600 if is_private else None) as target:
            yield target


def optional_file(
    name: str | None, *, force: bool, dry_run: bool
) -> AbstractContextManager[BinaryIO | None]:
    """Open *name* as `atomic_file` does; None if there is nothing to save."""
    return nullcontext() if name is None else atomic_file(name, force=force, dry_run=dry_run)


def check_folder(path: Path) -> None:
    """Check that a file can be made at *path*.

    Raises:
        OSError: its folder does not exist, or nobody may write there.
    """
    folder = path.parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


@contextmanager
def _temporary_file(path: Path, name: str, force: bool, mode: int | None) -> Iterator[BinaryIO]:
    if mode is None:
        mode = stat.S_IMODE(path.stat().st_mode) & 0o777 if path.exists() else 0o666 & ~_umask()
    with _naming(path):
        handle, temporary = _new_file(path)
    try:
        with _naming(path), os.fdopen(handle, "wb") as target:
            os.fchmod(target.fileno(), mode)
            yield target
            target.flush()
            os.fsync(target.fileno())
            temporary = temporary or _named(target.fileno(), path)
        _put_in_place(temporary, path, name, force)
    except BaseException:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name *path* in errors of its disk, which name no file or a temporary one."""
    try:
        yield
    except OSError as error:
        if error.filename is None or str(error.filename).startswith(_temporary_prefix(path)):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def _temporary_prefix(path: Path) -> str:
    return str(path.parent / f".{path.name[:100]}.")


def _new_file(path: Path) -> tuple[int, str]:
    """Return a new file in the folder of *path*, and its name.

    Where the system can do so, the file has no name ("") as long as it is incomplete, so that a
    kill leaves nothing behind.
    """
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        try:
            return os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, 0o600), ""
        except OSError:
            pass  # not on this file system, or `mkstemp` says why not
    prefix = _temporary_prefix(path)
    return tempfile.mkstemp(dir=path.parent, prefix=os.path.basename(prefix))


def _named(handle: int, path: Path) -> str:
    """Give the open file *handle* a temporary name beside *path*, and return the name."""
    while True:
        temporary = _temporary_prefix(path) + token_hex(8)
        folder = os.open(path.parent, os.O_RDONLY)
        try:  # with a folder, `os.link` follows the link to the open file
            os.link(f"/proc/self/fd/{handle}", temporary, src_dir_fd=folder)
        except FileExistsError:
            continue
        finally:
            os.close(folder)
        return temporary


def _put_in_place(temporary: str, path: Path, name: str, force: bool) -> None:
    check_replaceable(name, force=force)
    if not force:
        try:
            os.link(temporary, path)  # fails if another program has made the file meanwhile
        except FileExistsError:
            check_replaceable(name, force=force)
        except OSError:
            pass  # the file system has no hard links
    os.replace(temporary, path)
    Path(temporary).unlink(missing_ok=True)  # replacing a link by its own file leaves both names


def _sync_folder(folder: Path) -> None:
    """Make the new name of a file durable, where the system can do so."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
