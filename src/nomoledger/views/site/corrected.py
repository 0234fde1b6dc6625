"""What later rulings made of a week: its standings as they are known now."""

from typing import Any

import msgspec

from nomoledger.game.read_models import WorldView, projection
from nomoledger.state.bitemporal import rulings_that_corrected, world_as_known
from nomoledger.state.world import World


class Corrected(msgspec.Struct, frozen=True):
    """The *rulings* that corrected a period, and its *standings* as they are known now."""

    rulings: tuple[int, ...]
    standings: tuple[Any, ...]


def corrected_in(world: World) -> dict[int, Corrected]:
    """The periods that were corrected, as far as is known in *world*."""
    return {
        period: Corrected(rulings_that_corrected(world, period), _standings(world, period))
        for period in world.past
        if rulings_that_corrected(world, period)
    }


def _standings(world: World, period: int) -> tuple[Any, ...]:
    model: Any = projection("standings")(WorldView(world_as_known(world, world, period), None))
    return tuple(model.standings)
