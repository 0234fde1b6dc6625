"""Replay of recorded inputs."""

from collections.abc import Iterator, Sequence
from itertools import islice

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.state.reducer import apply


def replay_input(
    engine: Engine, bodies: Sequence[e.Event], place: int = 0
) -> Iterator[list[e.Event]]:
    """Carry out the input at *place* in *bodies* again, and yield the batches that follow."""
    event = bodies[place]
    assert isinstance(event, e.Input)
    engine.failing = next_failed_step(bodies, place)
    if isinstance(event, e.GameOpened):
        return replay_opening(engine, bodies[place:])
    return engine.process(event)


def next_failed_step(bodies: Sequence[e.Event], place: int) -> e.StepFailed | None:
    """Return the failed step that is recorded directly after the input at *place*, if any."""
    following = (body for body in islice(bodies, place + 1, None) if isinstance(body, e.Input))
    body = next(following, None)
    return body if isinstance(body, e.StepFailed) else None


def replay_opening(engine: Engine, bodies: Sequence[e.Event]) -> Iterator[list[e.Event]]:
    """Carry out the opening of the game again, which *bodies* begin with.

    The rulebook, its rules and its cases, is applied as recorded: the game began with it.
    """
    opening = [bodies[0]]
    for body in bodies[1:]:
        is_rule = isinstance(body, e.RuleEnacted) and body.source == "rulebook"
        if not (is_rule or isinstance(body, e.CasesCopied)):
            break
        opening.append(body)
    for body in opening:
        apply(engine.world, body)
    yield opening
    yield from engine.run()
