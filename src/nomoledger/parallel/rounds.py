"""A thread that looks again and again whether something is to be done."""

import logging
import threading
from collections.abc import Callable

from nomoledger.errors import NomoledgerError

_log = logging.getLogger(__name__)


class Rounds:
    """Calls *look* in a thread every few *seconds*, and sooner after `wake`, until `stop`.

    A round that fails is logged as *problem*, and the next one comes as usual: the database may
    be away for a while. An error that nomoledger raised on purpose is logged once, until a round
    goes well again. *look* asks `is_over` if it takes long.
    """

    def __init__(self, name: str, look: Callable[[], object], seconds: float, problem: str) -> None:
        """Prepare the thread *name*; nothing runs yet."""
        self._look = look
        self._seconds = seconds
        self._problem = problem
        self._is_over = threading.Event()
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def is_over(self) -> bool:
        """Whether the thread is to end."""
        return self._is_over.is_set()

    def start(self) -> None:
        """Start the thread; the first round comes after a pause, or after `wake`."""
        self._thread.start()

    def wake(self) -> None:
        """Let the next round come at once."""
        self._woken.set()

    def stop(self, patience: float | None = None) -> None:
        """End the thread after its round; wait for that, at most *patience* seconds."""
        self._is_over.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join(patience)

    def _run(self) -> None:
        has_failed = False
        while True:
            self._woken.wait(self._seconds)
            self._woken.clear()
            if self.is_over:
                return
            try:
                self._look()
                has_failed = False
            except NomoledgerError as error:
                if not has_failed:
                    _log.warning("%s: %s", self._problem, error)
                has_failed = True
            except Exception:  # Whatever fails, the next round tries again.
                _log.exception(self._problem)
