"""Clocks and timers as a case states them: when something last happened, and what is to come."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from nomoledger import events as e
from nomoledger.errors import RulebookError
from nomoledger.language.host import Refused
from nomoledger.language.operations import Operation
from nomoledger.language.program import link
from nomoledger.language.resolve import named_arguments, positional_arguments
from nomoledger.rulebook.cases.format import Given
from nomoledger.rulebook.cases.spelling import spelled
from nomoledger.rulebook.cases.times import read_time
from nomoledger.state.clock import to_seconds
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

LAST = "last"
#: The operation by which rules note when something happened; the mechanic `clocks-1` has it.
NOTE = "note_time"
_TIMER = ("do", "with", "at", "by")
_HOUR = 3_600


def without_last(row: Any) -> Any:
    """Return the *row* of a player without what last happened to the player, and when."""
    return {k: v for k, v in row.items() if k != LAST} if isinstance(row, dict) else row


def noted_times(world: World, given: Given, start: datetime) -> list[dict[str, Any]]:
    """Return the changes that note when things last happened, as *given* says.

    Raises:
        RulebookError: the rules keep no clocks, or a time is still to come.
    """
    told: list[tuple[str, Any, Any]] = []
    for event, when in given.last.items():
        by_subject = when if isinstance(when, dict) else {"game": when}
        told += [(event, subject, at) for subject, at in by_subject.items()]
    for name, row in given.players.items():
        last = row.get(LAST) if isinstance(row, dict) else None
        told += [(event, name, at) for event, at in (last or {}).items()]
    if told and NOTE not in link(world.ruleset).links.operations:
        raise RulebookError(f"given: {LAST}: these rules keep no clocks: none defines {NOTE}")
    return [_note(event, subject, at, start) for event, subject, at in told]


def _note(event: str, subject: Any, at: Any, start: datetime) -> dict[str, Any]:
    ago = to_seconds(start) - to_seconds(read_time(at, start))
    if ago < 0:
        raise RulebookError(f"given: {LAST}: {event}: {at} is still to come: write -80h")
    hours = f"{Decimal(ago) / _HOUR:.10f}"
    return {"do": NOTE, "with": {"event": event, "subject": subject, "hours_ago": hours}}


def set_timers(
    world: World, timers: list[dict[str, Any]], start: datetime, common: dict[str, Any]
) -> None:
    """Schedule *timers*; one of the same operation and the same arguments gets another time.

    Raises:
        RulebookError: the rules cannot do that, or its time is past.
    """
    for number, row in enumerate(timers, 1):
        told = {spelled(key, _TIMER, "given: a timer has no"): value for key, value in row.items()}
        if "do" not in told or "at" not in told:
            raise RulebookError(
                f"given: timer {number}: say what it does, and when: {{do: …, at: …}}"
            )
        operation, due = _operation(world, told["do"]), to_seconds(read_time(told["at"], start))
        if due < to_seconds(start):
            raise RulebookError(f"given: timer {number}: {told['at']} is past: write +80h")
        arguments = _arguments(world, operation, told.get("with") or {})
        known = next(
            (
                id
                for id, timer in world.timers.items()
                if (timer.attempt.operation, timer.attempt.arguments) == (operation.name, arguments)
            ),
            None,
        )
        fields: dict[str, Any] = {**common, "rules": (f"{operation.definer}@1",)}
        if known is not None:
            apply(world, e.Rescheduled(attempt=known, due=due, **fields))
            continue
        apply(
            world,
            e.Scheduled(
                attempt=f"given>{operation.name}({number})",
                operation=operation.name,
                arguments=arguments,
                due=due,
                by=str(told.get("by", "")),
                **fields,
            ),
        )


def _operation(world: World, name: Any) -> Operation:
    operations = link(world.ruleset).links.operations
    known = {each for each, operation in operations.items() if operation.can_be_done}
    return operations[spelled(name, known, "given: no rule says how to")]


def _arguments(world: World, operation: Operation, stated: Any) -> tuple[Any, ...]:
    positional = tuple(stated) if isinstance(stated, list) else ()
    named = stated if isinstance(stated, dict) else {}
    try:
        resolved = named_arguments(world, operation, positional, named)
    except Refused as error:
        raise RulebookError(f"given: timer: {operation.name}: {error}") from None
    return tuple(positional_arguments(operation, resolved))
