"""Precedents: what the admin's answers mean for later questions."""

from nomoledger import events as e
from nomoledger.state.world import Table, World


def add_precedent(world: World, event: e.RulingMade) -> None:
    """Record what the answer to a question means for later questions like it."""
    question = world.questions.get(str(event.question))
    if question is None:
        return
    if question.asks == "conflict":
        for loser in question.options:
            if loser != event.value:
                world.put(world.edges, f"{event.value}>{loser}", event.number)
    elif event.scope != "attempt":
        precedent = {"value": event.value, "scope": event.scope, "ruling": event.number}
        precedent |= {"period": event.period, "rule": (*question.rules, "")[0]}
        world.put(world.precedents, question.text, precedent)


def end_precedents(world: World, rulings: tuple[int, ...]) -> None:
    """Drop the precedents that *rulings* set."""
    for edge in [edge for edge, number in world.edges.items() if number in rulings]:
        world.drop(world.edges, edge)
    for key in [
        key for key, precedent in world.precedents.items() if precedent["ruling"] in rulings
    ]:
        world.drop(world.precedents, key)


def of_period(world: World) -> dict[str, Table]:
    """Return the precedents that end with the open period, by question."""
    precedents = world.precedents.items()
    return {key: dict(precedent) for key, precedent in precedents if precedent["scope"] == "period"}


def end_period_precedents(world: World) -> None:
    """Drop the precedents that end with the open period."""
    for key in of_period(world):
        world.drop(world.precedents, key)
