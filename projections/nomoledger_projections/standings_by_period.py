"""standings_by_period: the money and the rank of every player at the close of every period."""

from collections.abc import Iterator

import msgspec

from nomoledger.game.read_models import Table, View
from nomoledger.language.values import Number
from nomoledger.prose.labels import format_cell
from nomoledger_projections.standing_of import disputed_among, final_among, titled
from nomoledger_projections.standings import ranked


class PeriodPlace(msgspec.Struct, frozen=True):
    """Where a player stood: money, rank and how many squares are theirs."""

    period: int
    rank: int
    money: Number | None
    squares: int


class PlayerSeries(msgspec.Struct, frozen=True):
    """A player's places, from the first period in which they played."""

    player: str
    places: tuple[PeriodPlace, ...]


class StandingsByPeriod(msgspec.Struct, frozen=True):
    """How the players fared; in the order of the last standings, those who left behind them.

    *open* is the period that is not closed yet, in which the places are as they stand now;
    *disputed* are the periods that an open dispute touches, *final* those past disputing.
    """

    game: str
    periods: tuple[int, ...]
    open: int | None
    players: tuple[PlayerSeries, ...]
    money: str = ""
    disputed: tuple[int, ...] = ()
    final: tuple[int, ...] = ()

    def show(self) -> Iterator[Table | str]:
        """One table: a row a player, a column a period; the rank stands in brackets."""
        if not self.players:
            yield "nobody plays yet"
            return
        marks = self.open, self.disputed, self.final
        columns = (titled(each, *marks) for each in self.periods)
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
                format_cell(place.period == self.open),
                format_cell(place.period in self.disputed),
                format_cell(place.period in self.final),
                str(place.rank),
                format_cell(place.money),
                str(place.squares),
            )
            for course in self.players
            for place in course.places
        )
        states, money = ("open", "disputed", "final"), self.money or "money"
        return Table(("player", "period", *states, "rank", money, "squares"), rows)

    def drawn(self, kind: str) -> bytes:
        """Rank and money over the periods, as a file of that *kind*: svg or png."""
        from nomoledger_projections.standings_chart import ChartLine, Weeks, draw

        lines = [
            ChartLine(
                course.player,
                [place.period for place in course.places],
                [place.rank for place in course.places],
                [float(place.money or 0) for place in course.places],
            )
            for course in self.players
        ]
        weeks = Weeks(self.periods, self.open, self.disputed)
        return draw(self.game, self.money or "money", weeks, lines, kind)


def standings_by_period(view: View, published: bool = False) -> StandingsByPeriod:
    """The standings at the close of every period of *view*, and as they stand in the open one.

    Each is as known when *view* is, or as *published* at its own close.
    """
    courses: dict[str, list[PeriodPlace]] = {}
    periods, open_, money, last = [], None, "", list[str]()
    for reading in view.standing():
        world = reading.published if published else reading.known
        periods.append(reading.period)
        open_ = None if reading.is_closed else reading.period
        money = next(iter(world.commodities()), "")
        standings = ranked(world)
        last = [each.player for each in standings]
        for each in standings:
            place = PeriodPlace(reading.period, each.rank, each.money, each.squares)
            courses.setdefault(each.player, []).append(place)
    players = tuple(
        PlayerSeries(name, tuple(courses[name])) for name in dict.fromkeys((*last, *courses))
    )
    marks = disputed_among(view, periods), final_among(view, periods)
    return StandingsByPeriod(view.game, tuple(periods), open_, players, money, *marks)


def _told(place: PeriodPlace) -> str:
    return f"{format_cell(place.money)} ({place.rank})".strip()
