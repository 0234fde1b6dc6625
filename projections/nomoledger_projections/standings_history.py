"""standings_history: the standings of every period as published and as known, with corrections."""

from collections.abc import Iterator

import msgspec

from nomoledger.game.read_models import Table, View
from nomoledger.language.values import Number
from nomoledger.ledger.as_of import Reading
from nomoledger.prose.descriptions import name_rulings
from nomoledger.prose.labels import format_cell
from nomoledger.state.bitemporal import rulings_that_corrected
from nomoledger.state.world import World
from nomoledger_projections.standing_of import disputed_among, final_among, period_title
from nomoledger_projections.standings import (
    former_names,
    id_of,
    note_name,
    ranked,
    with_former_names,
)


class StandingReading(msgspec.Struct, frozen=True):
    """The rank, money and number of squares of a player."""

    rank: int
    money: Number | None
    squares: int

    def __str__(self) -> str:
        return f"{format_cell(self.money)} ({self.rank})".strip()


class PeriodStanding(msgspec.Struct, frozen=True):
    """The standing of a player in a period, as *published* at its close and as *known* now.

    None means that the player was not in the game. *rulings* corrected the period, if the two
    standings differ.
    """

    period: int
    published: StandingReading | None
    known: StandingReading | None
    rulings: tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.published == self.known:
            return str(self.known)
        was, now = (str(reading or "not playing") for reading in (self.published, self.known))
        if was == now and self.published is not None and self.known is not None:
            was, now = f"{now}: {self.published.squares}", f"{self.known.squares} squares"
        return f"{was} → {now}, {name_rulings(self.rulings)}"


class StandingsHistoryModel(msgspec.Struct, frozen=True):
    """The standings of a player, from the player's first period.

    *player* is the last name of the player, and *formerly* are the earlier ones.
    """

    player: str
    weeks: tuple[PeriodStanding, ...]
    formerly: tuple[str, ...] = ()


class StandingsHistory(msgspec.Struct, frozen=True):
    """The standings of all players, in the order of the last standings as known.

    Attributes:
        open: The open period, if it is included.
        disputed: The periods that an open dispute concerns.
        final: The periods that can no longer be disputed.
    """

    game: str
    periods: tuple[int, ...]
    open: int | None
    disputed: tuple[int, ...]
    players: tuple[StandingsHistoryModel, ...]
    money: str = ""
    final: tuple[int, ...] = ()

    def show(self) -> Iterator[Table | str]:
        """Yield one table with a row per player and a column per period, ranks in brackets."""
        if not self.players:
            yield "nobody plays yet"
            return
        rows = []
        for player in self.players:
            at = {week.period: str(week) for week in player.weeks}
            called = with_former_names(player.player, player.formerly)
            rows.append((called, *(at.get(period, "") for period in self.periods)))
        marks = self.open, self.disputed, self.final
        titles = (period_title(period, *marks) for period in self.periods)
        yield Table(("player", *titles), tuple(rows))

    def sheet(self) -> Table:
        """Return a row per player and period, with both standings."""
        money = self.money or "money"
        names = ("player", "period", "open", "disputed", "rank published", f"{money} published")
        rows = tuple(
            (
                player.player,
                str(week.period),
                format_cell(week.period == self.open),
                format_cell(week.period in self.disputed),
                *_cells(week.published),
                *_cells(week.known),
                " ".join(map(str, week.rulings)),
            )
            for player in self.players
            for week in player.weeks
        )
        return Table((*names, "rank", money, "rulings"), rows)

    def drawn(self, kind: str) -> bytes:
        """Return a chart of rank and money as known, with rings at differing published values."""
        from nomoledger_projections.standings_chart import ChartLine, ChartPeriods, draw

        lines = []
        for player in self.players:
            known = [(week.period, week.known) for week in player.weeks if week.known is not None]
            line = ChartLine(
                player.player,
                [period for period, _ in known],
                [place.rank for _, place in known],
                [float(place.money or 0) for _, place in known],
                [
                    (week.period, week.published.rank, float(week.published.money or 0))
                    for week in player.weeks
                    if week.published is not None and week.published != week.known
                ],
            )
            lines.append(line)
        weeks = ChartPeriods(self.periods, self.open, self.disputed)
        return draw(self.game, self.money or "money", weeks, lines, kind)


def standings_history(view: View) -> StandingsHistory:
    """Return the standings of every period of *view*, as published and as known at its time."""
    weeks: dict[str, list[PeriodStanding]] = {}
    names: dict[str, list[str]] = {}
    periods, open_, last = [], None, dict[str, StandingReading]()
    for reading in view.standing():
        periods.append(reading.period)
        open_ = None if reading.is_closed else reading.period
        published = _standings(reading.published, names)
        last = _standings(reading.known, names)
        for player in dict.fromkeys((*last, *published)):
            week = _week(reading, published.get(player), last.get(player))
            weeks.setdefault(player, []).append(week)
    players = dict.fromkeys((*last, *weeks))
    return StandingsHistory(
        game=view.game,
        periods=tuple(periods),
        open=open_,
        disputed=disputed_among(view, periods),
        final=final_among(view, periods),
        players=tuple(
            StandingsHistoryModel(names[id][-1], tuple(weeks[id]), former_names(names[id]))
            for id in players
        ),
        money=next(iter(view.world.commodities()), ""),
    )


def _week(
    reading: Reading, published: StandingReading | None, known: StandingReading | None
) -> PeriodStanding:
    differs = published != known
    rulings = rulings_that_corrected(reading.later, reading.period) if differs else ()
    return PeriodStanding(reading.period, published, known, rulings)


def _standings(world: World, names: dict[str, list[str]]) -> dict[str, StandingReading]:
    """Return the standings in *world* by the ids of the players, and note their names."""
    standings = {}
    for row in ranked(world):
        player = id_of(world, row.player)
        note_name(names, player, row.player)
        standings[player] = StandingReading(row.rank, row.money, row.squares)
    return standings


def _cells(standing: StandingReading | None) -> tuple[str, str]:
    return ("", "") if standing is None else (str(standing.rank), format_cell(standing.money))
