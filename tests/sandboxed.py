"""What the tests of sandboxes run inside of one."""

import ctypes
import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

from nomoledger.errors import RuleFault, UsageError
from nomoledger.sandbox import inside

_LEFT: list[str] = []


def pid() -> int:
    return os.getpid()


def environment() -> dict[str, str]:
    return dict(os.environ)


def echo(value: Any) -> Any:
    return value


def pieces(count: int) -> Iterator[bytes]:
    for number in range(count):
        yield str(number).encode()


def abort_in_rule() -> Iterator[bytes]:
    inside.notice("IV.2")
    yield b"piece"
    os.abort()


def crash_in_rule() -> Iterator[bytes]:
    inside.notice("IV.2")
    yield b"piece"
    ctypes.string_at(0)


def spin_in_rule() -> Iterator[bytes]:
    inside.notice("IV.2")
    yield b"piece"
    while True:
        pass


def grow_in_rule() -> Iterator[bytes]:
    inside.notice("IV.2")
    yield b"piece"
    hoard = []
    while True:
        hoard.append(bytearray(1 << 20))


def recurse() -> Any:
    return recurse()


def refuse(text: str) -> None:
    raise UsageError(text)


def fault(rule: str) -> None:
    raise RuleFault(f"rule {rule}: no", rule=rule)


def bug() -> None:
    raise KeyError("what")


def leave(mark: str) -> list[str]:
    _LEFT.append(mark)
    return _LEFT


def use_memory(count: int) -> int:
    return len(bytearray(count))


def ask_and_spin() -> Iterator[bytes]:
    inside.ask(b"one")
    yield from spin_in_rule()


def ask_twice(question: bytes) -> Iterator[bytes]:
    yield inside.ask(question) + inside.ask(b"and " + question)


def _attempt(act: Callable[[], Any]) -> str:
    try:
        act()
    except OSError as error:
        return type(error).__name__
    except BaseException as error:
        return repr(error)
    return "done"


def _connect() -> None:
    with socket.socket() as other:
        other.connect(("127.0.0.1", 80))


def _read_memory_of_parent() -> None:
    if ctypes.CDLL(None, use_errno=True).ptrace(16, os.getppid(), 0, 0) != 0:
        raise PermissionError


def attempts() -> dict[str, str]:
    """Try what no sandbox may do; return what came of it."""
    return {
        "read a file": _attempt(lambda: open("/etc/passwd").close()),
        "list a folder": _attempt(lambda: os.listdir("/")),
        "make a file": _attempt(lambda: open("/tmp/nomoledger-escape", "w").close()),
        "open a socket": _attempt(_connect),
        "fork": _attempt(os.fork),
        "start a program": _attempt(lambda: subprocess.run(["true"], check=True)),
        "become a program": _attempt(lambda: os.execv("/bin/true", ["true"])),
        "signal its parent": _attempt(lambda: os.kill(os.getppid(), 0)),
        "trace its parent": _attempt(_read_memory_of_parent),
        "make a pipe": _attempt(os.pipe),
    }


def open_descriptors() -> list[int]:
    """Return the descriptors that are open; the first three lead nowhere."""
    found = []
    for number in range(256):
        try:
            os.read(number, 0)
            found.append(number)
        except OSError:
            pass
    return found
