"""Tells open pages when a game has gone on, whichever program recorded something.

A database tells at once (`nomoledger.web.listener`). A file is looked at twice a second, and so is
a database that cannot be heard. One look serves all who follow a game.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from time import monotonic

from nomoledger.errors import NomoledgerError
from nomoledger.ledger.stores.news import News, mark_of
from nomoledger.web.listener import LOOK_SECONDS, Listener

#: How often the heads of games are looked at that nothing tells of, in seconds.
POLL_SECONDS = 0.5
#: After how many seconds a silent stream says that it is there.
SILENCE_SECONDS = 15.0
#: Those who follow a game are told within so many seconds for each of them, and at most so many in
#: all: their pages are asked for anew one after the other.
EACH_SECONDS, ALL_SECONDS = 0.005, 1.0


class _Followed:
    """A game that somebody follows.

    Attributes:
        head, public: the numbers of its last event, and of the last one that everybody may know.
        changed: notified when a number has changed.
        followers: how many follow it.
    """

    def __init__(self) -> None:
        self.head = self.public = -1
        self.changed = asyncio.Condition()
        self.followers = 0
        self.telling = asyncio.Lock()


class Watcher:
    """Looks at the heads of the games that somebody follows, once for all who follow them."""

    def __init__(
        self,
        head: Callable[[str], int],
        public: Callable[[str], int],
        news: Callable[[], News | None] = lambda: None,
    ) -> None:
        """Watch with *head* and *public*, which return numbers of the last event of a game.

        The number of *public* is that of the last event that everybody may know of. *news* opens
        what hears of the ledger, if anything does.
        """
        self._head = head
        self._public = public
        self._followed: dict[str, _Followed] = {}
        self._task: asyncio.Task[None] | None = None
        self._listener = Listener(news, self._hear)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken = asyncio.Event()
        self._marks: set[str] = set()
        self._is_over = False

    async def end(self) -> None:
        """Let everybody who follows a game go: `heads` yields nothing more."""
        self._is_over = True
        for followed in list(self._followed.values()):
            async with followed.changed:
                followed.changed.notify_all()

    def close(self) -> None:
        """Listen no more."""
        self._listener.stop()

    async def heads(self, game: str, *, is_public: bool) -> AsyncIterator[int]:
        """Yield the number of the last event of *game*: now, and whenever it has changed.

        If *is_public*, it is that of the last event that everybody may know of. It is repeated
        after `SILENCE_SECONDS` in which nothing has changed. It ends after `end`.
        """
        followed = self._follow(game)
        shown = -1
        try:
            while not self._is_over:
                changed = partial(self._has_news, followed, shown, is_public)
                async with followed.changed:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(SILENCE_SECONDS):
                            await followed.changed.wait_for(changed)
                spread = min(EACH_SECONDS * (followed.followers - 1), ALL_SECONDS)
                await asyncio.sleep(random.uniform(0.0, spread))
                shown = _number(followed, is_public)
                if shown >= 0 and not self._is_over:
                    yield shown
        finally:
            self._leave(game)

    def _follow(self, game: str) -> _Followed:
        followed = self._followed.setdefault(game, _Followed())
        followed.followers += 1
        if self._task is None:
            self._loop, self._woken = asyncio.get_running_loop(), asyncio.Event()
            self._listener.start()
            self._task = asyncio.create_task(self._watch())
        if followed.followers == 1:
            self._marks.add(mark_of(game))
            self._woken.set()
        return followed

    def _leave(self, game: str) -> None:
        followed = self._followed[game]
        followed.followers -= 1
        if not followed.followers:
            del self._followed[game]
        if not self._followed and self._task is not None:
            self._task.cancel()
            self._task = None

    def _has_news(self, followed: _Followed, shown: int, is_public: bool) -> bool:
        return self._is_over or _number(followed, is_public) != shown

    def _hear(self, marks: set[str]) -> None:
        """Look at the games with *marks*; at all if there are none. Called by another thread."""
        loop = self._loop
        with suppress(RuntimeError):  # The loop is over: nobody follows any more.
            if loop is not None:
                loop.call_soon_threadsafe(self._note, marks)

    def _note(self, marks: set[str]) -> None:
        self._marks |= marks or {mark_of(game) for game in self._followed}
        self._woken.set()

    async def _watch(self) -> None:
        """Look at the games of which something was heard, and now and then at all."""
        tasks: set[asyncio.Task[None]] = set()
        looked = monotonic()
        try:
            while True:
                due = looked + (LOOK_SECONDS if self._listener.hears else POLL_SECONDS)
                with suppress(TimeoutError):
                    async with asyncio.timeout(max(0.0, due - monotonic())):
                        await self._woken.wait()
                self._woken.clear()
                marks, self._marks = self._marks, set()
                looks_at_all = monotonic() >= due
                for game, followed in self._followed.items():
                    if looks_at_all or mark_of(game) in marks:
                        task = asyncio.create_task(self._tell(game, followed))
                        tasks.add(task)
                        task.add_done_callback(tasks.discard)
                looked = monotonic() if looks_at_all else looked
        finally:
            for task in tasks:
                task.cancel()

    async def _tell(self, game: str, followed: _Followed) -> None:
        """Look at *game*, and tell its followers if it has gone on."""
        async with followed.telling:
            with suppress(NomoledgerError):  # The database may be away: the next look tells.
                head = await asyncio.to_thread(self._head, game)
                if head == followed.head:
                    return
                public = await asyncio.to_thread(self._public, game)
                async with followed.changed:
                    followed.head, followed.public = head, public
                    followed.changed.notify_all()


def _number(followed: _Followed, is_public: bool) -> int:
    return followed.public if is_public else followed.head
