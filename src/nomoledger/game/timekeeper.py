"""Lets things fall due in a live game, each at its own time, whoever else writes into the game."""

import secrets as random
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.errors import ConflictError, NomoledgerError
from nomoledger.game.writer import TRIES_MAX, GameWriter
from nomoledger.prose.descriptions import BOOKKEEPING, describe_event
from nomoledger.prose.labels import Label, labels_now, labels_since
from nomoledger.state.disputes import next_final
from nomoledger.state.reducer import from_seconds, to_seconds
from nomoledger.state.world import World

#: What stands for an operation where an interrupted command had left something to do.
LEFT = "left"
#: And where standings turned final.
FINAL = "final"
Known = dict[str, tuple[str, tuple[Any, ...], str]]


class FiredTimer(msgspec.Struct, frozen=True):
    """Something that fell due, and what came of it.

    Attributes:
        at: when it was due. what: the operation (or "left", for what an interrupted command had
            left to do, or "final", for standings that turned so). about: its arguments, in words.
        rule: whose it is. told: what came of it, in words. events: the same as it is recorded.
    """

    at: datetime
    what: str
    about: str
    rule: str
    told: str
    events: tuple[e.Event, ...]


class Timekeeper(GameWriter):
    """One game in one ledger, and what falls due in it by itself."""

    def due(self) -> int | None:
        """When something next falls due, in seconds since 1970; None while nothing will.

        Where play waits for an answer nothing falls due before it is given.
        """
        if self.world.waiting is not None:
            return None
        moments = [timer.attempt.at for timer in self.world.timers.values()]
        final = next_final(self.world)
        return min(moments if final is None else [*moments, final], default=None)

    def fall_due(self, until: datetime) -> Iterator[FiredTimer]:
        """Go on with what was left to do; then let fall due what does by *until*, in order.

        Each moment is an input of its own, dated as it was due. Whoever else writes is read first,
        so nothing falls due twice.

        Raises:
            RuleFault: rule code failed; the game stands still until a ruling changes the rule.
            ConflictError: others are writing all the time. StoreError: the database failed.
        """
        conflicts = 0
        while conflicts < TRIES_MAX:
            stored: list[e.Event] = []
            problem: NomoledgerError | None = None
            goes_on = True
            self.catch_up()
            known = _scheduled(self.world)
            before = labels_now(self.world)
            try:
                goes_on = self._next(until, stored)
            except NomoledgerError as error:
                problem = error
            yield from self._told(stored, known, before)
            if problem is not None and not isinstance(problem, ConflictError):
                raise problem
            if not goes_on:
                return
            conflicts = 0 if problem is None else conflicts + 1
        raise ConflictError(f"{self.name}: too many others are writing; try again")

    def _next(self, until: datetime, stored: list[e.Event]) -> bool:
        """Whether something was left to do, or fell due by *until*; what came of it is *stored*."""
        if self.is_pending():
            stored.extend(self.resume().events)
            return True
        due = self.due()
        if due is None or due > to_seconds(until):
            return False
        event = self._input(e.ClockAdvanced, from_seconds(due), random.token_hex(6), {})
        self._carry_out(partial(_taking, event), stored, [])
        return True

    def _told(self, stored: Sequence[e.Event], known: Known, before: Label) -> Iterator[FiredTimer]:
        """What fell due, one by one; *known* is what each timer does, and by which rule."""
        label = labels_since(before, self.world, stored)
        commodities = self.world.commodities()
        known |= _scheduled_in(stored)
        for part in _parts(stored):
            first = part[0]
            silent = (*BOOKKEEPING, e.ClockAdvanced)
            words = [
                describe_event(x, label, commodities) for x in part if not isinstance(x, silent)
            ]
            operation, arguments, rule = LEFT, (), ""
            if isinstance(first, e.TimerFired):
                operation, arguments, rule = known[first.attempt]
            elif part == list(stored) and isinstance(first, e.ClockAdvanced):
                operation = FINAL
            elif not words:
                continue
            about = label(arguments)
            at = from_seconds(to_seconds(first.received_at))
            yield FiredTimer(at, operation.lstrip("@"), about, rule, "; ".join(words), tuple(part))


def _scheduled(world: World) -> Known:
    """What each timer that runs in *world* is to do, to what, and whose it is."""
    return {
        name: (timer.attempt.operation, timer.attempt.arguments, timer.rule)
        for name, timer in world.timers.items()
    }


def _scheduled_in(stored: Sequence[e.Event]) -> Known:
    """The same of those that were set meanwhile, to fall due at once."""
    return {
        event.attempt: (event.operation, event.arguments, (*event.rules, "engine")[0])
        for event in stored
        if isinstance(event, e.Scheduled)
    }


def _taking(event: e.Input, engine: Engine) -> Iterator[list[e.Event]]:
    return engine.take(event)


def _parts(stored: Sequence[e.Event]) -> list[list[e.Event]]:
    """*stored*, cut before every timer that fell due."""
    parts: list[list[e.Event]] = []
    for event in stored:
        if not parts or isinstance(event, e.TimerFired):
            parts.append([])
        parts[-1].append(event)
    return parts
