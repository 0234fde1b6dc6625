"""Says why something is so, or is not: back through causes to the die, submission or ruling.

Trails are not stored. The attempt behind an event is run again, from the world as it stood and with
the draws as recorded, by a program that notes every step (`nomoledger.rules.trace`).
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine import Engine
from nomoledger.errors import UnknownError
from nomoledger.fence import Limits
from nomoledger.ledger import Ledger
from nomoledger.replay import engine_at, taken
from nomoledger.rules.trace import TracingHost, traced
from nomoledger.state import world_of
from nomoledger.trails import Teller, holds
from nomoledger.words import tell
from nomoledger.work import found
from nomoledger.world import World


class Cause(msgspec.Struct, frozen=True):
    """One event on the way back: its number, what it says, and the rules behind it."""

    event: int
    told: str
    rules: tuple[str, ...]


class Explanation(msgspec.Struct, frozen=True):
    """Why an event came about.

    *causes* lead from the event back to an input; *trail* tells, line by line and indented, how the
    rules got from the attempt's beginning to the event.
    """

    event: int
    told: str
    rules: tuple[str, ...]
    causes: tuple[Cause, ...]
    trail: tuple[str, ...]


def explain(ledger: Ledger, game: str, number: int, *, limits: Limits | None = None) -> Explanation:
    """Why event *number* of *game* came about.

    Raises:
        UnknownError: there is no such event.
        RuleFault: rule code failed when it was run again.
    """
    bodies = [entry.body for entry in ledger.read(game)]
    if not 0 <= number < len(bodies):
        raise UnknownError(f"{game}: there is no event #{number}; the last is #{len(bodies) - 1}")
    world = world_of(ledger, game, number)
    causes = tuple(
        Cause(at, _told(world, bodies[at]), bodies[at].rules) for at in _back(bodies, number)
    )
    trail: tuple[str, ...] = ()
    if not isinstance(bodies[number], e.Input):
        trail = _in_worker(ledger, game, number, bodies, limits)
    return Explanation(number, _told(world, bodies[number]), bodies[number].rules, causes, trail)


def last_of(ledger: Ledger, game: str, subject: str, what: str, upto: int | None = None) -> int:
    """The number of the last event that made *what* (an attribute, `money`, or a commodity) of
    *subject* (a player by name, or a square by number) what it is.

    Raises:
        UnknownError: there is no such thing, or nothing ever changed it.
    """
    world = world_of(ledger, game, upto)
    called: Any = int(subject) if subject.isdigit() else subject
    thing = next((f for kind in world.kinds if (f := world.find(kind, called))), None)
    if thing is None:
        raise UnknownError(f"{game}: there is no {subject!r}")
    commodity = next(iter(world.commodities()), "") if what == "money" else what
    changes = [
        entry.number
        for entry in ledger.read(game, upto=upto)
        if _touches(entry.body, thing, what, commodity)
    ]
    if not changes:
        raise UnknownError(f"{game}: nothing ever changed {what!r} of {subject}")
    return changes[-1]


def _touches(body: e.Event, thing: str, what: str, commodity: str) -> bool:
    if isinstance(body, e.Posted):
        return any(p.account == thing and p.commodity == commodity for p in body.postings)
    if isinstance(body, e.Moved):
        return body.piece == thing and what == "square"
    if isinstance(body, e.AttributeSet):
        return (body.entity, body.attribute) == (thing, what)
    return isinstance(body, e.EntityCreated) and body.entity == thing and what in body.attributes


def _back(bodies: list[e.Event], number: int) -> Iterator[int]:
    """The events that led to *number*, nearest first, back to an input."""
    cause = bodies[number].cause
    while cause is not None:
        yield cause
        cause = bodies[cause].cause


def _told(world: World, body: e.Event) -> str:
    return tell(body, world.label, world.commodities())


# --- running it again ---------------------------------------------------------------------------


def _in_worker(
    ledger: Ledger, game: str, number: int, bodies: list[e.Event], limits: Limits | None
) -> tuple[str, ...]:
    start = max(at for at in range(number + 1) if isinstance(bodies[at], e.Input))
    engine = engine_at(ledger, game, start, link=traced)
    return tuple(
        found(lambda: list(_trail(engine, bodies[start:], number - start)), list[str], limits)
    )


def _trail(engine: Engine, bodies: list[e.Event], place: int) -> Iterator[str]:
    """The trail of the event that is made as number *place* when *bodies* are run again."""
    made: list[e.Event] = []
    for batch in taken(engine, bodies):
        made += batch
        if len(made) > place:
            host = engine.link(engine.world.rules).host
            assert isinstance(host, TracingHost)
            yield from _told_by(host, engine.world, made[place])
            return


def _told_by(host: TracingHost, world: World, event: e.Event) -> Iterator[str]:
    root = next((root for root in reversed(host.roots) if holds(root, event)), None)
    if root is not None:
        yield from Teller(host.program, world, event).told(root, 0)
