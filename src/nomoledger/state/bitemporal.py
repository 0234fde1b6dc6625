"""Closed periods as they are known later: as published, with the corrections of later rulings.

`World.past` holds the state of every closed period at its close. A ruling that reaches back
corrects it. What `World.past` does not hold (the agenda, timers, uses counted) is as published.
"""

from collections.abc import Iterable
from typing import Any

from nomoledger.errors import UsageError
from nomoledger.events import Event, Settled
from nomoledger.state.world import SCHEMA, World

#: The tables of a closed period that a ruling that reaches back corrects.
CORRECTED = ("attributes", "balances", "entities", "kinds")


def check_times(game: str, period: int | None, known: int | None) -> None:
    """Check that *period* was over at the close of period *known*.

    Raises:
        UsageError: *known* is before *period*.
    """
    if known is not None and (period is None or known < period):
        raise UsageError(f"{game}: period {period} was not over at the close of period {known}")


def rulings_that_corrected(later: World, period: int) -> tuple[int, ...]:
    """Return the rulings that have corrected *period*, as known in the world *later*."""
    rulings: tuple[int, ...] = later.past.get(period, {}).get("ruled", ())
    return rulings


def world_as_known(later: World, published: World, period: int) -> World:
    """Return the state at the close of *period* as it is known in the world *later*.

    *published* is the state as published at that close. The result shares its tables with both
    worlds and is read-only.
    """
    if not rulings_that_corrected(later, period):
        return published
    past, known = later.past[period], World()
    known.head = published.head
    for attribute in SCHEMA.values():
        setattr(known, attribute, getattr(published, attribute))
    for name in CORRECTED:
        setattr(known, name, past[name])
    known.game = {**published.game, "rules": past["rules"], "ended": past.get("ended")}
    known.past = {number: state for number, state in later.past.items() if number <= period}
    return known


def copy_world(world: World, *, past: bool = False) -> World:
    """Return a copy of *world*; the copy shares the past unless *past* is true."""
    copy = World()
    copy.head, copy.closing = world.head, world.closing
    for name, attribute in SCHEMA.items():
        table = getattr(world, attribute)
        is_shared = name == "past" and not past
        setattr(copy, attribute, dict(table) if is_shared else _copy_value(table))
    return copy


def copy_for(world: World, following: Iterable[Event]) -> World:
    """Return a copy of *world* that can apply the events *following* without changing *world*."""
    return copy_world(world, past=any(isinstance(event, Settled) for event in following))


def _copy_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy_value(item) for key, item in value.items()}
    return list(value) if isinstance(value, list) else value
