"""Explanations of absence: why something did not happen.

The reasons are a guard that refused, a hook that stepped in, a value that was nothing, or what a
rule read before it went no further.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.explanation.rendering import ExplanationLine, ExplanationWriter
from nomoledger.game.explanation.traced_run import TracedRun
from nomoledger.game.period_start import period_start
from nomoledger.intake.nearest import meant
from nomoledger.language.tracing import TraceNode
from nomoledger.ledger.event_history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.sandbox.limits import AGAIN, Limits
from nomoledger.sandbox.sandbox import stream_from_sandbox
from nomoledger.state.world import World


class Absence(msgspec.Struct, frozen=True):
    """Why an operation did not happen.

    Attributes:
        operation: the operation.
        about: the player or square.
        period: the period.
        lines: the reasons, as indented lines.
    """

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
    """Explain why *operation* did not happen for *about* (a player, or a square by number).

    Raises:
        UnknownError: no rule of that period refers to the operation, or there is no such period.
        RuleFault: rule code failed when it was run again.
    """
    history = History(ledger, game)
    start = period_start(history, period)
    bodies, entries = list(start.bodies), history.entries()
    arguments = (start.world, entries, ledger.secret(game), bodies, operation, about)
    *_, piece = stream_from_sandbox(_explain, *arguments, limits=limits or AGAIN)
    lines = msgspec.msgpack.decode(piece, type=list[str])
    if not lines:
        lines = [f"nothing in period {period} that could lead to {operation} involved {about}"]
    return Absence(operation, about, period, tuple(lines))


def _explain(
    world: World,
    entries: list[e.Entry],
    secret: bytes,
    bodies: list[e.Event],
    operation: str,
    about: str,
) -> Iterator[bytes]:
    _check_about(world, bodies, about)
    run, blocks = TracedRun(world, entries, secret, entries), dict[tuple[str, ...], None]()
    for batch_blocks in _blocks(run, bodies, operation, about):
        blocks.update(dict.fromkeys(batch_blocks))
        yield b""  # The limits apply to one batch, not to a whole period.
    yield msgspec.msgpack.encode([line for block in blocks for line in block])


def _blocks(
    run: TracedRun, bodies: list[e.Event], operation: str, about: str
) -> Iterator[list[tuple[str, ...]]]:
    """Yield the explanations of each batch, in blocks of lines."""
    known, names = False, set[str]()
    for place, body in enumerate(bodies):
        if not isinstance(body, e.Input):
            continue
        for attempt in run.take(bodies, place):
            blocks = []
            for program, tree in attempt.trees:
                known = known or operation in program.links.operations
                names.update(program.links.operations)
                writer = ExplanationWriter(program, attempt.names)
                explanations = _about(writer, tree, operation, about)
                blocks += [tuple(map(str, lines)) for lines in explanations]
            yield blocks
    if not known:
        near = meant(operation, names)
        raise UnknownError(f"no rule of that period refers to {operation!r}{near}")


def _check_about(world: World, bodies: list[e.Event], about: str) -> None:
    """Check that something is called *about* in *world*, or comes to be in the period of *bodies*.

    Raises:
        UnknownError: nothing is.
    """
    created = [body for body in bodies if isinstance(body, e.EntityCreated)]
    changed = [body.value for body in bodies if isinstance(body, e.AttributeSet)]
    values = [value for body in created for value in body.attributes.values()]
    accounts = {*world.balances, *(name for rule in world.rules for name in rule.accounts)}
    things = (*world.entities, *(body.entity for body in created))
    labels = [str(world.label(thing)) for thing in world.entities]
    texts = (each for each in (*changed, *values) if isinstance(each, str | int))
    called = {str(each) for each in (*things, *labels, *texts, *accounts)}
    if about not in called:
        near = meant(about, (*things, *labels))
        raise UnknownError(f"nothing in that period is called {about!r}{near}")


def _about(
    writer: ExplanationWriter, root: TraceNode, operation: str, about: str
) -> Iterator[Iterator[ExplanationLine]]:
    nodes = [node for node in root.nodes if about in _subjects(writer, node)]
    asked = [node for node in nodes if node.operation == operation]
    for node in asked:
        yield writer.outcome(node)
    if asked:
        return
    callers = {
        number
        for number, code in writer.program.links.codes.items()
        if any(call.name == operation for call in code.calls)
    }
    for node in nodes:
        for rule in sorted({note.rule for note in node.notes("before", "after")} & callers):
            yield writer.hook_without_effect(node, rule)


def _subjects(writer: ExplanationWriter, node: TraceNode) -> set[Any]:
    label = writer.names.world.label
    return {str(label(argument)) for argument in node.arguments if isinstance(argument, str)}
