"""standings_by_period: the money and the rank of every player at the close of every period."""

from collections.abc import Iterator

import msgspec

from nomoledger.projecting import Table, View, shown
from nomoledger.rules.values import Number
from nomoledger_projections.standings import ranked


class Place(msgspec.Struct, frozen=True):
    """Where a player stood: money, rank and how many squares are theirs."""

    period: int
    rank: int
    money: Number | None
    squares: int


class Course(msgspec.Struct, frozen=True):
    """A player's places, from the first period in which they played."""

    player: str
    places: tuple[Place, ...]


class StandingsByPeriod(msgspec.Struct, frozen=True):
    """How the players fared; in the order of the last standings, those who left behind them.

    *open* is the period that is not closed yet, in which the places are as they stand now.
    """

    game: str
    periods: tuple[int, ...]
    open: int | None
    players: tuple[Course, ...]
    money: str = ""

    def show(self) -> Iterator[Table | str]:
        """One table: a row a player, a column a period; the rank stands in brackets."""
        if not self.players:
            yield "nobody plays yet"
            return
        columns = (f"{p} (open)" if p == self.open else str(p) for p in self.periods)
        rows = []
        for course in self.players:
            at = {place.period: _told(place) for place in course.places}
            rows.append((course.player, *(at.get(period, "") for period in self.periods)))
        yield Table(("player", *columns), tuple(rows))

    def sheet(self) -> Table:
        """A row a player and period."""
        rows = tuple(
            (
                course.player,
                str(place.period),
                shown(place.period == self.open),
                str(place.rank),
                shown(place.money),
                str(place.squares),
            )
            for course in self.players
            for place in course.places
        )
        return Table(("player", "period", "open", "rank", self.money or "money", "squares"), rows)

    def drawn(self, kind: str) -> bytes:
        """Rank and money over the periods, as a file of that *kind*: svg or png."""
        from nomoledger_projections.standings_chart import Line, draw

        lines = [
            Line(
                course.player,
                [place.period for place in course.places],
                [place.rank for place in course.places],
                [float(place.money or 0) for place in course.places],
            )
            for course in self.players
        ]
        return draw(self.game, self.money or "money", self.periods, self.open, lines, kind)


def standings_by_period(view: View) -> StandingsByPeriod:
    """The standings at the close of every period of *view*, and as they stand in the open one."""
    courses: dict[str, list[Place]] = {}
    periods, open_, money, last = [], None, "", list[str]()
    for period, is_closed, world in view.standing():
        periods.append(period)
        open_ = None if is_closed else period
        money = next(iter(world.commodities()), "")
        standings = ranked(world)
        last = [each.player for each in standings]
        for each in standings:
            place = Place(period, each.rank, each.money, each.squares)
            courses.setdefault(each.player, []).append(place)
    players = tuple(Course(name, tuple(courses[name])) for name in dict.fromkeys((*last, *courses)))
    return StandingsByPeriod(view.game, tuple(periods), open_, players, money)


def _told(place: Place) -> str:
    return f"{shown(place.money)} ({place.rank})".strip()
