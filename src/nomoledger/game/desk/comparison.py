"""Two states of a game side by side: who stands where, who owns what, money, and all else."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger.game.read_models import WorldView, projection
from nomoledger.game.rules_only_replay import RulesDifference, differences
from nomoledger.language.values import from_units
from nomoledger.prose.labels import format_cell
from nomoledger.prose.names import plain
from nomoledger.state.world import World


class PlaceBeside(msgspec.Struct, frozen=True):
    """A player's rank and money, *before* and *after*; "" where the player is absent."""

    player: str
    rank_before: str
    rank_after: str
    before: str
    after: str

    @property
    def differs(self) -> bool:
        """Whether rank or money differ."""
        return (self.rank_before, self.before) != (self.rank_after, self.after)


class MomentDifference(msgspec.Struct, frozen=True):
    """What differs: *what* of *subject*, *before* and *after*, as people write them."""

    subject: str
    what: str
    before: str
    after: str


class Comparison(msgspec.Struct, frozen=True):
    """Two states beside each other.

    Attributes:
        money: the name of the first commodity; "" if there is none.
        places: rank and money of each player.
        moved: who stands elsewhere. owned: what has another owner. other: what else differs.
    """

    money: str = ""
    places: tuple[PlaceBeside, ...] = ()
    moved: tuple[MomentDifference, ...] = ()
    owned: tuple[MomentDifference, ...] = ()
    other: tuple[MomentDifference, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether nothing differs."""
        is_placed = any(place.differs for place in self.places)
        return not (is_placed or self.moved or self.owned or self.other)


def compare(before: World, after: World) -> Comparison:
    """Return *before* and *after* side by side. Both hold what the reader may see, and no more."""
    money = next(iter({**after.commodities(), **before.commodities()}), "")
    moved: list[MomentDifference] = []
    owned: list[MomentDifference] = []
    other: list[MomentDifference] = []
    for found in (*differences(before, after), *_account_differences(before, after)):
        if found.what == money and _is_player(found.subject, before, after):
            continue  # The table of places shows it.
        values = format_cell(found.recorded), format_cell(found.by_rules)
        written = MomentDifference(found.subject, plain(found.what), *values)
        group = {"square": moved, "owner": owned}.get(found.what, other)
        group.append(written)
    places = tuple(_places(before, after))
    return Comparison(money, places, tuple(moved), tuple(owned), tuple(other))


def _is_player(subject: str, *worlds: World) -> bool:
    return any(world.find("player", subject) is not None for world in worlds)


def _account_differences(before: World, after: World) -> Iterator[RulesDifference]:
    """Yield what differs in accounts that belong to no thing."""
    entities = {**before.entities, **after.entities}
    commodities = {**after.commodities(), **before.commodities()}
    for account in dict.fromkeys((*before.balances, *after.balances)):
        for name, commodity in commodities.items() if account not in entities else ():
            held = [
                from_units(world.balance(account, name), commodity.places)
                for world in (before, after)
            ]
            if held[0] != held[1]:
                yield RulesDifference(f"account {account}", name, *held)


def _places(before: World, after: World) -> Iterator[PlaceBeside]:
    tables = [_standings(world) for world in (before, after)]
    for player in dict.fromkeys((*tables[1], *tables[0])):
        was, now = (table.get(player, ("", "")) for table in tables)
        yield PlaceBeside(player, was[0], now[0], was[1], now[1])


def _standings(world: World) -> dict[str, tuple[str, str]]:
    """Return rank and money by player, as the installed projection computes them."""
    if world.head < 0:
        return {}
    model: Any = projection("standings")(WorldView(world, reader=None))
    return {
        str(row.player): (format_cell(row.rank), format_cell(row.money)) for row in model.standings
    }
