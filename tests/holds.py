"""What holds for every recorded game (design, section 14), as checks on its ledger."""

from collections.abc import Sequence

from nomoledger import events as e
from nomoledger.game.replay import replay
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

#: What ends a transaction.
ENDS = (e.AttemptDone, e.AttemptRefused, e.QuestionRaised, e.PeriodClosed)


def bodies(ledger: Ledger, game: str = "game") -> list[e.Event]:
    """All events of *game*."""
    return [entry.body for entry in ledger.read(game)]


def transactions(found: Sequence[e.Event]) -> list[int]:
    """Numbers of the events that end a transaction."""
    ends = [number for number, body in enumerate(found) if isinstance(body, ENDS)]
    closes = [n - 1 for n in ends if isinstance(found[n], e.PeriodClosed)]
    return [number for number in ends if number not in closes]


def check_books(found: Sequence[e.Event]) -> World:
    """Every commodity sums to zero after every event; gives the state after the last."""
    world = World()
    for body in found:
        apply(world, body)
        for commodity in world.commodities():
            assert sum(table.get(commodity, 0) for table in world.balances.values()) == 0
    return world


def check_causes(found: Sequence[e.Event], opening: int) -> None:
    """Every consequence names rules in force, and a cause that leads back to an input.

    *opening* is how many of the first events open the game.
    """
    ends, world, in_force = set(transactions(found)), World(), set[str]()
    for number, body in enumerate(found):
        if not isinstance(body, e.Input):
            assert body.rules, body
            assert all(_is_known(world, in_force, name) for name in body.rules), body
            assert _leads_to_input(found, number)
        apply(world, body)
        if number in ends or number < opening:
            in_force = {rule.name for rule in world.rules}


def check_whole(ledger: Ledger, game: str = "game") -> None:
    """Nothing is altered or half done; the state is the fold; played again, all comes out."""
    verdict = ledger.verify(game)
    assert verdict.ok, verdict
    found = bodies(ledger, game)
    world = check_books(found)
    assert world.waiting is not None or not world.agenda, found[-3:]
    assert world.digest() == world_of(ledger, game).digest()
    assert replay(ledger, game).divergences == ()


def _is_known(world: World, in_force: set[str], name: str) -> bool:
    kind, _, number = name.partition(":")
    if kind == "ruling":
        return int(number) <= int(world.game.get("rulings", 0))
    return name in ("engine", "record") or name in in_force


def _leads_to_input(found: Sequence[e.Event], number: int) -> bool:
    while not isinstance(found[number], e.Input):
        cause = found[number].cause
        if cause is None or not cause < number:
            return False
        number = cause
    return True
