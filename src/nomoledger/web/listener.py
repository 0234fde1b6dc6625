"""A thread that listens to the news of a ledger, for as long as a server runs."""

import logging
import threading
from collections.abc import Callable
from time import monotonic

from nomoledger.errors import NomoledgerError
from nomoledger.ledger.stores.news import News

#: How often a listener checks that it hears, and how often games are looked at although nothing was
#: heard of them, in seconds: a program may have died between its append and its news.
LOOK_SECONDS = 5.0
#: After how many seconds a lost connection is made anew, and how long one wait takes.
RETRY_SECONDS, WAIT_SECONDS = 1.0, 0.5
_log = logging.getLogger(__name__)


class Listener:
    """Listens to news in a thread, and begins anew when the connection is lost.

    The connection may be dead without an error: a server may have vanished, and a program between
    the two may pass nothing on. So the listener sends a mark by another way every few seconds. If
    it does not hear that mark, it does not count as hearing.

    Attributes:
        hears: whether news come by themselves now.
    """

    def __init__(self, news: Callable[[], News | None], heard: Callable[[set[str]], None]) -> None:
        """Open *news*, and call *heard* with the marks of games, or with none: look at all."""
        self.hears = False
        self._news = news
        self._heard = heard
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Listen in a thread, until `stop`; nothing if it does so already."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="listener", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        is_known_silent = False
        while not self._is_over.is_set():
            try:
                news = self._news()
                if news is None:
                    return
                try:
                    self._listen(news)
                finally:
                    news.close()
            except NomoledgerError as error:
                if self.hears or not is_known_silent:
                    _log.warning("news of the ledger are looked for, not heard: %s", error)
                is_known_silent = True
            self._note(hears=False)
            self._is_over.wait(RETRY_SECONDS)

    def _listen(self, news: News) -> None:
        """Hear *news* until they end, or until an echo does not come."""
        echo, sent = "", -LOOK_SECONDS
        while not self._is_over.is_set():
            if monotonic() - sent >= LOOK_SECONDS:
                if echo:  # It is not back yet.
                    return
                echo, sent = news.echo(), monotonic()
            marks = news.wait(WAIT_SECONDS)
            if echo in marks:
                echo = ""
                self._note(hears=True)
            if marks:
                self._heard(marks)

    def _note(self, *, hears: bool) -> None:
        if hears != self.hears:
            self.hears = hears
            self._heard(set())  # What happened in between was not heard.
