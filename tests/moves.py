"""Moves a game while others write to it, kills the mover, and looks at what is left."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from command_kills import Forker, expect, verify

from nomoledger.errors import NomoledgerError
from nomoledger.events import Input
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.location import place_of

WRITER = Path(__file__).parent / "moving_writer.py"
GAME = "chess"
WRITERS = 2
#: How often a mover is killed at most, before it is left alone.
KILLS_MAX = 4
SECONDS = 60


class MoveResult(NamedTuple):
    """What a trial saw.

    Attributes:
        acknowledged: how many writes were acknowledged.
        states: which place took records after each kill: "old", "new" or "neither".
        seconds: how long the move took that was not killed.
    """

    acknowledged: int
    states: tuple[str, ...]
    seconds: float


@contextmanager
def writers(location: str) -> Iterator[list["subprocess.Popen[str]"]]:
    """Processes that write to the game at *location* until it has moved."""
    processes = [
        subprocess.Popen(
            [sys.executable, str(WRITER), location, GAME, f"writer{number}"],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(WRITERS)
    ]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def move(
    forker: Forker,
    old: str,
    new: str,
    chance: random.Random | None = None,
    longest: float = 0.4,
) -> MoveResult:
    """Move the game from *old* to *new* while others write; with *chance*, kill the mover.

    Each kill comes within *longest* seconds.

    Raises:
        Unsound: a write is lost, two places take records, or the move cannot be repeated.
    """
    states = []
    with writers(old) as processes:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        time.sleep(0.05)
        for seconds in _moments(chance, longest):
            code, _, output = forker.run("league", "move", old, new, seconds=seconds)
            expect(code in (-9, 0), f"the move failed: {output}")
            if code == 0:
                break
            states.append(_state(old, new))
        code, took, output = forker.run("league", "move", old, new)
        expect(code == 0, f"the move failed: {output}")
        said = [process.communicate(timeout=SECONDS)[0] for process in processes]
    lines = [line for text in said for line in text.splitlines() if line[:1] != "#"]
    ends = [line for line in lines if line.startswith("moved")]
    expect(len(ends) == WRITERS, f"a writer was not told where the game is: {lines[-1:]}")
    expect(all(place_of(new) in end for end in ends), f"a writer was told {ends}")
    acknowledged = [line for line in lines if not line.startswith("moved")]
    _check_end(old, new, acknowledged)
    return MoveResult(len(acknowledged), tuple(states), took)


def _moments(chance: random.Random | None, longest: float) -> list[float]:
    """Return after how many seconds the mover is killed, each time."""
    if chance is None:
        return []
    return [chance.uniform(0, longest) for _ in range(chance.randint(1, KILLS_MAX))]


def _state(old: str, new: str) -> str:
    """Return which of the places take records now; both never do."""
    takes = [name for name, location in (("old", old), ("new", new)) if _is_open(location)]
    expect(len(takes) < 2, "both places take records")
    return takes[0] if takes else "neither"


def _is_open(location: str) -> bool:
    try:
        with Ledger.open(location) as ledger:
            return GAME in ledger.games()
    except NomoledgerError:
        return False


def _check_end(old: str, new: str, acknowledged: list[str]) -> None:
    """Check that *new* has what was *acknowledged*, once, and that *old* has nothing more."""
    expect(_state(old, new) == "new", "the game is not at the new place")
    with Ledger.open(old) as source, Ledger.open(new) as target:
        head = target.head(GAME)
        expect(source.stored_head(GAME) == head, "the old place has another head")
        ids = [entry.body.id for entry in target.read(GAME) if isinstance(entry.body, Input)]
        expect(target.store.count(GAME, head.number) == head.number + 1, "a record is missing")
    expect(len(ids) == len(set(ids)), "something is stored twice")
    expect(set(acknowledged) <= set(ids), f"lost: {set(acknowledged) - set(ids)}")
    verify(new)
