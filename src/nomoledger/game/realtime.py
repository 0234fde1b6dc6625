"""The clock of a live game: fires timers when they are due, for as long as it runs.

Only this module waits for a clock. The game knows time from inputs alone: each moment at which a
timer is due is recorded as an input dated when it was due. A game that was not watched therefore
catches up, and two clocks of one game never fire a timer twice.
"""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from nomoledger.errors import (
    CorruptError,
    LostError,
    MovedError,
    RuleFault,
    StoreError,
    UnknownError,
)
from nomoledger.game.programs import CLOCK, program_name
from nomoledger.game.timekeeper import FiredTimer, Timekeeper
from nomoledger.ledger.as_of import only_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.location import safe_location
from nomoledger.prose.choices import ask_in_words
from nomoledger.prose.teller import Teller

#: The longest sleep: another writer may set an earlier timer.
POLL_SECONDS = 1.0
#: The waits between attempts to reach an unavailable database, before giving up.
PATIENCE_SECONDS = (1, 2, 4, 8, 15, 30, 30, 30)
#: A clock that differs by at least this much from the time slept is reported as set or stopped.
JUMP_SECONDS = 60
#: Number of polls before failed rule code is run again, if nothing was recorded meanwhile.
POLLS_BEFORE_RETRY = 60


class SystemClock:
    """The system clock, and sleeping by it."""

    def now(self) -> datetime:
        """Return the current time."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Sleep for *seconds*."""
        time.sleep(seconds)


class ClockNotice(msgspec.Struct, frozen=True):
    """Something other than a timer that fired.

    Attributes:
        kind: "waiting" (for an answer), "stuck" (rule code fails), "away" or "back" (the database),
            "clock" (the clock was set) or "over" (the game).
        text: the notice in words.
    """

    kind: str
    text: str


Happening = FiredTimer | ClockNotice


class LiveClock:
    """Keeps the clock of *game* in the ledger at *location*, by the time of *wall*."""

    def __init__(
        self, location: str, game: str | None = None, wall: SystemClock | None = None
    ) -> None:
        """Prepare to keep the clock; nothing is opened yet."""
        self.location = location
        self.game = game
        self.wall = wall or SystemClock()
        self.timekeeper: Timekeeper | None = None
        self._failures = 0
        self._waiting: str | None = None
        self._stuck: tuple[int, int] | None = None

    def try_once(self) -> Iterator[Happening]:
        """Yield what `keep` would yield with *once*, on a scratch copy; nothing is recorded."""
        with (
            Ledger.open(self.location) as ledger,
            Timekeeper(ledger, self.game, clock=self.wall.now).dry_run() as scratch,
        ):
            yield from self._attend(scratch, once=True)

    def keep(self, *, once: bool = False) -> Iterator[Happening]:
        """Yield what happens until the game is over; with *once*, until it has caught up.

        Raises:
            StoreError: the database failed, or was unavailable for too long.
            UnknownError, UsageError: there is no such ledger or game.
            RuleFault: rule code failed (only with *once*).
        """
        while True:
            try:
                name = self.game or _only_game_at(self.location)
                with Ledger.open(self.location, program=program_name(CLOCK, name)) as ledger:
                    self.timekeeper = Timekeeper(ledger, name, clock=self.wall.now)
                    yield from self._attend(self.timekeeper, once)
                    return
            except (CorruptError, MovedError):
                raise
            except (StoreError, UnknownError) as error:
                if self.timekeeper is None or self._failures == len(PATIENCE_SECONDS):
                    raise
                if not self._failures:
                    yield ClockNotice(
                        "away", f"{error}; trying for {sum(PATIENCE_SECONDS)} seconds"
                    )
                self.wall.sleep(PATIENCE_SECONDS[self._failures])
                self._failures += 1

    def _attend(self, timekeeper: Timekeeper, once: bool) -> Iterator[Happening]:
        """Fire timers, sleep, and repeat, while the database answers."""
        file = _file(self.location)
        while True:
            if _file(self.location) != file:
                raise LostError(f"{safe_location(self.location)} was moved or replaced")
            yield from self._fall_due(timekeeper, once)
            if self._failures:
                self._failures = 0
                yield ClockNotice("back", f"{safe_location(self.location)} is back")
            ended = timekeeper.world.game["ended"]
            if ended is not None:
                yield ClockNotice("over", f"the game is over: {ended}")
            yield from self._still_waiting(timekeeper)
            if once or ended is not None:
                return
            yield from self._sleep(timekeeper.due())

    def _fall_due(self, timekeeper: Timekeeper, once: bool) -> Iterator[Happening]:
        timekeeper.catch_up()
        if self._is_hopeless(timekeeper.world.head):
            return
        try:
            yield from timekeeper.fall_due(self.wall.now())
            self._stuck = None
        except RuleFault as fault:
            if once:
                raise
            if self._stuck is None or self._stuck[0] != timekeeper.world.head:
                yield ClockNotice("stuck", str(fault))
            self._stuck = timekeeper.world.head, POLLS_BEFORE_RETRY

    def _is_hopeless(self, head: int) -> bool:
        """Return whether rule code just failed and nothing was recorded since."""
        if self._stuck is None or self._stuck[0] != head or not self._stuck[1]:
            return False
        self._stuck = head, self._stuck[1] - 1
        return True

    def _still_waiting(self, timekeeper: Timekeeper) -> Iterator[ClockNotice]:
        """Yield the question that play waits for, once."""
        question = timekeeper.world.waiting
        if question is not None and question.question != self._waiting:
            whom = timekeeper.world.label(question.to)
            text = ask_in_words(Teller(timekeeper.world), question)
            yield ClockNotice("waiting", f"waiting for {whom}: {text}")
        self._waiting = None if question is None else question.question

    def _sleep(self, due: int | None) -> Iterator[ClockNotice]:
        """Sleep until the next timer or poll; report it if the clock was set meanwhile."""
        before = self.wall.now()
        seconds = POLL_SECONDS
        if due is not None and self._stuck is None:
            seconds = min(seconds, max(0.0, due - before.timestamp()))
        self.wall.sleep(seconds)
        off = (self.wall.now() - before).total_seconds() - seconds
        if abs(off) >= JUMP_SECONDS:
            way = "ahead" if off > 0 else "back"
            then = "catching up" if off > 0 else "no timer fires until that time is reached again"
            yield ClockNotice(
                "clock", f"the clock jumped {way} by {abs(round(off))} seconds: {then}"
            )


def _only_game_at(location: str) -> str:
    """Return the name of the one game in the ledger at *location*."""
    with Ledger.open(location) as ledger:
        return only_game(ledger)


def _file(location: str) -> tuple[int, int] | None:
    """Return device and inode of the file at *location*; None if there is no file."""
    try:
        status = os.stat(location.removeprefix("sqlite:///"))
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino
