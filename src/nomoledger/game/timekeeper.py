"""Timers of a live game: each fires at its own time, also while others write to the game."""

import secrets as random
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import ConflictError, NomoledgerError
from nomoledger.game.writer import TRIES_MAX, GameWriter, StepDropped
from nomoledger.prose.descriptions import BOOKKEEPING
from nomoledger.prose.teller import Teller
from nomoledger.state.clock import from_seconds, to_seconds
from nomoledger.state.disputes import next_final
from nomoledger.state.world import World

#: Stands for the operation where an interrupted command had left work on the agenda.
LEFT = "left"
#: Stands for the operation where standings became final.
FINAL = "final"
#: By id of a timer: its operation, the arguments, and the rule that set it.
Timers = dict[str, tuple[str, tuple[Any, ...], str]]


class FiredTimer(msgspec.Struct, frozen=True):
    """A timer that fired, and its result.

    Attributes:
        at: when it was due.
        what: the operation; "left" for work that an interrupted command had left, "final" for
            standings that became final.
        about: the arguments, in words.
        rule: the rule that set it.
        told: the result in words.
        events: the events recorded.
    """

    at: datetime
    what: str
    about: str
    rule: str
    told: str
    events: tuple[e.Event, ...]


class Timekeeper(GameWriter):
    """The timers of one game in one ledger."""

    def due(self) -> int | None:
        """Return when the next timer is due, in seconds since 1970; None if none is set.

        While play waits for an answer, no timer is due.
        """
        return next_due(self.world)

    def fall_due(self, until: datetime) -> Iterator[FiredTimer]:
        """Resume interrupted work; then fire the timers that are due by *until*, in order.

        Each moment is an input of its own, dated when it was due. Events of other writers are read
        first, so no timer fires twice.

        Raises:
            RuleFault: rule code failed; the game stands still until a ruling changes the rule.
            ConflictError: others are writing all the time.
            StoreError: the database failed.
        """
        conflicts = 0
        while conflicts < TRIES_MAX:
            stored: list[e.Event] = []
            problem: NomoledgerError | None = None
            goes_on = True
            self.catch_up()
            timers = _timers_of(self.world)
            teller = Teller(self.world)
            teller.keep_all()
            try:
                goes_on = self._step(until, stored)
            except NomoledgerError as error:
                problem = error
            yield from self._describe(stored, timers, teller)
            if problem is not None and not isinstance(problem, ConflictError):
                raise problem
            if not goes_on:
                return
            conflicts = 0 if problem is None else conflicts + 1
        raise ConflictError(f"{self.name}: too many others are writing; try again")

    def _step(self, until: datetime, stored: list[e.Event]) -> bool:
        """Resume work or fire the next timer due by *until*; return whether there was any."""
        if self.is_pending():
            stored.extend(self.resume().events)
            return True
        due = self.due()
        if due is None or due > to_seconds(until):
            return False
        event = self._input(e.ClockAdvanced, from_seconds(due), random.token_hex(6), {})
        try:
            self._carry_out(event, stored)
        except StepDropped as dropped:  # the timer itself, most likely
            stored.extend(dropped.events)
        return True

    def _describe(
        self, stored: Sequence[e.Event], timers: Timers, teller: Teller
    ) -> Iterator[FiredTimer]:
        """Yield what *stored* holds, one timer at a time; *timers* are those set before."""
        teller.world = self.world
        teller.rewind(stored)
        timers |= _timers_in(stored)
        for part in _split_at_timers(stored):
            first = part[0]
            silent = (*BOOKKEEPING, e.ClockAdvanced)
            words = [
                teller.tell(event)
                for event in part
                if not isinstance(event, silent) and teller.mentions(event)
            ]
            operation, arguments, rule = LEFT, (), ""
            if isinstance(first, e.TimerFired):
                operation, arguments, rule = timers[first.attempt]
            elif part == list(stored) and isinstance(first, e.ClockAdvanced):
                operation = FINAL
            elif not words:
                continue
            about = "; ".join(map(teller.phrase, arguments))
            at = from_seconds(to_seconds(first.received_at))
            yield FiredTimer(at, operation.lstrip("@"), about, rule, "; ".join(words), tuple(part))


def next_due(world: World) -> int | None:
    """Return when the next timer of *world* is due, as `Timekeeper.due` does."""
    if world.waiting is not None:
        return None
    moments = [timer.attempt.at for timer in world.timers.values()]
    final = next_final(world)
    return min(moments if final is None else [*moments, final], default=None)


def _timers_of(world: World) -> Timers:
    """Return the timers that run in *world*."""
    return {
        name: (timer.attempt.operation, timer.attempt.arguments, timer.rule)
        for name, timer in world.timers.items()
    }


def _timers_in(stored: Sequence[e.Event]) -> Timers:
    """Return the timers that *stored* sets."""
    return {
        event.attempt: (event.operation, event.arguments, (*event.rules, "engine")[0])
        for event in stored
        if isinstance(event, e.Scheduled)
    }


def _split_at_timers(stored: Sequence[e.Event]) -> list[list[e.Event]]:
    """Return *stored*, cut before every timer that fired."""
    parts: list[list[e.Event]] = []
    for event in stored:
        if not parts or isinstance(event, e.TimerFired):
            parts.append([])
        parts[-1].append(event)
    return parts
