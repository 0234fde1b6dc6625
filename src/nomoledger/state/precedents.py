"""What answers of the admin mean for later questions: which rule prevails, what was said before."""

from nomoledger import events as e
from nomoledger.state.world import Table, World


def answered(world: World, event: e.RulingMade) -> None:
    """What the answer to a question means for the next such question."""
    question = world.questions.get(str(event.question))
    if question is None:
        return
    if question.asks == "conflict":
        for loser in question.options:
            if loser != event.value:
                world.put(world.edges, f"{event.value}>{loser}", event.number)
    elif event.scope != "attempt":
        held = {"value": event.value, "scope": event.scope, "ruling": event.number}
        held |= {"period": event.period, "rule": (*question.rules, "")[0]}
        world.put(world.precedents, question.text, held)


def end_precedents(world: World, rulings: tuple[int, ...]) -> None:
    """What *rulings* said about later questions is gone."""
    for edge in [edge for edge, number in world.edges.items() if number in rulings]:
        world.drop(world.edges, edge)
    for key in [key for key, held in world.precedents.items() if held["ruling"] in rulings]:
        world.drop(world.precedents, key)


def of_period(world: World) -> dict[str, Table]:
    """Return the precedents that hold until the open period closes, by question."""
    held = world.precedents.items()
    return {key: dict(precedent) for key, precedent in held if precedent["scope"] == "period"}


def period_over(world: World) -> None:
    """Drop the precedents that hold until the open period closes."""
    for key in of_period(world):
        world.drop(world.precedents, key)
