"""Readings that take seconds: made by processes of their own, while pages are shown without them.

A page asks for a reading and waits a moment. If the reading is not there yet, the page says so and
is asked for again; meanwhile, other pages and all requests go on.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Any, TypeVar

from nomoledger.errors import UsageError
from nomoledger.game.keepers import Keepers

T = TypeVar("T")
#: How many readings are made at a time, how many wait for their turn, and how many are kept.
THREADS, WAITING_MAX, KEPT_MAX = 4, 40, 400


class SlowReadings:
    """Readings of the games of a ledger. Several threads may ask for them."""

    def __init__(self, keepers: Keepers, head: Callable[[str], int]) -> None:
        """Read with *keepers*; *head* returns the number of the last event of a game."""
        self._keepers = keepers
        self._head = head
        self._threads = ThreadPoolExecutor(THREADS, "slow-reading")
        self._lock = threading.Lock()
        self._futures: dict[tuple[Any, ...], Future[Any]] = {}

    def close(self) -> None:
        """Make no further reading."""
        self._threads.shutdown(cancel_futures=True)

    def get(
        self,
        game: str,
        reading: Callable[..., T],
        *arguments: Any,
        kind: type[T],
        patience: float,
    ) -> T | None:
        """Return what *reading* makes of *game* and *arguments*; None if it is still under way.

        *patience* is for how many seconds to wait. See `Keepers.read` for the rest. The same
        reading is made once until something is recorded.

        Raises:
            UsageError: too many readings are waited for.
            NomoledgerError: an error that *reading* raised.
        """
        head = self._head(game)
        key = (game, head, reading, *map(repr, arguments))
        with self._lock:
            future = self._futures.get(key)
            if future is None:
                self._make_room(game, head)
                future = self._threads.submit(
                    self._keepers.read, game, reading, *arguments, kind=kind
                )
                self._futures[key] = future
        try:
            value: T = future.result(patience)
            return value
        except NotYet:
            return None
        except BaseException:
            with self._lock:
                self._futures.pop(key, None)  # What went wrong may go well the next time.
            raise

    def _make_room(self, game: str, head: int) -> None:
        """Forget the readings of *game* before *head*, and the oldest ones, that are done.

        Raises:
            UsageError: too many are under way.
        """
        done = [key for key, future in self._futures.items() if future.done()]
        if len(self._futures) - len(done) >= WAITING_MAX:
            raise UsageError("too much is being computed at the moment: try again in a minute")
        old = [key for key in done if key[0] == game and key[1] != head]
        for key in {*old, *done[: max(0, len(self._futures) - KEPT_MAX)]}:
            del self._futures[key]
