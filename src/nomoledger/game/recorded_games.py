"""The recorded games that come with nomoledger."""

from pathlib import Path

from nomoledger.errors import UnknownError


def folder() -> Path:
    """Return the folder of the recorded games, in the installed package or in the checkout."""
    packaged = Path(__file__).parents[1] / "_replays"
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "replays"


def names() -> list[str]:
    """Return the names of the recorded games, sorted."""
    return sorted(path.stem for path in folder().glob("*.jsonl"))


def find(name: str) -> Path:
    """Return the file of the recorded game called *name*.

    Raises:
        UnknownError: there is no game of that name.
    """
    if name not in names():
        raise UnknownError(f"no recorded game {name!r}; there is: {', '.join(names()) or 'none'}")
    return folder() / f"{name}.jsonl"


def files(name: str) -> list[Path]:
    """Return the files of the recorded game called *name*, in the order in which to import them.

    The first begins the game. Those in the folder of its name continue it.

    Raises:
        UnknownError: there is no game of that name.
    """
    return [find(name), *sorted((folder() / name).glob("*.jsonl"))]
