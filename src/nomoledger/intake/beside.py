"""Files that a file from outside names: only those beside it are read."""

from pathlib import Path

from nomoledger.errors import RecordError


def beside(path: Path, name: str, place: str) -> Path:
    """Return the path of the file *name*, which the file at *path* names at *place*.

    Raises:
        RecordError: *name* is no name of a file, or leads out of the folder of *path*. Whoever
            wrote that file must not choose which other files of the reader are read.
    """
    folder = path.parent.resolve()
    try:
        file = (folder / name).resolve()
    except (OSError, ValueError):
        raise RecordError(f"{place}: {name!r:.80} is no name of a file") from None
    if not file.is_relative_to(folder):
        raise RecordError(f"{place}: {name!r:.80} is not beside the record: copy it there")
    return file
