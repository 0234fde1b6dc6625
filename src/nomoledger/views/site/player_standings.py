"""The rows of the standings by player, also where several players have one name."""

from collections.abc import Iterable, Iterator
from typing import Any

from nomoledger.game.read_models import WorldView, projection
from nomoledger.language.values import Number
from nomoledger.prose.labels import amount_held
from nomoledger.state.world import World


def standings_in(world: World) -> dict[str, Any]:
    """Return the row of the standings of each player in *world*, the first rank first."""
    model: Any = projection("standings")(WorldView(world, None))
    return dict(by_player(world, model.standings))


def by_player(world: World, rows: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Yield each player of *world* with a row of the standings, in the order of *rows*.

    Rules can give several players one name. Their rows are in the order of their money, too.
    """
    wealth = {player: money_of(world, player) for player in world.kinds.get("player", ())}
    called: dict[str, list[str]] = {}
    for player in sorted(wealth, key=lambda player: -wealth[player]):
        called.setdefault(str(world.label(player)), []).append(player)
    for row in rows:
        alike = called.get(row.player)
        yield alike.pop(0) if alike else row.player, row


def money_of(world: World, player: str) -> Number:
    """Return how much of the money of the game *player* has; 0 in a game without money."""
    money = next(iter(world.commodities()), None)
    return 0 if money is None else amount_held(world, player, money)
