"""Tells open pages when a game has gone on, whichever program recorded something."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial

from nomoledger.errors import NomoledgerError

#: How often the heads of games are looked at, in seconds.
POLL_SECONDS = 0.5
#: After how many seconds a silent stream says that it is there.
SILENCE_SECONDS = 15.0


class Watcher:
    """Looks at the heads of the games that somebody follows, once for all who follow them."""

    def __init__(self, head: Callable[[str], int]) -> None:
        """Watch with *head*, which returns the number of the last event of a game."""
        self._head = head
        self._heads: dict[str, int] = {}
        self._changed: dict[str, asyncio.Condition] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._followers: dict[str, int] = {}

    async def heads(self, game: str) -> AsyncIterator[int]:
        """Yield the number of the last event of *game*: now, and whenever it has changed."""
        changed = self._changed.setdefault(game, asyncio.Condition())
        self._followers[game] = self._followers.get(game, 0) + 1
        if game not in self._tasks:
            self._tasks[game] = asyncio.create_task(self._watch(game, changed))
        try:
            shown = -1
            while True:
                async with changed:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(SILENCE_SECONDS):
                            await changed.wait_for(partial(self._has_changed, game, shown))
                shown = self._heads.get(game, -1)
                yield shown
        finally:
            self._followers[game] -= 1
            if not self._followers[game]:
                self._tasks.pop(game).cancel()
                self._heads.pop(game, None)

    def _has_changed(self, game: str, shown: int) -> bool:
        return self._heads.get(game, -1) != shown

    async def _watch(self, game: str, changed: asyncio.Condition) -> None:
        while True:
            with suppress(NomoledgerError):
                head = await asyncio.to_thread(self._head, game)
                if head != self._heads.get(game):
                    async with changed:
                        self._heads[game] = head
                        changed.notify_all()
            await asyncio.sleep(POLL_SECONDS)
