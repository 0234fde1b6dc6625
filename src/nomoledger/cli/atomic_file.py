"""Writing a file completely or not at all."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_file(name: str) -> Iterator[BinaryIO]:
    """Open a temporary file for writing, and rename it to *name* when the block succeeds.

    `-` is standard output. A path that exists but is not a regular file (a pipe) is written to
    directly.
    """
    path = Path(os.path.realpath(name))
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif path.exists() and not path.is_file():
        with open(path, "wb") as target:
            yield target
    else:
        with _temporary_file(path) as target:
            yield target


@contextmanager
def _temporary_file(path: Path) -> Iterator[BinaryIO]:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, "wb") as target:
            os.fchmod(target.fileno(), mode)
            yield target
            target.flush()
            os.fsync(target.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
