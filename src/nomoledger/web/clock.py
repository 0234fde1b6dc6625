"""The clocks of live games, which the server keeps while it runs: timers fire when they are due."""

import logging
import threading
import time
from collections.abc import Callable

from nomoledger.errors import NomoledgerError
from nomoledger.game.desk.live_time import GameTime, game_time
from nomoledger.web.host import Host

#: How often the clocks are looked at, in seconds.
POLL_SECONDS = 1.0
#: After how many seconds a timer that failed is tried again, if nothing was recorded meanwhile.
RETRY_SECONDS = 60.0
_log = logging.getLogger(__name__)


class ClockKeeper:
    """Keeps the clocks of the live games of *host*, by the time that *now* returns.

    It does what `nomoledger run` does, through the keeper that carries out the requests of a game.
    Several servers, and `nomoledger run`, may keep the clock of one game: a timer fires once.
    """

    def __init__(self, host: Host, now: Callable[[], float] = time.time) -> None:
        """Prepare to keep the clocks; nothing runs yet."""
        self._host = host
        self._now = now
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="clocks", daemon=True)
        #: The games whose timers failed: the last event then, and when to try again.
        self._failed: dict[str, tuple[int, float]] = {}

    def start(self) -> None:
        """Keep the clocks in a thread, until `stop`."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread, after what it is doing."""
        self._is_over.set()
        if self._thread.is_alive():
            self._thread.join()

    def times(self) -> dict[str, GameTime]:
        """Return the time of each game. A game that cannot be read is left out."""
        found = {}
        for game in self._host.games():
            try:
                found[game] = self._host.read(game, game_time, kind=GameTime)
            except NomoledgerError as error:
                _log.warning("%s: %s", game, error)
        return found

    def look(self) -> None:
        """Fire what is due in each live game."""
        for game, its in self.times().items():
            now = self._now()
            if its.due is None or its.due > now or not its.is_live(now):
                continue
            head = self._host.head(game)
            failed = self._failed.get(game)
            if failed is not None and failed[0] == head and now < failed[1]:
                continue
            try:
                self._host.let_fall_due(game, int(now))
                self._failed.pop(game, None)
            except NomoledgerError as error:
                self._failed[game] = head, now + RETRY_SECONDS
                _log.warning("%s: what is due cannot be carried out: %s", game, error)

    def _run(self) -> None:
        while not self._is_over.wait(POLL_SECONDS):
            try:
                self.look()
            except Exception:  # The database may be away: the next look tries again.
                _log.exception("the clocks cannot be looked at")
