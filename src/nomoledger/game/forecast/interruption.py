"""Ctrl-C during long work: the first one asks it to stop, the second one stops it at once."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interruption:
    """Whether somebody asked the work to stop.

    Attributes:
        is_asked: whether Ctrl-C was pressed.
    """

    def __init__(self) -> None:
        self.is_asked = False

    def note(self, number: int, frame: FrameType | None) -> None:
        """Note the signal *number*; if one was noted before, raise KeyboardInterrupt."""
        if self.is_asked:
            signal.default_int_handler(number, frame)
        self.is_asked = True


@contextmanager
def noted_interruption() -> Iterator[Interruption]:
    """Within the block, note the first Ctrl-C instead of raising KeyboardInterrupt.

    An exception in the middle of a sum would leave it half made. In a thread, or where the program
    handles Ctrl-C in its own way, nothing changes.
    """
    interruption = Interruption()
    is_ours = threading.current_thread() is threading.main_thread()
    if not is_ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield interruption
        return
    signal.signal(signal.SIGINT, interruption.note)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
