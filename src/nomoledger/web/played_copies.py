"""Copies of games in which people try things: the same at all servers, and in no ledger of games.

Their records are in the database of people. A server builds the copies that its pages show.
"""

import secrets
import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from nomoledger.errors import StoreError
from nomoledger.game.desk.copied_game import copy_game
from nomoledger.game.writer import Outcome
from nomoledger.ledger.chain import Head
from nomoledger.people.copies import COPY_SECONDS, StoredCopies, StoredCopy
from nomoledger.web.open_copy import OpenCopy

T = TypeVar("T")
#: How many copies have a process of their own at a time.
AWAKE_MAX = 4


class CopyInfo(msgspec.Struct, frozen=True):
    """A copy, as pages show it: the fields of its `StoredCopy` that everybody may see."""

    id: str
    game: str
    by: str
    since: int
    made: int

    @property
    def address(self) -> str:
        """What the addresses of its pages begin with."""
        return f"/games/{quote(self.game, safe='')}/copies/{quote(self.id, safe='')}"

    @property
    def until(self) -> int:
        """Until when it is kept, in seconds since 1970."""
        return self.made + COPY_SECONDS


class Copies:
    """The copies of the games of a ledger. Several threads may use them."""

    def __init__(self, folder: Path, stored: StoredCopies, study: Callable[..., Head]) -> None:
        """Build the copies that are *stored* in *folder*, which is made.

        *study* reads games, as that of the host does.
        """
        folder.mkdir(mode=0o700)
        self._folder = folder
        self._stored = stored
        self._study = study
        self._open: OrderedDict[str, OpenCopy] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """End the processes of the copies."""
        with self._lock:
            opened, self._open = self._open, OrderedDict()
        for each in opened.values():
            each.sleep(waits=True)

    def make(self, game: str, by: str, upto: int | None = None) -> CopyInfo:
        """Copy *game* for *by*, up to public event *upto*.

        Raises:
            UnknownError: there is no such event.
        """
        id, secret = secrets.token_urlsafe(12), secrets.token_bytes(32)
        path, head = self._built(id, game, upto, secret)
        made = self._stored.add(id, game, by, head, secret)
        self._tidy()
        with self._lock:
            self._open[id] = OpenCopy(made, self._stored, lambda: path)
        return _info(made)

    def of(self, game: str) -> list[CopyInfo]:
        """Return the copies of *game*, the newest first."""
        return [_info(copy) for copy in self._stored.of(game)]

    def find(self, game: str, id: str) -> CopyInfo:
        """Return the copy of *game* with that *id*.

        Raises:
            UnknownError: there is no such copy any more.
        """
        return _info(self._stored.find(game, id))

    def read(self, copy: CopyInfo, reading: Callable[..., T], *given: Any, kind: type[T]) -> T:
        """Return what *reading* makes of *copy* and *given*, made once until the copy changes.

        See `Keepers.read` for the rest.
        """
        return self._opened(copy).read(reading, *given, kind=kind)

    def request(
        self, copy: CopyInfo, request: Callable[..., Outcome], *given: Any, id: str
    ) -> Outcome:
        """Make *request* in *copy*. See `Keepers.request`."""
        return self._opened(copy).request(request, *given, id=id)

    def go_back(self, copy: CopyInfo, before: int, last: int) -> None:
        """Take back everything in *copy* from event *before* on; *last* is its last event.

        Raises:
            UsageError: nobody asked for event *before* in the copy, or others have gone on in it.
        """
        self._opened(copy).go_back(before, last)

    # --- inside

    def _opened(self, copy: CopyInfo) -> OpenCopy:
        with self._lock:
            opened = self._open.get(copy.id)
        if opened is None:
            self._tidy()
            stored = self._stored.find(copy.game, copy.id)
            opened = OpenCopy(stored, self._stored, lambda: self._rebuilt(stored))
        with self._lock:
            opened = self._open.pop(copy.id, opened)  # Of two at once, one opens it.
            self._open[copy.id] = opened
            awake = [each for each in self._open.values() if each.is_awake and each is not opened]
        for each in awake[: max(0, len(awake) - AWAKE_MAX + 1)]:
            each.sleep(waits=False)
        return opened

    def _built(self, id: str, game: str, upto: int | None, secret: bytes) -> tuple[Path, Head]:
        """Copy *game* up to event *upto*; return where the copy is, and its head."""
        place = self._folder / id
        place.mkdir(mode=0o700, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=place))
        try:
            path = folder / "copy.db"
            return path, self._study(game, copy_game, str(path), upto, secret, kind=Head)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _rebuilt(self, copy: StoredCopy) -> Path:
        """Build *copy* as it was in the beginning, and return where it is.

        Raises:
            StoreError: what it was made from is not as it was.
        """
        path, head = self._built(copy.id, copy.game, copy.base.number, copy.secret)
        if head != copy.base:
            raise StoreError(f"{copy.game}: the copy {copy.id} cannot be built again")
        return path

    def _tidy(self) -> None:
        """Remove here the copies that are not stored any more."""
        with self._lock:
            opened = set(self._open)
        known = self._stored.ids()
        with self._lock:
            gone = {id: self._open.pop(id) for id in opened - known if id in self._open}
        for id, each in gone.items():
            each.sleep(waits=True)
            shutil.rmtree(self._folder / id, ignore_errors=True)


def _info(copy: StoredCopy) -> CopyInfo:
    return CopyInfo(copy.id, copy.game, copy.by, copy.base.number, copy.made)
