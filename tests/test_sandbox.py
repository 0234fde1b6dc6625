"""Worker processes: their limits, their deaths, and what the parent reports about them."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from nomoledger.errors import RuleFault
from nomoledger.sandbox import child
from nomoledger.sandbox.child import Limits, run_in_child

Notice = Callable[[str], None]


def die_of(number: int) -> Callable[[Notice], Iterator[bytes]]:
    def produce(notice: Notice) -> Iterator[bytes]:
        notice("I.1")
        notice("IV.2")
        yield b"piece"
        os.kill(os.getpid(), number)

    return produce


@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGSEGV, signal.SIGKILL])
def test_a_death_names_the_last_rule(number: int) -> None:
    pieces = run_in_child(die_of(number))
    assert next(pieces) == b"piece"
    with pytest.raises(RuleFault, match=r"^rule IV\.2: it ") as fault:
        next(pieces)
    assert fault.value.rule == "IV.2"


@pytest.mark.parametrize("last_words", ["os.abort()", "os.write(2, b'last words')"])
def test_a_child_prints_nothing(last_words: str) -> None:
    code = (
        "import faulthandler, os\n"
        "from nomoledger.errors import RuleFault\n"
        "from nomoledger.sandbox.child import run_in_child\n"
        "faulthandler.enable()\n"
        "def produce(notice):\n"
        f"    {last_words}\n"
        "    yield b''\n"
        "try:\n"
        "    list(run_in_child(produce))\n"
        "except RuleFault:\n"
        "    pass\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")


def limit_of_a_child() -> int:
    def produce(notice: Notice) -> Iterator[bytes]:
        yield str(resource.getrlimit(resource.RLIMIT_AS)[0]).encode()

    (piece,) = run_in_child(produce, Limits(memory_bytes=512 << 20))
    return int(piece)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces RLIMIT_AS")
def test_memory_is_limited_relative_to_what_the_process_has() -> None:
    used = child._address_space_bytes()
    assert used is not None
    assert abs(limit_of_a_child() - used - (512 << 20)) < 64 << 20


def test_elsewhere_a_child_runs_without_a_limit_of_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert limit_of_a_child() == resource.getrlimit(resource.RLIMIT_AS)[0]
