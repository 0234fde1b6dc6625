"""Replay of a hand-kept record by the rules alone.

The inputs from a period on are replayed, with dice, answers and requests as recorded. A fact that
differs from the rules is only counted: play continues from the result of the rules.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.replaying import replay_input
from nomoledger.engine.undone import kept_places
from nomoledger.game.period_start import period_start
from nomoledger.language.values import from_units
from nomoledger.ledger.event_history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.prose.names import Names
from nomoledger.sandbox.limits import AGAIN, Limits
from nomoledger.sandbox.sandbox import stream_from_sandbox
from nomoledger.state.world import World


class RulesDifference(msgspec.Struct, frozen=True):
    """A value that differs between the record and the rules.

    Attributes:
        subject: the player or square.
        what: the attribute or commodity.
        recorded: the recorded value.
        by_rules: the value by the rules.
    """

    subject: str
    what: str
    recorded: Any
    by_rules: Any


class RulesOnlyReport(msgspec.Struct, frozen=True):
    """The result of a replay by the rules alone.

    Attributes:
        game: name of the game.
        period: the first period replayed.
        noted: the number of facts that differ from the rules.
        otherwise: what differs at the end.
    """

    game: str
    period: int
    noted: int
    otherwise: tuple[RulesDifference, ...]


def replay_by_rules(
    ledger: Ledger, game: str, period: int, *, limits: Limits | None = None
) -> RulesOnlyReport:
    """Replay *game* by its rules from *period* to its end, and compare with the recorded state.

    Raises:
        UnknownError: that period has not begun.
        RuleFault: rule code failed.
    """
    history = History(ledger, game)
    start = period_start(history, period)
    bodies = [entry.body for entry in start.entries]
    engine = start.engine(history, follows_record=False)
    now = history.world()
    *_, piece = stream_from_sandbox(
        _replay, engine, bodies, now, game, period, limits=limits or AGAIN
    )
    return msgspec.msgpack.decode(piece, type=RulesOnlyReport)


def _replay(
    engine: Engine, bodies: list[e.Event], now: World, game: str, period: int
) -> Iterator[bytes]:
    noted = 0
    for batch in _run(engine, bodies):
        noted += sum(isinstance(event, e.RecordPrevailed) for event in batch)
        yield b""  # The limits apply to one batch, not to the whole run.
    otherwise = tuple(differences(now, engine.world))
    yield msgspec.msgpack.encode(RulesOnlyReport(game, period, noted, otherwise))


def _run(engine: Engine, bodies: list[e.Event]) -> Iterator[Batch]:
    bodies = [bodies[place] for place in kept_places(bodies)]
    for place, body in enumerate(bodies):
        if isinstance(body, e.Input):
            yield from replay_input(engine, bodies, place)


def differences(recorded_world: World, by_rules: World) -> Iterator[RulesDifference]:
    """Yield the attributes and holdings of things that differ between two worlds."""
    kinds = (*recorded_world.known_kinds(), *by_rules.known_kinds())
    for kind in dict.fromkeys(("player", *kinds)):
        things = dict.fromkeys((*recorded_world.kinds.get(kind, ()), *by_rules.kinds.get(kind, ())))
        for thing in things:
            yield from _differences(recorded_world, by_rules, kind, thing)


def _differences(
    recorded_world: World, by_rules: World, kind: str, thing: str
) -> Iterator[RulesDifference]:
    world = recorded_world if thing in recorded_world.entities else by_rules
    names = Names(world)
    subject = f"square {names.label(thing)}" if kind == "square" else names.phrase(thing)
    recorded, computed = _values(recorded_world, kind, thing), _values(by_rules, kind, thing)
    for what in dict.fromkeys((*recorded, *computed)):
        if recorded.get(what) != computed.get(what):
            yield RulesDifference(subject, what, recorded.get(what), computed.get(what))


def _written(names: Names, kind: str, attribute: str, value: Any) -> Any:
    """Return the *value* of an attribute as people write it: times and durations in words."""
    if names.world.declared(kind).get(attribute) in ("Time", "Duration") and value is not None:
        return names.value(kind, attribute, value)
    return value if isinstance(value, list) else names.world.label(value)


def _values(world: World, kind: str, thing: str) -> dict[str, Any]:
    """Return the attributes and holdings of *thing*, as people write them."""
    names = Names(world)
    values = {
        name: _written(names, kind, name, value)
        for name, value in world.attributes.get(thing, {}).items()
        if name in world.declared(kind)
    }
    places = {name: commodity.places for name, commodity in world.commodities().items()}
    for commodity, units in world.balances.get(thing, {}).items():
        values[commodity] = from_units(units, places.get(commodity, 0))
    return values
