"""A closed period as it is known since: as published, with what later rulings made of it.

`World.past` holds, for every closed period, how things stood at its close; a ruling that reaches
back brings it to what it should have been. What is not in it (what waited, what was due, uses
counted) is as published.
"""

from collections.abc import Iterable
from typing import Any

from nomoledger.errors import UsageError
from nomoledger.events import Event, Settled
from nomoledger.state.world import SCHEMA, World

#: What a ruling that reaches back corrects in a closed period.
CORRECTED = ("attributes", "balances", "entities", "kinds")


def check_times(game: str, period: int | None, known: int | None) -> None:
    """Refuse to tell how *period* stood as known before it was over.

    Raises:
        UsageError: *known* is before *period*.
    """
    if known is not None and (period is None or known < period):
        raise UsageError(f"{game}: period {period} was not over at the close of period {known}")


def rulings_that_corrected(later: World, period: int) -> tuple[int, ...]:
    """The rulings that have corrected *period* since, as known in the world *later*."""
    found: tuple[int, ...] = later.past.get(period, {}).get("ruled", ())
    return found


def world_as_known(later: World, published: World, period: int) -> World:
    """The world *published* at the close of *period*, as it is known in the world *later*.

    It shares its tables with the two, and is only to be read.
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
    known.past = {each: stood for each, stood in later.past.items() if each <= period}
    return known


def copy_world(world: World, *, past: bool = False) -> World:
    """A world of its own that is as *world* is; it shares the past, unless that is copied, too."""
    other = World()
    other.head, other.closing = world.head, world.closing
    for name, attribute in SCHEMA.items():
        table = getattr(world, attribute)
        is_shared = name == "past" and not past
        setattr(other, attribute, dict(table) if is_shared else _copied(table))
    return other


def copy_for(world: World, following: Iterable[Event]) -> World:
    """A copy of *world* that can go on over the events *following*, while *world* stays."""
    return copy_world(world, past=any(isinstance(each, Settled) for each in following))


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return list(value) if isinstance(value, list) else value
