"""The clocks of live games, which the server keeps while it runs: timers fire when they are due."""

import logging
import time
from collections.abc import Callable

from nomoledger.errors import NomoledgerError
from nomoledger.game.desk.live_time import GameTime, game_time
from nomoledger.parallel.rounds import Rounds
from nomoledger.web.game_host import GameHost

#: How often the clocks are looked at, in seconds, and how many at a time, in turn.
POLL_SECONDS, GAMES_AT_A_TIME = 1.0, 20
#: After how many seconds a timer that failed is tried again, if nothing was recorded meanwhile.
RETRY_SECONDS = 60.0
_log = logging.getLogger(__name__)


class ClockKeeper:
    """Keeps the clocks of the live games of *host*, by the time that *now* returns.

    It does what `nomoledger run` does, through the keeper that carries out the requests of a game.
    Several servers, and `nomoledger run`, may keep the clock of one game: a timer fires once.
    """

    def __init__(self, host: GameHost, now: Callable[[], float] = time.time) -> None:
        """Prepare to keep the clocks; nothing runs yet."""
        self._host = host
        self._now = now
        self._rounds = Rounds("clocks", self.look, POLL_SECONDS, "the clocks cannot be looked at")
        self._place = 0
        #: The games whose timers failed: the last event then, and when to try again.
        self._failed: dict[str, tuple[int, float]] = {}

    def start(self) -> None:
        """Keep the clocks in a thread, until `stop`."""
        self._rounds.start()

    def stop(self) -> None:
        """End the thread, after what it is doing."""
        self._rounds.stop()

    def time_of(self, game: str) -> GameTime | None:
        """Return the time of *game*; None if the game cannot be read."""
        try:
            return self._host.read(game, game_time, kind=GameTime)
        except NomoledgerError as error:
            _log.warning("%s: %s", game, error)
            return None

    def look(self) -> None:
        """Fire what is due in the live games; in a ledger of many games, in the next of them."""
        games = self._host.games()
        count = min(len(games), GAMES_AT_A_TIME)
        for place in range(self._place, self._place + count):
            self._attend(games[place % len(games)])
        self._place += count

    def _attend(self, game: str) -> None:
        """Fire what is due in *game*, if it is live."""
        its, now = self.time_of(game), self._now()
        if its is None or its.due is None or its.due > now or not its.is_live(now):
            return
        head = self._host.head(game)
        failed = self._failed.get(game)
        if failed is not None and failed[0] == head and now < failed[1]:
            return
        try:
            self._host.let_fall_due(game, int(now))
            self._failed.pop(game, None)
        except NomoledgerError as error:
            self._failed[game] = head, now + RETRY_SECONDS
            _log.warning("%s: what is due cannot be carried out: %s", game, error)
