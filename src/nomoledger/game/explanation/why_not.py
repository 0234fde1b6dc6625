"""Says why something did not happen: the guard that refused, the hook that stepped in, the value
that came to nothing, or what the rule saw that might have led there."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.explanation.rendering import ExplanationLine, ExplanationWriter
from nomoledger.game.explanation.traced_run import TracedRun
from nomoledger.game.period_start import period_start
from nomoledger.language.tracing import Node
from nomoledger.ledger.history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.sandbox.child import Limits
from nomoledger.sandbox.worker import stream_from_worker


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
    history = History(ledger, game)
    start = period_start(history, period)
    bodies, entries = list(start.bodies), history.entries()
    workings = TracedRun(start.world, entries, ledger.secret(game), entries)

    def pieces() -> Iterator[bytes]:
        blocks = dict[tuple[str, ...], None]()
        for found in _blocks(workings, bodies, operation, about):
            blocks.update(dict.fromkeys(found))
            yield b""  # the limits are those of one batch, not of a whole period
        yield msgspec.msgpack.encode([line for block in blocks for line in block])

    *_, piece = stream_from_worker(pieces, limits)
    lines = msgspec.msgpack.decode(piece, type=list[str])
    if not lines:
        lines = [f"nothing in period {period} that might have led to {operation} was about {about}"]
    return Absence(operation, about, period, tuple(lines))


def _blocks(
    workings: TracedRun, bodies: list[e.Event], operation: str, about: str
) -> Iterator[list[tuple[str, ...]]]:
    """Batch by batch, what there is to say of it, in blocks of lines."""
    known = False
    for place, body in enumerate(bodies):
        if not isinstance(body, e.Input):
            continue
        for working in workings.take(bodies, place):
            blocks = []
            for program, tree in working.trees:
                known = known or operation in program.links.operations
                teller = ExplanationWriter(program, working.names)
                blocks += [tuple(map(str, each)) for each in _about(teller, tree, operation, about)]
            yield blocks
    if not known:
        raise UnknownError(f"no rule of that period speaks of {operation!r}")


def _about(
    teller: ExplanationWriter, root: Node, operation: str, about: str
) -> Iterator[Iterator[ExplanationLine]]:
    nodes = [node for node in root.nodes if about in _subjects(teller, node)]
    asked = [node for node in nodes if node.operation == operation]
    for node in asked:
        yield teller.outcome(node)
    if asked:
        return
    callers = {
        number
        for number, code in teller.program.links.codes.items()
        if any(call.name == operation for call in code.calls)
    }
    for node in nodes:
        for rule in sorted({note.rule for note in node.notes("before", "after")} & callers):
            yield teller.passed_by(node, rule)


def _subjects(teller: ExplanationWriter, node: Node) -> set[Any]:
    label = teller.names.world.label
    return {str(label(each)) for each in node.arguments if isinstance(each, str)}
