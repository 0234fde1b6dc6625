"""Where the rules alone would have led: a hand-kept record run on from its differences.

The inputs from a period on are run again, dice, answers and requests as recorded, but a fact that
differs from the rules is only noted: play goes on from what the rules gave.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.replaying import replay_input
from nomoledger.game.period_start import period_start
from nomoledger.language.values import from_units
from nomoledger.ledger.history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.sandbox.child import Limits
from nomoledger.sandbox.worker import stream_from_worker
from nomoledger.state.world import World


class RulesDifference(msgspec.Struct, frozen=True):
    """Something about *subject* that would have come out otherwise: *what*, and both values."""

    subject: str
    what: str
    recorded: Any
    by_rules: Any


class RulesOnlyReport(msgspec.Struct, frozen=True):
    """What following the rules from *period* on comes to.

    *noted* counts the facts that then differ; *otherwise* lists what differs in the end.
    """

    game: str
    period: int
    noted: int
    otherwise: tuple[RulesDifference, ...]


def replay_by_rules(
    ledger: Ledger, game: str, period: int, *, limits: Limits | None = None
) -> RulesOnlyReport:
    """Follow the rules of *game* from *period* to its end, and compare with how it stands.

    Raises:
        UnknownError: that period has not begun.
        RuleFault: rule code failed.
    """
    history = History(ledger, game)
    start = period_start(history, period)
    bodies = [entry.body for entry in start.entries]
    engine = start.engine(history, follows_record=False)
    now = history.world()

    def pieces() -> Iterator[bytes]:
        noted = 0
        for made in _run(engine, bodies):
            noted += sum(isinstance(event, e.RecordPrevailed) for event in made)
            yield b""  # the limits are those of one batch, not of the whole run
        otherwise = tuple(differences(now, engine.world))
        yield msgspec.msgpack.encode(RulesOnlyReport(game, period, noted, otherwise))

    *_, piece = stream_from_worker(pieces, limits)
    return msgspec.msgpack.decode(piece, type=RulesOnlyReport)


def _run(engine: Engine, bodies: list[e.Event]) -> Iterator[Batch]:
    for place, body in enumerate(bodies):
        if isinstance(body, e.Input):
            yield from replay_input(engine, bodies, place)


def differences(recorded_world: World, by_rules: World) -> Iterator[RulesDifference]:
    """What is so of players and squares in one world and not in the other."""
    for kind in ("player", "square"):
        both = dict.fromkeys((*recorded_world.kinds.get(kind, ()), *by_rules.kinds.get(kind, ())))
        for thing in both:
            yield from _differences(recorded_world, by_rules, kind, thing)


def _differences(one: World, other: World, kind: str, thing: str) -> Iterator[RulesDifference]:
    subject = str(one.label(thing))
    subject = f"{kind} {subject}" if kind == "square" else subject
    first, second = _said(one, kind, thing), _said(other, kind, thing)
    for what in dict.fromkeys((*first, *second)):
        if first.get(what) != second.get(what):
            yield RulesDifference(subject, what, first.get(what), second.get(what))


def _said(world: World, kind: str, thing: str) -> dict[str, Any]:
    """The attributes and holdings of *thing*, as people write them."""
    said = {
        name: value if isinstance(value, list) else world.label(value)
        for name, value in world.attributes.get(thing, {}).items()
        if name in world.declared(kind)
    }
    places = {name: each.places for name, each in world.commodities().items()}
    for commodity, units in world.balances.get(thing, {}).items():
        said[commodity] = from_units(units, places.get(commodity, 0))
    return said
