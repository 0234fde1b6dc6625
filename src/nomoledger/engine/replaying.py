"""Recorded inputs, carried out again."""

from collections.abc import Iterator, Sequence

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.state.reducer import apply


def replay_input(
    engine: Engine, bodies: Sequence[e.Event], place: int = 0
) -> Iterator[list[e.Event]]:
    """What follows, again, from the input at *place* among *bodies*."""
    event = bodies[place]
    assert isinstance(event, e.Input)
    if isinstance(event, e.GameOpened):
        return replay_opening(engine, bodies[place:])
    return engine.take(event)


def replay_opening(engine: Engine, bodies: Sequence[e.Event]) -> Iterator[list[e.Event]]:
    """The opening that *bodies* begin with, again.

    The rules of the rulebook are taken as recorded: they are what the game began with.
    """
    given = [bodies[0]]
    for body in bodies[1:]:
        if not (isinstance(body, e.RuleEnacted) and body.source == "rulebook"):
            break
        given.append(body)
    for body in given:
        apply(engine.world, body)
    yield given
    yield from engine.run()
