"""Standing orders: what a player asks for ahead of time, to be done as soon as something is so.

They are looked at between attempts. An order lapses as soon as what it rests on is not so; it is
carried out, whole or not at all, as soon as what it waits for is. Where several could be carried
out at once, the rules say whose turn it is (the value `choice_order`, a list of players); where
they do not, the order in which they were given decides.
"""

from nomoledger import events as e
from nomoledger.engine.statements import Statement
from nomoledger.language.host import Refused, Suspended
from nomoledger.language.program import Program
from nomoledger.state.world import Attempt, World

CHOICE_ORDER = "choice_order"


def process_orders(world: World, program: Program) -> list[e.Event]:
    """What becomes of the first standing order that lapses or is to be carried out, if one is."""
    for order, number in list(world.orders.values()):
        if order.holds and not Statement(order.holds).holds(world, program):
            begin(program, world, order, number)
            why = f"{order.holds} is no longer so"
            program.host.emit(e.OrderLapsed, order=order.id, why=why)
            return program.host.staged
    for order, number in _in_turn(world, program):
        question = _question(world, order)
        is_free = world.waiting is None if order.acts else question is not None
        if is_free and Statement(order.when).holds(world, program):
            begin(program, world, order, number)
            program.host.emit(e.OrderFired, order=order.id, question=question)
            return program.host.staged
    return []


def begin(program: Program, world: World, order: e.OrderGiven, number: int) -> None:
    """Get the host ready to note something about *order*."""
    at, seen_by = world.game["now"], order.audience
    noted = Attempt(id=order.id, operation="", by=order.by, cause=number, at=at, audience=seen_by)
    program.host.begin(world, noted)


def _in_turn(world: World, program: Program) -> list[tuple[e.OrderGiven, int]]:
    """All standing orders, those first whose choice comes first by the rules."""
    orders = list(world.orders.values())
    players = _players_in_turn(world, program) if len(orders) > 1 else []
    places = {player: place for place, player in enumerate(players)}
    return sorted(orders, key=lambda each: places.get(each[0].by, len(places)))


def _players_in_turn(world: World, program: Program) -> list[str]:
    if CHOICE_ORDER not in program.links.operations:
        return []
    asking = Attempt(id="query", operation=CHOICE_ORDER, at=world.game["now"])
    program.host.begin(world, asking)
    try:
        return list(program.call(CHOICE_ORDER))
    except (Refused, Suspended):
        return []


def _question(world: World, order: e.OrderGiven) -> str | None:
    """The address of the question that *order* answers, if it is the one that is open."""
    question = world.waiting
    if order.acts or question is None or question.to != order.by:
        return None
    fits = not question.options or order.answer in question.options
    return question.question if fits and question.asks == "choice" else None
