"""standings: the players in order of money, with the squares that each owns."""

from collections.abc import Iterator, Sequence

import msgspec

from nomoledger.game.read_models import Table, View
from nomoledger.language.values import Number
from nomoledger.prose.labels import amount_held, format_cell, label_all
from nomoledger.state.disputes import StandingMark
from nomoledger.state.world import World
from nomoledger_projections.standing_of import describe_mark, read_mark


class StandingRow(msgspec.Struct, frozen=True):
    """The standing of one player. Players with equal money share a *rank*."""

    rank: int
    player: str
    money: Number | None
    squares: int
    owned: tuple[int | str, ...] = ()


class StandingsModel(msgspec.Struct, frozen=True):
    """All players, the richest first, players with equal money by name.

    *disputed* are the open disputes about the period. *final* says that the period can no longer be
    disputed.
    """

    period: int
    standings: tuple[StandingRow, ...]
    money: str = ""
    disputed: tuple[int, ...] = ()
    final: bool = False

    def show(self) -> Iterator[Table | str]:
        """Yield one table, and the mark of the period."""
        if not self.standings:
            yield "nobody plays yet"
            return
        yield self.sheet()
        if mark := describe_mark(StandingMark(self.disputed, self.final), self.period):
            yield mark

    def sheet(self) -> Table:
        """Return a row per player."""
        rows = tuple(
            (str(s.rank), s.player, format_cell(s.money), str(s.squares), format_cell(s.owned))
            for s in self.standings
        )
        return Table(("rank", "player", self.money or "money", "squares", "owned"), rows)


def standings(view: View) -> StandingsModel:
    """Return the standings of *view*."""
    money = next(iter(view.world.commodities()), "")
    mark = read_mark(view, view.period)
    places = tuple(ranked(view.world))
    return StandingsModel(view.period, places, money, mark.disputed, mark.final)


def id_of(world: World, name: str) -> str:
    """Return the id of the player called *name* in *world*, which stays when the name changes."""
    return world.find("player", name) or name


def note_name(names: dict[str, list[str]], player: str, name: str) -> None:
    """Note in *names* that *player*, given by id, is called *name* from now on."""
    known = names.setdefault(player, [])
    if known[-1:] != [name]:
        known.append(name)


def with_former_names(name: str, formerly: Sequence[str]) -> str:
    """Return the name of a player with the names that the player had before.

    >>> with_former_names("Bob", ()), with_former_names("Wonder", ("Penelope",))
    ('Bob', 'Wonder (before: Penelope)')
    """
    return f"{name} (before: {', '.join(formerly)})" if formerly else name


def former_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the different *names* but for the last one, which is the present name."""
    return tuple(dict.fromkeys(name for name in names if name != names[-1]))


def ranked(world: World) -> list[StandingRow]:
    """Return the standings of the players of *world*, the richest first."""
    money = next(iter(world.commodities()), "")
    players = world.kinds.get("player", ())
    wealth = {player: amount_held(world, player, money) if money else 0 for player in players}
    order = sorted(players, key=lambda player: (-wealth[player], str(world.label(player))))
    rows = []
    ranks: dict[Number, int] = {}
    for place, player in enumerate(order, 1):
        squares = world.where("square", "owner", player)
        owned = tuple(label_all(world, square) for square in squares)
        rank = ranks.setdefault(wealth[player], place)
        amount = wealth[player] if money else None
        rows.append(StandingRow(rank, str(world.label(player)), amount, len(owned), owned))
    return rows
