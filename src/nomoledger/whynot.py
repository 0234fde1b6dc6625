"""Says why something did not happen: the guard that refused, the hook that stepped in, the value
that came to nothing, or what the rule saw that might have led there."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine import Engine
from nomoledger.errors import UnknownError
from nomoledger.fence import Limits
from nomoledger.ledger import Ledger
from nomoledger.replay import engine_at, events_of, taken
from nomoledger.rules.trace import Node, TracedProgram, TracingHost, traced
from nomoledger.trails import Teller
from nomoledger.work import found
from nomoledger.world import World


class Absence(msgspec.Struct, frozen=True):
    """Why *operation* did not come about for *about* in *period*, in lines."""

    operation: str
    about: str
    period: int
    lines: tuple[str, ...]


def why_not(
    ledger: Ledger,
    game: str,
    operation: str,
    about: str,
    period: int,
    *,
    limits: Limits | None = None,
) -> Absence:
    """Why *operation* of the rules did not happen for *about* (a player, or a square by number).

    Raises:
        UnknownError: no rule of that period speaks of the operation, or there is no such period.
        RuleFault: rule code failed when it was run again.
    """
    first, bodies = events_of(ledger, game, period)
    engine = engine_at(ledger, game, first, link=traced)
    told = found(lambda: list(_blocks(engine, bodies, operation, about)), list[list[str]], limits)
    lines = [line for block in dict.fromkeys(map(tuple, told)) for line in block]
    if not lines:
        lines = [f"nothing in period {period} that might have led to {operation} was about {about}"]
    return Absence(operation, about, period, tuple(lines))


def _blocks(
    engine: Engine, bodies: list[e.Event], operation: str, about: str
) -> Iterator[list[str]]:
    known = False
    for place, body in enumerate(bodies):
        if not isinstance(body, e.Input):
            continue
        for _ in taken(engine, bodies, place):
            program = engine.link(engine.world.rules)
            assert isinstance(program, TracedProgram)
            known = known or operation in program.links.operations
            host = program.host
            assert isinstance(host, TracingHost)
            for root in host.roots:
                yield from _about(program, engine.world, root, operation, about)
            host.roots.clear()
    if not known:
        raise UnknownError(f"no rule of that period speaks of {operation!r}")


def _about(
    program: TracedProgram, world: World, root: Node, operation: str, about: str
) -> Iterator[list[str]]:
    nodes = [node for node in root.nodes if about in _subjects(world, node)]
    asked = [node for node in nodes if node.operation == operation]
    for node in asked:
        yield list(Teller(program, world).outcome(node))
    if asked:
        return
    callers = {
        number
        for number, code in program.links.codes.items()
        if any(call.name == operation for call in code.calls)
    }
    for node in nodes:
        for rule in sorted({note.rule for note in node.notes("before", "after")} & callers):
            yield list(Teller(program, world).passed_by(node, rule))


def _subjects(world: World, node: Node) -> set[Any]:
    return {str(world.label(each)) for each in node.arguments if isinstance(each, str)}
