"""Standing orders: requests that a player makes ahead, to be carried out on a condition.

The engine looks at standing orders between attempts: before the first attempt of a request, after
each one that follows from the request, and while a question waits for an answer. What follows a
close belongs to the new period, in the record and in a replay.

An order is carried out, whole or not at all, as soon as the statement `when` is true. It lapses as
soon as the statement `holds` is false. Where several orders are ready, the rules decide whose comes
first (the value `choice_order`, a list of players). Otherwise the oldest order comes first.
"""

from collections import Counter

from nomoledger import events as e
from nomoledger.engine.statements import Statement
from nomoledger.engine.steps import ORDER
from nomoledger.errors import RuleFault
from nomoledger.language.host import Refused, Suspended
from nomoledger.language.program import Program
from nomoledger.sandbox import inside
from nomoledger.state import shares
from nomoledger.state.world import Attempt, World

CHOICE_ORDER = "choice_order"
#: How the reason begins why an order lapses whose statement fails.
FAILED_IN = "the code of a rule failed in"
#: How many standing orders a player can have. The engine lets further orders lapse.
ORDERS_MAX = 50


def process_orders(world: World, program: Program, *, but: str = "") -> list[e.Event]:
    """Fire or lapse the first standing order that is ready; return the events, if any.

    An order lapses if its statements fail, so that it never blocks what others ask for. The order
    with the id *but* is left alone.
    """
    orders = [item for item in _oldest_first(world) if item[0].id != but]
    count: Counter[str] = Counter()
    for order, number in orders:
        inside.notice_step(f"{ORDER} {order.id}")
        count[order.by] += 1
        why = _reason_to_lapse(order, world, program)
        if shares.adds_up(world) and count[order.by] > ORDERS_MAX:
            why = f"a player can have at most {ORDERS_MAX} standing orders"
        if why:
            return _lapse(program, world, order, number, why)
    for order, number in _in_turn(orders, world, program):
        question = _answered_question(world, order)
        can_proceed = world.waiting is None if order.acts else question is not None
        if not can_proceed:
            continue
        inside.notice_step(f"{ORDER} {order.id}")
        is_ready = _holds(order.when, world, program)
        if is_ready is None:
            return _lapse(program, world, order, number, _failed(order.when))
        if is_ready:
            _begin(program, world, order, number)
            program.host.emit(e.OrderFired, order=order.id, question=question)
            return program.host.staged
    return []


def _reason_to_lapse(order: e.OrderGiven, world: World, program: Program) -> str:
    """Return why *order* lapses whether or not it is ready; "" if it stands."""
    if not order.holds:
        return ""
    holds = _holds(order.holds, world, program)
    if holds is None:
        return _failed(order.holds)
    return "" if holds else f"{order.holds} is no longer so"


def _failed(statement: str) -> str:
    return f"{FAILED_IN} {statement}"


def _lapse(
    program: Program, world: World, order: e.OrderGiven, number: int, why: str
) -> list[e.Event]:
    _begin(program, world, order, number)
    program.host.emit(e.OrderLapsed, order=order.id, why=why)
    return program.host.staged


def _holds(statement: str, world: World, program: Program) -> bool | None:
    """Return whether *statement* is true; None if it fails, or the code of a rule in it."""
    try:
        return Statement(statement).holds(world, program)
    except RuleFault as fault:
        if _blocks(fault, world):
            raise
        return None
    except MemoryError:
        raise
    except Exception:  # Whatever is in a statement, `-ended()` as well: only its order ends.
        return None


def _blocks(fault: RuleFault, world: World) -> bool:
    """Return whether *fault* ends the request, instead of only what it concerns."""
    return world.forgets_rules or not fault.is_certain


def _begin(program: Program, world: World, order: e.OrderGiven, number: int) -> None:
    """Prepare the host to emit an event about *order*."""
    at, audience = world.game["now"], order.audience
    attempt = Attempt(
        id=order.id, operation="", by=order.by, cause=number, at=at, audience=audience
    )
    program.host.begin(world, attempt)


def _in_turn(
    orders: list[tuple[e.OrderGiven, int]], world: World, program: Program
) -> list[tuple[e.OrderGiven, int]]:
    """Return *orders* with their numbers, in the players' order by the rules."""
    if orders:
        inside.notice_step(f"{ORDER} {orders[0][0].id}")
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
    except RuleFault as fault:
        if _blocks(fault, world):
            raise
        return []


def _answered_question(world: World, order: e.OrderGiven) -> str | None:
    """Return the address of the open question if *order* answers it, else None."""
    question = world.waiting
    if order.acts or question is None or question.to != order.by:
        return None
    is_option = not question.options or order.answer in question.options
    return question.question if is_option and question.asks == "choice" else None
