"""The published sites of games as a server shows them: brought up to date in the background."""

import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from pathlib import Path

from nomoledger.web.pace import Pace

#: How many sites are published at a time.
THREADS = 2


class ServedSites:
    """The published sites of games, in folders of their own. Several threads may use them."""

    def __init__(
        self, place: str, head: Callable[[str], int], publish: Callable[[str, str], int],
        pace: Pace,
    ) -> None:  # fmt: skip
        """Keep the sites in the folder *place*.

        *head* returns the number of the last event of a game; *publish* publishes a game into a
        folder. *pace* says how long a page waits until the site is up to date.
        """
        self._place = place
        self._head = head
        self._publish = publish
        self._pace = pace
        self._rests_until: dict[str, float] = {}
        self._sites: dict[str, tuple[int, Path]] = {}
        self._publishing: dict[str, Future[Path]] = {}
        self._threads = ThreadPoolExecutor(THREADS, "publisher")
        self._lock = threading.Lock()

    def close(self) -> None:
        """Publish nothing more."""
        self._threads.shutdown(cancel_futures=True)

    def folder(self, game: str) -> Path:
        """Return the folder of the site of *game*.

        If the game has gone on, its site is published again, unless it rests. A page waits for that
        as long as the pace says, and then shows the site as it was before. The first page waits to
        the end.

        Raises:
            NomoledgerError: the site cannot be published.
        """
        head = self._head(game)
        with self._lock:
            known = self._sites.get(game)
            if known is not None and known[0] == head:
                return known[1]
            publishing = self._publishing.get(game)
            if known is not None and self._rests_until.get(game, 0.0) > time.monotonic():
                return known[1]
            if publishing is None or publishing.done():
                publishing = self._threads.submit(self._bring_up_to_date, game)
                self._publishing[game] = publishing
        if known is None:
            return publishing.result()
        with suppress(NotYet):
            return publishing.result(self._pace.site_seconds)
        return known[1]

    def _bring_up_to_date(self, game: str) -> Path:
        head, begin = self._head(game), time.monotonic()
        known = self._sites.get(game)
        folder = Path(tempfile.mkdtemp(dir=self._place)) if known is None else known[1]
        self._publish(game, str(folder))
        self._sites[game] = head, folder
        end = time.monotonic()
        self._rests_until[game] = end + (end - begin) * self._pace.site_rest
        return folder
