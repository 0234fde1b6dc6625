"""The manifest of a site: what each closed period was made from, and the digests of its pages.

A later publish keeps the pages of a closed period that would come out the same. They are neither
rendered nor written again.
"""

import hashlib
import inspect
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import msgspec

from nomoledger.game.read_models import projection
from nomoledger.game.ruled_events import RuledEvent
from nomoledger.views.site.outline import Outline
from nomoledger.views.site.site_paths import folder_of

#: The path of the manifest in the folder of a site.
MANIFEST = ".nomoledger-pages.json"
#: The form of manifests that this version writes and reads.
FORM = 1
#: Packages on which the text of pages depends, besides nomoledger.
_PACKAGES = ("jinja2", "markdown-it-py", "markupsafe", "msgspec", "starlark-pyo3")


class PeriodPages(msgspec.Struct, frozen=True):
    """The pages of one closed period: the *key* of what they show, and their SHA-256 by path.

    *words* are the words of its log.
    """

    key: str
    pages: dict[str, str]
    words: str = ""


class RuledPlay(msgspec.Struct, frozen=True):
    """What a ruling changed, event by event, and the *key* of what it was computed from.

    *events* is None if the play cannot be followed from public events alone.
    """

    key: str
    events: tuple[RuledEvent, ...] | None


class Manifest(msgspec.Struct):
    """What a site was made from: the closed *periods*, and the *rulings*, by number."""

    form: int = FORM
    periods: dict[str, PeriodPages] = {}
    rulings: dict[str, RuledPlay] = {}

    def encode(self) -> str:
        """Return the manifest as a file."""
        encoded = msgspec.json.encode(self, order="deterministic")
        return msgspec.json.format(encoded, indent=1).decode() + "\n"


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of the site in *folder*; an empty one if it has none that can be read."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except (OSError, msgspec.MsgspecError):
        return Manifest()
    return manifest if manifest.form == FORM else Manifest()


def reusable(manifest: Manifest, folder: Path, outline: Outline) -> dict[int, PeriodPages]:
    """Return the periods whose pages in *folder* are what this version would make of *outline*.

    *manifest* is that of the site in *folder*.
    """
    known = manifest.periods
    return {
        period.number: made
        for index, period in enumerate(outline.periods)
        if (made := known.get(str(period.number))) is not None
        and made.key == key_of(outline, index)
        and _are_unchanged(folder, folder_of(period.number), made)
    }


def _are_unchanged(folder: Path, own: str, period: PeriodPages) -> bool:
    """Return whether the pages of *period* are as they were made, in their *own* folder."""
    return all(
        path.startswith(own) and ".." not in path and _is_unchanged(folder / path, digest)
        for path, digest in period.pages.items()
    )


def _is_unchanged(file: Path, digest: str) -> bool:
    try:
        return not file.is_symlink() and digest_of(file.read_bytes()) == digest
    except OSError:
        return False


def digest_of(text: bytes) -> str:
    """Return the digest of the *text* of a page."""
    return hashlib.sha256(text).hexdigest()


def key_of(outline: Outline, index: int) -> str | None:
    """Return the digest of all that decides the pages of a closed period; None for an open one.

    That is the public history up to the close, what later events say of the period, the
    corrections of the period and of those before it, which its charts show, and the code.
    """
    period = outline.periods[index]
    if period.is_open:
        return None
    neighbours = outline.periods[max(index - 1, 0) : index + 2]
    last = outline.periods[-1].titles
    inputs: list[Any] = [
        code_digest(),
        outline.game,
        outline.rulebook,
        period.number,
        period.digest,
        period.titles,
        period.mark.disputed,
        period.mark.final,
        [(other.number, other.corrected) for other in outline.periods[: index + 1]],
        [(other.number, sorted(other.titles)) for other in neighbours],
        sorted(path for path in period.titles if path in last),
    ]
    return digest_of(msgspec.json.encode(inputs, order="deterministic", enc_hook=str))


@cache
def code_digest() -> str:
    """Return the digest of the code that makes pages: this package, projections, and versions."""
    digest = hashlib.sha256()
    for path, content in sorted(_sources(files("nomoledger"), "")):
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    for name in ("board", "standings"):
        digest.update(Path(inspect.getfile(projection(name))).read_bytes())
    for package in _PACKAGES:
        digest.update(f"{package} {version(package)}\0".encode())
    return digest.hexdigest()


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name not in ("__pycache__", "shipped", "cases"):
                yield from _sources(entry, f"{path}{entry.name}/")
        elif entry.name.endswith((".py", ".html", ".css", ".js")):
            yield f"{path}{entry.name}", entry.read_bytes()
