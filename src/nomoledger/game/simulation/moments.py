"""Moments of a game: what is under way in each, and which of them together show most."""

from collections.abc import Container, Iterator, Sequence
from typing import Any

import msgspec

from nomoledger.state.world import World

#: How the names of what waits begin, and how much more it counts than other things.
WAITING, WAITING_WEIGHT = ("timer ", "order ", "question "), 10


class TrialMoment(msgspec.Struct, frozen=True):
    """A moment between two batches of a game.

    Attributes:
        place: how many batches come before it.
        under_way: names for what is under way: timers, orders, questions, things, states of things.
    """

    place: int
    under_way: frozenset[str]


def under_way(world: World, operations: Container[str] = ()) -> frozenset[str]:
    """Return a name for everything of *world* that begins and ends in play.

    A thing that names one of *operations* counts as a timer: it will be carried out.
    """
    return frozenset(_under_way(world, operations))


def _under_way(world: World, operations: Container[str]) -> Iterator[str]:
    for timer in world.timers.values():
        yield f"timer {timer.attempt.operation}"
    for order, _ in world.orders.values():
        yield from (f"order {act.action}" for act in order.acts)
    if world.waiting is not None:
        yield f"question of {world.agenda[0].operation}"
    if any(proposal.period == world.period for proposal in world.proposals.values()):
        yield "proposal"
    for entity, table in world.durations.items():
        yield from (f"{world.entities.get(entity)} with {name} for a while" for name in table)
    for kind, things in world.kinds.items():
        yield from (f"{kind} {n}" for n in range(min(len(things), 2)))
    for entity, attributes in world.attributes.items():
        kind = world.entities.get(entity, entity)
        for name, value in attributes.items():
            if not _is_nothing(value):
                yield f"{kind}.{name}"
            if isinstance(value, str) and value in operations:
                yield f"timer {value}"
    for player in world.kinds.get("player", ()):
        held = world.balances.get(player, {})
        yield from (f"{name} held" for name, amount in held.items() if amount > 0)


def _is_nothing(value: Any) -> bool:
    return value is None or value is False or value == 0 or value == "" or value == []


def _weight(things: frozenset[str]) -> int:
    """Return how much *things* count: what will happen by itself counts most."""
    return sum(WAITING_WEIGHT if thing.startswith(WAITING) else 1 for thing in things)


def telling(moments: Sequence[TrialMoment], most: int) -> list[TrialMoment]:
    """Return at most *most* of *moments*: in these, most different things are under way.

    Each has something under way that those before it lack. They come in the order of the game.
    """
    chosen: list[TrialMoment] = []
    seen: frozenset[str] = frozenset()
    while len(chosen) < most and moments:
        best = max(moments, key=lambda moment: (_weight(moment.under_way - seen), moment.place))
        if not best.under_way - seen:
            break
        chosen.append(best)
        seen |= best.under_way
    return sorted(chosen, key=lambda moment: moment.place)
