"""The state of players and squares in the notation of cases."""

from typing import Any

import msgspec

from nomoledger.language.program import link
from nomoledger.language.values import from_units
from nomoledger.rulebook.cases.query import labelled
from nomoledger.state.world import World

PictureRow = dict[str, Any]


class Picture(msgspec.Struct, frozen=True):
    """The attributes of each player and square, and the `money` and `items` of players."""

    players: dict[str, PictureRow]
    squares: dict[str, PictureRow]


def picture(world: World) -> Picture:
    """Return the picture of *world*."""
    players = {
        str(world.label(player)): _attributes(world, player) | _holdings(world, player)
        for player in world.kinds.get("player", ())
    }
    squares = {
        str(world.label(square)): _attributes(world, square)
        for square in world.kinds.get("square", ())
    }
    return Picture(players, squares)


def _attributes(world: World, entity: str) -> PictureRow:
    return {name: labelled(world, value) for name, value in world.attributes[entity].items()}


def _holdings(world: World, account: str) -> PictureRow:
    held = holdings(world, account)
    money = link(world.ruleset).money
    items = {name: amount for name, amount in held.items() if name != money and amount}
    return {"money": held.get(money, 0), "items": items}


def holdings(world: World, account: str) -> PictureRow:
    """Return the balance of *account* for each commodity, in units with decimals."""
    commodities = link(world.ruleset).commodities
    return {
        name: from_units(world.balance(account, name), commodity.places)
        for name, commodity in commodities.items()
    }
