"""Standing orders as forms make them: several actions, a guard, and a place of an older order."""

from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.form_arguments import arguments_in
from nomoledger.game.game import Game
from nomoledger.game.writer import Outcome


class OrderStep(msgspec.Struct, frozen=True):
    """An action of an order, with the texts *given* in its form."""

    action: str
    given: dict[str, list[str]]


class WrittenOrder(msgspec.Struct, frozen=True):
    """An order as its player can change it: its statements, and its actions as *steps*."""

    when: str
    holds: str
    steps: tuple[OrderStep, ...]


class WrittenOrders(msgspec.Struct, frozen=True):
    """The orders of a player that ask for actions, by id; *period* is the open one."""

    orders: dict[str, WrittenOrder]
    period: int


def written_orders(game: Game, player: str) -> WrittenOrders:
    """Return the standing orders of *player*, for the form that changes them."""
    found = {
        order.id: WrittenOrder(order.when, order.holds, tuple(map(_step, order.acts)))
        for order, _ in game.world.orders.values()
        if order.by == game.player(player) and order.acts
    }
    return WrittenOrders(found, game.world.period)


def _step(act: e.Act) -> OrderStep:
    return OrderStep(act.action, {name: _texts(value) for name, value in act.arguments.items()})


def _texts(value: Any) -> list[str]:
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    return [str(each) for each in value] if isinstance(value, list | tuple) else [str(value)]


def place_order(
    game: Game, player: str, when: str, holds: str, steps: list[OrderStep], replaces: str,
    *, id: str, **fields: Any,
) -> Outcome:  # fmt: skip
    """Place an order of *player* that asks for *steps* once *when* is true, as a whole.

    The order *replaces* is cancelled first, if it still stands; "" is none. Nothing is cancelled if
    the new order makes no sense.

    Raises:
        UsageError, UnknownError: a statement or an action makes no sense.
    """
    game.catch_up()
    return place_acts(game, player, when, holds, _acts(game, steps), replaces, id=id, **fields)


def place_acts(
    game: Game, player: str, when: str, holds: str, acts: tuple[e.Act, ...], replaces: str,
    *, id: str, **fields: Any,
) -> Outcome:  # fmt: skip
    """Do what `place_order` does, with *acts* whose arguments have the types of the rules."""
    if game.again(id) is None:  # The request itself finds out whether the same order is sent again.
        game.check_order(player, when, holds, acts)
        old, _ = game.world.orders.get(replaces, (None, None))
        if old is not None and old.by == game.player(player):
            game.cancel_order(player, replaces, id=f"{id}-replaces", **fields)
    return game.order(player, when, acts, holds=holds, id=id, **fields)


def check_written(game: Game, player: str, when: str, holds: str, steps: list[OrderStep]) -> int:
    """Check an order before it is placed, and return how many actions it has.

    Raises:
        UsageError, UnknownError: a statement or an action makes no sense.
    """
    acts = _acts(game, steps)
    game.check_order(player, when, holds, acts)
    return len(acts)


def _acts(game: Game, steps: list[OrderStep]) -> tuple[e.Act, ...]:
    given = [(s.action, game.engine.ask(arguments_in, s.action, s.given, kind=dict)) for s in steps]
    return tuple(e.Act(action, arguments) for action, arguments in given)
