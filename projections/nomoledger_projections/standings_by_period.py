"""standings_by_period: money and rank of every player at the close of every period."""

from collections.abc import Iterator

import msgspec

from nomoledger.game.read_models import Table, View
from nomoledger.language.values import Number
from nomoledger.prose.labels import format_cell
from nomoledger_projections.standing_of import disputed_among, final_among, period_title
from nomoledger_projections.standings import (
    former_names,
    id_of,
    note_name,
    ranked,
    with_former_names,
)


class PeriodPlace(msgspec.Struct, frozen=True):
    """The standing of a player in a period: rank, money and number of squares."""

    period: int
    rank: int
    money: Number | None
    squares: int


class PlayerSeries(msgspec.Struct, frozen=True):
    """The standings of a player, from the player's first period.

    Attributes:
        player: The last name of the player.
        formerly: The earlier names, the oldest first.
    """

    player: str
    places: tuple[PeriodPlace, ...]
    formerly: tuple[str, ...] = ()


class StandingsByPeriod(msgspec.Struct, frozen=True):
    """The standings of all players, in the order of the last standings. Former players come last.

    Attributes:
        open: The open period, which has the present standings.
        disputed: The periods that an open dispute concerns.
        final: The periods that can no longer be disputed.
    """

    game: str
    periods: tuple[int, ...]
    open: int | None
    players: tuple[PlayerSeries, ...]
    money: str = ""
    disputed: tuple[int, ...] = ()
    final: tuple[int, ...] = ()

    def show(self) -> Iterator[Table | str]:
        """Yield one table with a row per player and a column per period, ranks in brackets."""
        if not self.players:
            yield "nobody plays yet"
            return
        marks = self.open, self.disputed, self.final
        columns = (period_title(period, *marks) for period in self.periods)
        rows = []
        for series in self.players:
            at = {place.period: _format_place(place) for place in series.places}
            called = with_former_names(series.player, series.formerly)
            rows.append((called, *(at.get(period, "") for period in self.periods)))
        yield Table(("player", *columns), tuple(rows))

    def sheet(self) -> Table:
        """Return a row per player and period."""
        rows = tuple(
            (
                series.player,
                str(place.period),
                format_cell(place.period == self.open),
                format_cell(place.period in self.disputed),
                format_cell(place.period in self.final),
                str(place.rank),
                format_cell(place.money),
                str(place.squares),
            )
            for series in self.players
            for place in series.places
        )
        states, money = ("open", "disputed", "final"), self.money or "money"
        return Table(("player", "period", *states, "rank", money, "squares"), rows)

    def drawn(self, kind: str) -> bytes:
        """Return a chart of rank and money over the periods, as a file of *kind* svg or png."""
        from nomoledger_projections.standings_chart import ChartLine, ChartPeriods, draw

        lines = [
            ChartLine(
                series.player,
                [place.period for place in series.places],
                [place.rank for place in series.places],
                [float(place.money or 0) for place in series.places],
            )
            for series in self.players
        ]
        weeks = ChartPeriods(self.periods, self.open, self.disputed)
        return draw(self.game, self.money or "money", weeks, lines, kind)


def standings_by_period(view: View, published: bool = False) -> StandingsByPeriod:
    """Return the standings at the close of every period of *view*, and now in the open one.

    They are as known at the time of *view*, or as *published* at the close of each period.
    """
    places: dict[str, list[PeriodPlace]] = {}
    names: dict[str, list[str]] = {}
    periods, open_, money, last = [], None, "", list[str]()
    for reading in view.standing():
        world = reading.published if published else reading.known
        periods.append(reading.period)
        open_ = None if reading.is_closed else reading.period
        money = next(iter(world.commodities()), "")
        standings = ranked(world)
        last = [id_of(world, row.player) for row in standings]
        for player, row in zip(last, standings, strict=True):
            place = PeriodPlace(reading.period, row.rank, row.money, row.squares)
            places.setdefault(player, []).append(place)
            note_name(names, player, row.player)
    players = tuple(
        PlayerSeries(names[player][-1], tuple(places[player]), former_names(names[player]))
        for player in dict.fromkeys((*last, *places))
    )
    marks = disputed_among(view, periods), final_among(view, periods)
    return StandingsByPeriod(view.game, tuple(periods), open_, players, money, *marks)


def _format_place(place: PeriodPlace) -> str:
    return f"{format_cell(place.money)} ({place.rank})".strip()
