"""Copies of games in which people try things: kept by this server for a day, and in no ledger."""

import secrets
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from nomoledger.errors import UnknownError
from nomoledger.game.desk.copied_game import copy_game
from nomoledger.game.keepers import Keepers
from nomoledger.game.writer import Outcome

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
        self._open: OrderedDict[str, Keepers] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """End the processes of the copies."""
        with self._lock:
            opened, self._open = self._open, OrderedDict()
        for keepers in opened.values():
            keepers.close()

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
        """Return what *reading* makes of *copy* and *given*. See `Keepers.read`."""
        return self._keepers(copy).read(copy.game, reading, *given, kind=kind)

    def request(
        self, copy: CopyInfo, request: Callable[..., Outcome], *given: Any, id: str
    ) -> Outcome:
        """Make *request* in *copy*. See `Keepers.request`."""
        return self._keepers(copy).request(copy.game, request, *given, id=id)

    def _keepers(self, copy: CopyInfo) -> Keepers:
        with self._lock:
            keepers = self._open.pop(copy.id, None)
            if keepers is None:
                keepers = Keepers(self._folder / copy.id / "copy.db", most=1)
            self._open[copy.id] = keepers
            spare = []
            while len(self._open) > KEPT_OPEN_MAX:
                spare.append(self._open.popitem(last=False)[1])
        for each in spare:
            each.close()
        return keepers

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
        for id, keepers in gone:
            if keepers is not None:
                keepers.close()
            shutil.rmtree(self._folder / id, ignore_errors=True)
