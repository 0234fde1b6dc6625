"""Copies of games in which people try things: kept by this server for a day, and in no ledger."""

import secrets
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from nomoledger.errors import UnknownError
from nomoledger.game.desk.copied_game import copy_game
from nomoledger.game.writer import Outcome
from nomoledger.web.open_copy import OpenCopy

T = TypeVar("T")
#: How long a copy is kept, in seconds.
COPY_SECONDS = 24 * 3600
#: How many copies there are at most, in all and of one person: the oldest goes first.
COPIES_MAX, OWN_MAX = 100, 5
#: How many copies have a process of their own at a time.
KEPT_OPEN_MAX = 4


class CopyInfo(msgspec.Struct, frozen=True):
    """A copy of *game*.

    Attributes:
        id: its address. by: who made it.
        since: the number of the last event that it copied. made: when, in seconds since 1970.
    """

    id: str
    game: str
    by: str
    since: int
    made: float

    @property
    def address(self) -> str:
        """What the addresses of its pages begin with."""
        return f"/games/{quote(self.game, safe='')}/copies/{quote(self.id, safe='')}"

    @property
    def until(self) -> int:
        """Until when it is kept, in seconds since 1970."""
        return int(self.made) + COPY_SECONDS


class Copies:
    """The copies of the games of a server, in *folder*. Several threads may use them."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        """Keep copies in *folder*, which is made."""
        self._folder = folder
        self._clock = clock
        self._known: OrderedDict[str, CopyInfo] = OrderedDict()
        self._open: OrderedDict[str, OpenCopy] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """End the processes of the copies."""
        with self._lock:
            opened, self._open = self._open, OrderedDict()
        for each in opened.values():
            each.close()

    def make(
        self, study: Callable[..., int], game: str, by: str, upto: int | None = None
    ) -> CopyInfo:
        """Copy *game* for *by*, up to public event *upto*; *study* is that of the host.

        Raises:
            UnknownError: there is no such event.
        """
        self._drop_old(game, by)
        id = secrets.token_urlsafe(12)
        folder = self._folder / id
        folder.mkdir(parents=True, mode=0o700)
        try:
            since = study(game, copy_game, str(folder / "copy.db"), upto, kind=int)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        made = CopyInfo(id, game, by, since, self._clock())
        with self._lock:
            self._known[id] = made
        return made

    def of(self, game: str) -> list[CopyInfo]:
        """Return the copies of *game*, the newest first."""
        self._drop_old()
        with self._lock:
            copies = list(self._known.values())
        return [known for known in reversed(copies) if known.game == game]

    def find(self, game: str, id: str) -> CopyInfo:
        """Return the copy of *game* with that *id*.

        Raises:
            UnknownError: there is no such copy any more.
        """
        self._drop_old()
        found = self._known.get(id)
        if found is None or found.game != game:
            raise UnknownError("there is no such copy: each is kept for a day, by one server")
        return found

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
        self._opened(copy).go_back(before, copy.since, last)

    def _opened(self, copy: CopyInfo) -> OpenCopy:
        with self._lock:
            opened = self._open.pop(copy.id, None)
            if opened is None:
                opened = OpenCopy(self._folder / copy.id / "copy.db", copy.game)
            self._open[copy.id] = opened
            spare = []
            while len(self._open) > KEPT_OPEN_MAX:
                spare.append(self._open.popitem(last=False)[1])
        for each in spare:
            each.close()
        return opened

    def _drop_old(self, game: str = "", by: str = "") -> None:
        """Remove the copies that are too old; before *by* makes another one, those too many."""
        gone = []
        with self._lock:
            own = [id for id, known in self._known.items() if (known.game, known.by) == (game, by)]
            spare = {*own[: max(0, len(own) - OWN_MAX + 1)]}
            spare |= {*list(self._known)[: max(0, len(self._known) - COPIES_MAX + 1)]}
            for id, known in list(self._known.items()):
                if known.until < self._clock() or id in spare:
                    del self._known[id]
                    gone.append((id, self._open.pop(id, None)))
        for id, opened in gone:
            if opened is not None:
                opened.close()
            shutil.rmtree(self._folder / id, ignore_errors=True)
