"""The child process of a sandbox: it gives up its rights, then runs one call after the other."""

import mmap
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

import msgspec

from nomoledger.sandbox import inside
from nomoledger.sandbox.channel import Channel
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.protocol import (
    DONE,
    ERROR,
    GROWN,
    PIECE,
    PROGRESS,
    QUESTION,
    RULE_BYTES_MAX,
    STEP_BYTES_MAX,
    encode_error,
    load_call,
)
from nomoledger.sandbox.rights import give_up_rights

#: Modules that the interpreter imports by itself when it first needs them. A sandbox cannot do so.
NEEDED_LATE = ("_strptime", "encodings.ascii", "encodings.latin_1", "unicodedata")
for _name in NEEDED_LATE:
    import_module(_name)
#: After how much processor time a child reports that its work goes on.
GO_ON_SECONDS = 0.2


def run(channel: int, last_rule: int, limits: dict[str, Any]) -> None:
    """Carry out the calls that come through the socket *channel*, until it is closed.

    The number of the rule that acts and the step of play are written into the file *last_rule*.
    This is a target of the fork server.
    """
    bounds = msgspec.convert(limits, Limits)
    child = _Child(Channel(socket.socket(fileno=channel)), bounds)
    memory = _map(last_rule)
    inside.notice = _Noted(memory, 0, RULE_BYTES_MAX).write
    inside.notice_step = _Noted(memory, RULE_BYTES_MAX, STEP_BYTES_MAX).write
    inside.ask = child.ask
    inside.go_on = child.go_on
    inside.is_sandbox = True
    give_up_rights(bounds)
    with suppress(EOFError, OSError):
        while True:
            child.serve_one()


class _Child:
    def __init__(self, channel: Channel, limits: Limits) -> None:
        self.channel = channel
        self.limits = limits
        self.restarted_at = 0.0
        self.size_max = _peak_bytes() + limits.memory_bytes // 2

    def serve_one(self) -> None:
        """Carry out the next call, and send what it yields, or its error."""
        _, body = self.channel.receive()
        self.restart_timer()
        try:
            function, arguments = load_call(body)
            pieces: Iterator[bytes] = function(*arguments)
            for piece in pieces:
                self.channel.send(PIECE, piece)
                self.restart_timer()
        except BaseException as error:
            self.channel.send(ERROR, encode_error(error))
        else:
            self.channel.send(DONE, GROWN if _peak_bytes() > self.size_max else b"")
            inside.notice("")  # After an error, the parent still reads what was noted.
            inside.notice_step("")
        finally:
            self.stop_timer()

    def ask(self, question: bytes) -> bytes:
        """Return the parent's answer to *question*; waiting for the answer is not limited."""
        self.channel.send(QUESTION, question)
        self.stop_timer()
        _, answer = self.channel.receive()
        self.restart_timer()
        return answer

    def go_on(self) -> None:
        """Tell the parent that the work goes on, and start the timer again, once in a while."""
        now = time.process_time()
        if now - self.restarted_at > GO_ON_SECONDS:
            self.channel.send(PROGRESS)
            self.restart_timer()

    def restart_timer(self) -> None:
        self.restarted_at = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, self.limits.cpu_seconds)

    def stop_timer(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _map(descriptor: int) -> mmap.mmap:
    """Return the file *descriptor* as memory, and close it."""
    copy = os.dup(descriptor)
    os.close(copy)
    memory = mmap.mmap(descriptor, RULE_BYTES_MAX + STEP_BYTES_MAX)
    os.close(copy)  # The module keeps a copy of the descriptor open, and needs none.
    os.close(descriptor)
    return memory


class _Noted:
    """A text in memory that the parent reads: the rule that acted last, or the step of play."""

    def __init__(self, memory: mmap.mmap, start: int, size: int) -> None:
        self._memory = memory
        self._start, self._size = start, size
        self._written = ""

    def write(self, text: str) -> None:
        if text != self._written:
            self._written = text
            encoded = text.encode()[: self._size].ljust(self._size, b"\0")
            self._memory[self._start : self._start + self._size] = encoded


def _peak_bytes() -> int:
    """Return the most memory that this process has ever used."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
