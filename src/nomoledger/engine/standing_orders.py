"""Standing orders: requests that a player makes ahead, to be carried out on a condition.

The engine checks standing orders between attempts. An order is carried out, whole or not at all, as
soon as the statement `when` is true. It lapses as soon as the statement `holds` is false. Where
several orders are ready, the rules decide whose comes first (the value `choice_order`, a list of
players). Otherwise the oldest order comes first.
"""

from nomoledger import events as e
from nomoledger.engine.statements import Statement
from nomoledger.language.host import Refused, Suspended
from nomoledger.language.program import Program
from nomoledger.state.world import Attempt, World

CHOICE_ORDER = "choice_order"


def process_orders(world: World, program: Program) -> list[e.Event]:
    """Fire or lapse the first standing order that is ready; return the events, if any."""
    for order, number in _oldest_first(world):
        if order.holds and not Statement(order.holds).holds(world, program):
            _begin(program, world, order, number)
            why = f"{order.holds} is no longer so"
            program.host.emit(e.OrderLapsed, order=order.id, why=why)
            return program.host.staged
    for order, number in _orders_in_turn(world, program):
        question = _answered_question(world, order)
        can_proceed = world.waiting is None if order.acts else question is not None
        if can_proceed and Statement(order.when).holds(world, program):
            _begin(program, world, order, number)
            program.host.emit(e.OrderFired, order=order.id, question=question)
            return program.host.staged
    return []


def _begin(program: Program, world: World, order: e.OrderGiven, number: int) -> None:
    """Prepare the host to emit an event about *order*."""
    at, audience = world.game["now"], order.audience
    attempt = Attempt(
        id=order.id, operation="", by=order.by, cause=number, at=at, audience=audience
    )
    program.host.begin(world, attempt)


def _orders_in_turn(world: World, program: Program) -> list[tuple[e.OrderGiven, int]]:
    """Return all standing orders with their numbers, in the players' order by the rules."""
    orders = _oldest_first(world)
    players = _players_in_turn(world, program) if len(orders) > 1 else []
    places = {player: place for place, player in enumerate(players)}
    return sorted(orders, key=lambda item: places.get(item[0].by, len(places)))


def _oldest_first(world: World) -> list[tuple[e.OrderGiven, int]]:
    """Return all standing orders with their numbers; a rollback may have mixed the table up."""
    return sorted(world.orders.values(), key=lambda item: item[1])


def _players_in_turn(world: World, program: Program) -> list[str]:
    operation = program.links.operations.get(CHOICE_ORDER)
    if operation is None or not operation.definitions:
        return []
    query = Attempt(id="query", operation=CHOICE_ORDER, at=world.game["now"])
    program.host.begin(world, query)
    try:
        return list(program.call(CHOICE_ORDER))
    except (Refused, Suspended):
        return []


def _answered_question(world: World, order: e.OrderGiven) -> str | None:
    """Return the address of the open question if *order* answers it, else None."""
    question = world.waiting
    if order.acts or question is None or question.to != order.by:
        return None
    is_option = not question.options or order.answer in question.options
    return question.question if is_option and question.asks == "choice" else None
