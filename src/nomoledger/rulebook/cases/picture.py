"""How things stand, as people would write it down."""

from typing import Any

import msgspec

from nomoledger.language.program import link
from nomoledger.language.values import from_units
from nomoledger.rulebook.cases.query import labelled
from nomoledger.state.world import World

PictureRow = dict[str, Any]


class Picture(msgspec.Struct, frozen=True):
    """What is so of each player and square: their attributes, and for players `money`, `items`."""

    players: dict[str, PictureRow]
    squares: dict[str, PictureRow]


def picture(world: World) -> Picture:
    """The picture of *world* as it stands."""
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
    money = link(world.rules).money
    items = {name: each for name, each in held.items() if name != money and each}
    return {"money": held.get(money, 0), "items": items}


def holdings(world: World, account: str) -> PictureRow:
    """What is in *account*, by commodity, as amounts that people speak of."""
    commodities = link(world.rules).commodities
    return {
        name: from_units(world.balance(account, name), each.places)
        for name, each in commodities.items()
    }
