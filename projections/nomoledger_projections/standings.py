"""standings: the players by money, and how many squares each owns."""

from collections.abc import Iterator

import msgspec

from nomoledger.game.read_models import Table, View
from nomoledger.language.values import Number
from nomoledger.prose.labels import amount_held, format_cell, label_all
from nomoledger.state.disputes import StandingMark
from nomoledger.state.world import World
from nomoledger_projections.standing_of import describe_marks, mark_of


class StandingRow(msgspec.Struct, frozen=True):
    """One player's place: equal money is equal *rank*; *owned* names the squares counted."""

    rank: int
    player: str
    money: Number | None
    squares: int
    owned: tuple[int | str, ...] = ()


class StandingsModel(msgspec.Struct, frozen=True):
    """All players, the richest first; in order of their names where money is equal.

    *disputed* are the open disputes that touch the period; *final* says that it is past disputing.
    """

    period: int
    standings: tuple[StandingRow, ...]
    money: str = ""
    disputed: tuple[int, ...] = ()
    final: bool = False

    def show(self) -> Iterator[Table | str]:
        """One table."""
        if not self.standings:
            yield "nobody plays yet"
            return
        yield self.sheet()
        if marked := describe_marks(StandingMark(self.disputed, self.final), self.period):
            yield marked

    def sheet(self) -> Table:
        """A row a player."""
        rows = tuple(
            (str(s.rank), s.player, format_cell(s.money), str(s.squares), format_cell(s.owned))
            for s in self.standings
        )
        return Table(("rank", "player", self.money or "money", "squares", "owned"), rows)


def standings(view: View) -> StandingsModel:
    """The players of *view* in their order."""
    money = next(iter(view.world.commodities()), "")
    found = mark_of(view, view.period)
    places = tuple(ranked(view.world))
    return StandingsModel(view.period, places, money, found.disputed, found.final)


def ranked(world: World) -> list[StandingRow]:
    """The players of *world*, the richest first."""
    money = next(iter(world.commodities()), "")
    players = world.kinds.get("player", ())
    wealth = {each: amount_held(world, each, money) if money else 0 for each in players}
    order = sorted(players, key=lambda each: (-wealth[each], str(world.label(each))))
    found = []
    for player in order:
        owned = tuple(label_all(world, each) for each in world.where("square", "owner", player))
        rank = 1 + sum(wealth[other] > wealth[player] for other in players)
        amount = wealth[player] if money else None
        found.append(StandingRow(rank, str(world.label(player)), amount, len(owned), owned))
    return found
