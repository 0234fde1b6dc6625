"""standings: the players by money, and how many squares each owns."""

from collections.abc import Iterator

import msgspec

from nomoledger.game.read_models import Table, View
from nomoledger.language.values import Number
from nomoledger.prose.labels import called, holding, shown
from nomoledger.state.disputes import Mark
from nomoledger.state.world import World
from nomoledger_projections.standing_of import mark_of, told


class Standing(msgspec.Struct, frozen=True):
    """One player's place: equal money is equal *rank*; *owned* names the squares counted."""

    rank: int
    player: str
    money: Number | None
    squares: int
    owned: tuple[int | str, ...] = ()


class Standings(msgspec.Struct, frozen=True):
    """All players, the richest first; in order of their names where money is equal.

    *disputed* are the open disputes that touch the period; *final* says that it is past disputing.
    """

    period: int
    standings: tuple[Standing, ...]
    money: str = ""
    disputed: tuple[int, ...] = ()
    final: bool = False

    def show(self) -> Iterator[Table | str]:
        """One table."""
        if not self.standings:
            yield "nobody plays yet"
            return
        yield self.sheet()
        if marked := told(Mark(self.disputed, self.final), self.period):
            yield marked

    def sheet(self) -> Table:
        """A row a player."""
        rows = tuple(
            (str(s.rank), s.player, shown(s.money), str(s.squares), shown(s.owned))
            for s in self.standings
        )
        return Table(("rank", "player", self.money or "money", "squares", "owned"), rows)


def standings(view: View) -> Standings:
    """The players of *view* in their order."""
    money = next(iter(view.world.commodities()), "")
    found = mark_of(view, view.period)
    places = tuple(ranked(view.world))
    return Standings(view.period, places, money, found.disputed, found.final)


def ranked(world: World) -> list[Standing]:
    """The players of *world*, the richest first."""
    money = next(iter(world.commodities()), "")
    players = world.kinds.get("player", ())
    wealth = {each: holding(world, each, money) if money else 0 for each in players}
    order = sorted(players, key=lambda each: (-wealth[each], str(world.label(each))))
    found = []
    for player in order:
        owned = tuple(called(world, each) for each in world.where("square", "owner", player))
        rank = 1 + sum(wealth[other] > wealth[player] for other in players)
        amount = wealth[player] if money else None
        found.append(Standing(rank, str(world.label(player)), amount, len(owned), owned))
    return found
