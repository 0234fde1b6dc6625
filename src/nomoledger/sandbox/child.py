"""Runs rule code in a child process under limits of memory, processor time and time.

The child inherits the world by fork, holds no database, and sends back what it made, piece by
piece. If it dies, what it was doing is known from a crumb it left in shared memory, and the parent
is untouched. These limits only protect the machine: they never decide an outcome of the game.
"""

import ctypes
import gc
import mmap
import os
import resource
import select
import signal
import struct
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress

import msgspec

from nomoledger import errors

Notice = Callable[[str], None]
Produce = Callable[[Notice], Iterator[bytes]]

_CRUMB_BYTES = 256
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)  # looked up before any fork, after which locks may be held for good
_DEATHS: dict[int, str] = {
    signal.SIGPROF: "it used up its processor time",
    signal.SIGABRT: "it used up its memory",
    signal.SIGSEGV: "it ran too deep, or out of memory",
    signal.SIGKILL: "it was killed, for want of memory or time",
}


def _nobody_listens(rule: str) -> None:
    """Nothing is noted outside a child."""


#: Is told which rule is acting; a child keeps the number for the case of its own death.
notice: Notice = _nobody_listens


class Limits(msgspec.Struct, frozen=True):
    """What a child may use: memory beyond what it starts with, and time per piece of work."""

    memory_bytes: int = 768 << 20
    cpu_seconds: float = 10.0
    wall_seconds: float = 30.0


def run_in_child(produce: Produce, limits: Limits | None = None) -> Iterator[bytes]:
    """The pieces that *produce* makes in a child; it is given a way to say which rule is acting.

    Raises:
        RuleFault: the child died or took too long; says in which rule.
        NomoledgerError: whatever *produce* raised on purpose.
    """
    limits = limits or Limits()
    crumb = mmap.mmap(-1, _CRUMB_BYTES)
    inlet, outlet = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(inlet)
        _be_the_child(produce, limits, crumb, outlet)
    os.close(outlet)
    try:
        yield from _pieces(inlet, child, limits, crumb)
    finally:
        os.close(inlet)
        _end(child)
        crumb.close()


def _end(child: int) -> None:
    try:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


# --- the parent -------------------------------------------------------------------------------


def _pieces(inlet: int, child: int, limits: Limits, crumb: mmap.mmap) -> Iterator[bytes]:
    while True:
        deadline = time.monotonic() + limits.wall_seconds
        head = _read(inlet, 5, deadline, crumb)
        if head is None:
            raise _death(child, crumb)
        kind, length = struct.unpack(">cI", head)
        body = _read(inlet, length, deadline, crumb)
        if body is None:
            raise _death(child, crumb)
        if kind == b"D":
            return
        if kind == b"E":
            raise _error(body)
        yield body


def _read(inlet: int, length: int, deadline: float, crumb: mmap.mmap) -> bytes | None:
    parts: list[bytes] = []
    while length:
        ready, _, _ = select.select([inlet], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise _fault(crumb, "it took too long")
        part = os.read(inlet, min(length, 1 << 20))
        if not part:
            return None
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _death(child: int, crumb: mmap.mmap) -> errors.RuleFault:
    _, status = os.waitpid(child, 0)
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return _fault(crumb, _DEATHS.get(number, "it died"))


def _fault(crumb: mmap.mmap, what: str) -> errors.RuleFault:
    rule = crumb[:_CRUMB_BYTES].rstrip(b"\0").decode(errors="replace") or None
    where = f"rule {rule}" if rule else "the rules"
    return errors.RuleFault(f"{where}: {what}", rule=rule)


def _error(body: bytes) -> Exception:
    name, text, rule = msgspec.msgpack.decode(body)
    cls = getattr(errors, name, None)
    if cls is errors.RuleFault:
        return errors.RuleFault(text, rule=rule)
    return cls(text) if cls is not None else RuntimeError(text)


# --- the child --------------------------------------------------------------------------------


def _be_the_child(produce: Produce, limits: Limits, crumb: mmap.mmap, outlet: int) -> None:
    try:
        gc.freeze()  # what the parent had is not ours to collect, nor to copy
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _bound(limits)
        _send_all(produce, limits, crumb, outlet)
    except BaseException as error:
        _send(outlet, b"E", _told(error))
    finally:
        os._exit(0)


def _send_all(produce: Produce, limits: Limits, crumb: mmap.mmap, outlet: int) -> None:
    last = ""

    def notice(rule: str) -> None:
        nonlocal last
        if rule != last:
            last = rule
            crumb[:_CRUMB_BYTES] = rule.encode()[:_CRUMB_BYTES].ljust(_CRUMB_BYTES, b"\0")

    for piece in produce(notice):
        _send(outlet, b"P", piece)
        _allow_time(limits)
    _send(outlet, b"D", b"")


def _die_with_parent() -> None:
    """Nobody is left to read what the child makes once its parent is gone, however it went."""
    with suppress(OSError, AttributeError):  # Linux has this; elsewhere the time limit ends it
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _bound(limits: Limits) -> None:
    _die_with_parent()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open("/proc/self/statm", encoding="ascii") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    bound = used + limits.memory_bytes
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the interpreter's last words are ours to give
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # which ends the process, whatever it is at
    _allow_time(limits)


def _allow_time(limits: Limits) -> None:
    signal.setitimer(signal.ITIMER_PROF, limits.cpu_seconds)


def _told(error: BaseException) -> bytes:
    rule = getattr(error, "rule", None)
    if isinstance(error, errors.NomoledgerError):
        told = (type(error).__name__, str(error), rule)
    elif isinstance(error, MemoryError):
        told = ("RuleFault", "the rules used up the memory they may use", rule)
    else:
        told = ("", "".join(traceback.format_exception(error)), None)
    return msgspec.msgpack.encode(told)


def _send(outlet: int, kind: bytes, body: bytes) -> None:
    data = struct.pack(">cI", kind, len(body)) + body
    while data:
        data = data[os.write(outlet, data) :]
