"""What the benchmarks share: a made-up year of payments, and how things are measured."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from nomoledger import events as e
from nomoledger.events.rules import Commodity, Rule
from nomoledger.ledger.ledger import Ledger

START = datetime(2026, 1, 5, 12, tzinfo=UTC)
PLAYERS = tuple(f"P{number:02}" for number in range(50))
PERIODS = 52
BATCH = 500
GAME = "year"
RULE = Rule(number="1", declares={"player": {"name": "Text key"}}, commodities={"$": Commodity()})

_UNCACHED = {**os.environ, "BEANCOUNT_DISABLE_LOAD_CACHE": "1"}


def year(payments: int) -> Iterator[e.Event]:
    """Players, so many payments, the end of an attempt after ten, and a close every week."""
    yield _event(e.GameOpened, 1, id="open", game=GAME, rulebook="none")
    yield _event(e.RuleEnacted, 1, rule=RULE, source="rulebook", cause=0)
    for name in PLAYERS:
        yield _event(e.EntityCreated, 1, entity=name, kind="player", attributes={"name": name})
    for number in range(payments):
        period = number * PERIODS // payments + 1
        one, other = (PLAYERS[(k * number + k - 1) % len(PLAYERS)] for k in (1, 7))
        postings = (e.Posting(one, "$", -number), e.Posting(other, "$", number))
        yield _event(e.Posted, period, postings=postings, why="rent", rules=("1@1",), cause=0)
        if number % 10 == 9:
            yield _event(e.AttemptDone, period, attempt=str(number), cause=0)
        if (number + 1) * PERIODS // payments + 1 > period:
            yield _event(e.PeriodClosed, period, digest="", cause=0)


def _event(made: type[e.Event], period: int, **fields: Any) -> e.Event:
    at = START + timedelta(days=7 * (period - 1))
    return made(period=period, received_at=at, recorded_at=at, **fields)


def batches(events: Iterable[e.Event], size: int = BATCH) -> Iterator[list[e.Event]]:
    """*events*, so many at a time: a year never stands in memory."""
    source = iter(events)
    while batch := list(islice(source, size)):
        yield batch


def fill(ledger: Ledger, payments: int) -> None:
    """Store a year of so many *payments*."""
    ledger.add_game(GAME)
    head = -1
    for batch in batches(year(payments)):
        head = ledger.append(GAME, batch, expected=head).number


class Run(NamedTuple):
    """How long a process took, start to end, how much of that it worked, and its largest size.

    How long it worked (seconds of processor time) is what it would take on an idle machine.
    """

    seconds: float
    worked: float
    megabytes: int


def run(words: Sequence[str], seconds_max: float, output: Path | None = None) -> Run | None:
    """Run a process to its end; None where that takes more than *seconds_max*.

    Raises:
        CalledProcessError: it failed.
    """
    with open(output or os.devnull, "wb") as out:
        begin = time.perf_counter()
        process = subprocess.Popen(words, stdout=out, stderr=subprocess.DEVNULL, env=_UNCACHED)
        size = 0
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            size = _size(process.pid) or size
            if time.perf_counter() - begin > seconds_max:
                process.kill()
                process.wait()
                return None
            time.sleep(0.002)
        took = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(ended[1])
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(words))
    return Run(took, ended[2].ru_utime + ended[2].ru_stime, size)


def _size(process: int) -> int:
    """The largest size of *process* so far, in megabytes; 0 where it is not there any more.

    What the kernel tells of a process that has ended may be the size of the one that started it.
    """
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) // 1024
    return 0


def python(code: str, *arguments: str) -> list[str]:
    """The words of a command that runs *code* in a Python of its own."""
    return [sys.executable, "-c", code, *arguments]


def by_turns(
    acts: dict[str, Callable[[], object]],
    rounds: int = 5,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """How long each of *acts* takes, in seconds: the fastest of some *rounds*, which go by turns.

    What waits for nobody is measured by the time that this process works.
    """
    best = dict.fromkeys(acts, float("inf"))
    for _ in range(rounds):
        for name, act in acts.items():
            begin = clock()
            act()
            best[name] = min(best[name], clock() - begin)
    return best


def sizes(default: Sequence[int]) -> list[int]:
    """The numbers on the command line, or the *default* ones."""
    return [int(each) for each in sys.argv[1:]] or list(default)
