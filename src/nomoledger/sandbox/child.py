"""Run rule code in a child process, under limits of memory, processor time and wall-clock time.

The child inherits the world by fork, has no connection to the ledger, and sends its results back
piece by piece. If it dies, the parent is not affected, and reads from shared memory which rule was
running last. The limits only protect the machine: they never decide an outcome of the game.
"""

import ctypes
import faulthandler
import gc
import mmap
import os
import resource
import select
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress

import msgspec

from nomoledger import errors

Notice = Callable[[str], None]
Produce = Callable[[Notice], Iterator[bytes]]

_RULE_BYTES_MAX = 256
#: A message from the child: its kind and length, then as many bytes.
_HEADER = struct.Struct(">cI")
_PIECE, _DONE, _ERROR = b"P", b"D", b"E"
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)  # Loaded before any fork: a child may inherit the loader's lock, locked.
_DEATHS: dict[int, str] = {
    signal.SIGPROF: "it used up its processor time",
    signal.SIGABRT: "it used up its memory",
    signal.SIGSEGV: "it nested too deeply, or ran out of memory",
    signal.SIGKILL: "it was killed, probably because memory or time ran out",
}


def _ignore_rule(rule: str) -> None:
    """Do nothing: outside a child, nobody asks which rule ran last."""


#: Called with the number of each rule that starts to act. In a child, it writes the last rule.
notice: Notice = _ignore_rule


class Limits(msgspec.Struct, frozen=True):
    """What a child may use: memory beyond what it starts with, and time for each piece."""

    memory_bytes: int = 768 << 20
    cpu_seconds: float = 10.0
    wall_seconds: float = 30.0


class _LastRule:
    """The number of the rule that acted last, in memory shared by parent and child."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _RULE_BYTES_MAX)
        self._written = ""

    def write(self, rule: str) -> None:
        if rule != self._written:
            self._written = rule
            number = rule.encode()[:_RULE_BYTES_MAX].ljust(_RULE_BYTES_MAX, b"\0")
            self._memory[:_RULE_BYTES_MAX] = number

    def read(self) -> str | None:
        number = self._memory[:_RULE_BYTES_MAX].rstrip(b"\0")
        return number.decode(errors="replace") or None

    def close(self) -> None:
        self._memory.close()

    def fault(self, reason: str) -> errors.RuleFault:
        """Return the error that the child failed for *reason*, in the rule that acted last."""
        rule = self.read()
        return errors.RuleFault(f"{f'rule {rule}' if rule else 'the rules'}: {reason}", rule=rule)


def run_in_child(produce: Produce, limits: Limits | None = None) -> Iterator[bytes]:
    """Yield the pieces that *produce* yields in a child process.

    *produce* receives a function to call with the number of each rule that starts to act.

    Raises:
        RuleFault: the child died or took too long; names the rule that acted last.
        NomoledgerError: an error of this kind that *produce* raised.
    """
    limits = limits or Limits()
    last_rule = _LastRule()
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        _run_child(produce, limits, last_rule, write_end)
    os.close(write_end)
    try:
        yield from _receive(read_end, child, limits, last_rule)
    finally:
        os.close(read_end)
        _kill(child)
        last_rule.close()


def _kill(child: int) -> None:
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


# --- the parent -------------------------------------------------------------------------------


def _receive(read_end: int, child: int, limits: Limits, last_rule: _LastRule) -> Iterator[bytes]:
    while True:
        deadline = time.monotonic() + limits.wall_seconds
        header = _read_exactly(read_end, _HEADER.size, deadline, last_rule)
        if header is None:
            raise _death(child, last_rule)
        kind, length = _HEADER.unpack(header)
        body = _read_exactly(read_end, length, deadline, last_rule)
        if body is None:
            raise _death(child, last_rule)
        if kind == _DONE:
            return
        if kind == _ERROR:
            raise _decode_error(body)
        yield body


def _read_exactly(
    read_end: int, length: int, deadline: float, last_rule: _LastRule
) -> bytes | None:
    """Return *length* bytes from the child; None if the child closed the pipe before."""
    parts: list[bytes] = []
    while length:
        seconds_left = max(0.0, deadline - time.monotonic())
        ready, _, _ = select.select([read_end], [], [], seconds_left)
        if not ready:
            raise last_rule.fault("it took too long")
        part = os.read(read_end, min(length, 1 << 20))
        if not part:
            return None
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _death(child: int, last_rule: _LastRule) -> errors.RuleFault:
    _, status = os.waitpid(child, 0)
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return last_rule.fault(_DEATHS.get(number, "it died"))


def _decode_error(body: bytes) -> Exception:
    name, text, rule = msgspec.msgpack.decode(body)
    cls = getattr(errors, name, None)
    if cls is errors.RuleFault:
        return errors.RuleFault(text, rule=rule)
    return cls(text) if cls is not None else RuntimeError(text)


# --- the child --------------------------------------------------------------------------------


def _run_child(produce: Produce, limits: Limits, last_rule: _LastRule, write_end: int) -> None:
    """Send what *produce* yields, and exit. Never returns."""
    try:
        _silence()
        gc.freeze()  # Objects of the parent need no collection, and stay in shared pages.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _die_with_parent()
        _set_limits(limits)
        for piece in produce(last_rule.write):
            _send(write_end, _PIECE, piece)
            _restart_timer(limits)
        _send(write_end, _DONE, b"")
    except BaseException as error:
        _send(write_end, _ERROR, _encode_error(error))
    finally:
        os._exit(0)


def _silence() -> None:
    """Print nothing from here on: the parent reports the error, and how the child died.

    The interpreters of Python and of the rules write to standard error when they abort, and the
    fault handler to a descriptor of its own.
    """
    faulthandler.disable()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _die_with_parent() -> None:
    """Have the kernel kill the child when its parent dies, in whatever way.

    Only Linux can do this. Elsewhere the time limit ends the child.
    """
    with suppress(OSError, AttributeError):
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _set_limits(limits: Limits) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    used = _address_space_bytes()
    if used is not None:
        bound = used + limits.memory_bytes
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # The default action ends the process.
    _restart_timer(limits)


def _address_space_bytes() -> int | None:
    """Return the size of the address space of this process; None where the system cannot bound it.

    `RLIMIT_AS` counts the address space, which the standard library does not report, so this reads
    `/proc` of Linux. macOS does not enforce the limit: there a child runs without a memory limit.
    """
    if sys.platform != "linux":
        return None
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


def _restart_timer(limits: Limits) -> None:
    signal.setitimer(signal.ITIMER_PROF, limits.cpu_seconds)


def _encode_error(error: BaseException) -> bytes:
    """Encode *error* as its class, its message and its rule; bugs carry their traceback."""
    rule = getattr(error, "rule", None)
    if isinstance(error, errors.NomoledgerError):
        fields = (type(error).__name__, str(error), rule)
    elif isinstance(error, MemoryError):
        fields = ("RuleFault", "the rules used up the memory they may use", rule)
    else:
        fields = ("", "".join(traceback.format_exception(error)), None)
    return msgspec.msgpack.encode(fields)


def _send(write_end: int, kind: bytes, body: bytes) -> None:
    data = _HEADER.pack(kind, len(body)) + body
    while data:
        data = data[os.write(write_end, data) :]
