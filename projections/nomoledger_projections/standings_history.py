"""standings_history: every period as it was published and as it is known, and who corrected it."""

from collections.abc import Iterator

import msgspec

from nomoledger.game.read_models import Table, View
from nomoledger.language.values import Number
from nomoledger.ledger.as_of import Reading
from nomoledger.prose.descriptions import name_rulings
from nomoledger.prose.labels import format_cell
from nomoledger.state.bitemporal import rulings_that_corrected
from nomoledger.state.world import World
from nomoledger_projections.standing_of import disputed_among, final_among, titled
from nomoledger_projections.standings import ranked


class StandingReading(msgspec.Struct, frozen=True):
    """A player's rank, money and number of squares."""

    rank: int
    money: Number | None
    squares: int

    def __str__(self) -> str:
        return f"{format_cell(self.money)} ({self.rank})".strip()


class Week(msgspec.Struct, frozen=True):
    """A player in a period, *published* at its close and *known* now; None where not playing.

    *rulings* are those that have corrected the period, where the two differ.
    """

    period: int
    published: StandingReading | None
    known: StandingReading | None
    rulings: tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.published == self.known:
            return str(self.known)
        was, now = (str(each or "not playing") for each in (self.published, self.known))
        if was == now and self.published is not None and self.known is not None:
            was, now = f"{now}: {self.published.squares}", f"{self.known.squares} squares"
        return f"{was} → {now}, {name_rulings(self.rulings)}"


class StandingsHistoryModel(msgspec.Struct, frozen=True):
    """A player, from the first period in which they played."""

    player: str
    weeks: tuple[Week, ...]


class StandingsHistory(msgspec.Struct, frozen=True):
    """How the players fared, in the order of the last standings as they are known.

    *open* is the period that is not closed yet; *disputed* are those that an open
    dispute touches, *final* those past disputing.
    """

    game: str
    periods: tuple[int, ...]
    open: int | None
    disputed: tuple[int, ...]
    players: tuple[StandingsHistoryModel, ...]
    money: str = ""
    final: tuple[int, ...] = ()

    def show(self) -> Iterator[Table | str]:
        """One table: a row a player, a column a period; the rank stands in brackets."""
        if not self.players:
            yield "nobody plays yet"
            return
        rows = []
        for each in self.players:
            at = {week.period: str(week) for week in each.weeks}
            rows.append((each.player, *(at.get(period, "") for period in self.periods)))
        marks = self.open, self.disputed, self.final
        titles = (titled(each, *marks) for each in self.periods)
        yield Table(("player", *titles), tuple(rows))

    def sheet(self) -> Table:
        """A row a player and period, with both readings."""
        money = self.money or "money"
        names = ("player", "period", "open", "disputed", "rank published", f"{money} published")
        rows = tuple(
            (
                each.player,
                str(week.period),
                format_cell(week.period == self.open),
                format_cell(week.period in self.disputed),
                *_cells(week.published),
                *_cells(week.known),
                " ".join(map(str, week.rulings)),
            )
            for each in self.players
            for week in each.weeks
        )
        return Table((*names, "rank", money, "rulings"), rows)

    def drawn(self, kind: str) -> bytes:
        """Rank and money over the periods as known, with rings where it was published otherwise."""
        from nomoledger_projections.standings_chart import ChartLine, Weeks, draw

        lines = []
        for each in self.players:
            known = [(week.period, week.known) for week in each.weeks if week.known is not None]
            line = ChartLine(
                each.player,
                [period for period, _ in known],
                [place.rank for _, place in known],
                [float(place.money or 0) for _, place in known],
                [
                    (week.period, week.published.rank, float(week.published.money or 0))
                    for week in each.weeks
                    if week.published is not None and week.published != week.known
                ],
            )
            lines.append(line)
        weeks = Weeks(self.periods, self.open, self.disputed)
        return draw(self.game, self.money or "money", weeks, lines, kind)


def standings_history(view: View) -> StandingsHistory:
    """Every period of *view* as it was published, and as it is known when *view* is."""
    weeks: dict[str, list[Week]] = {}
    periods, open_, last = [], None, dict[str, StandingReading]()
    for reading in view.standing():
        periods.append(reading.period)
        open_ = None if reading.is_closed else reading.period
        published, last = _standings(reading.published), _standings(reading.known)
        for player in dict.fromkeys((*last, *published)):
            week = _week(reading, published.get(player), last.get(player))
            weeks.setdefault(player, []).append(week)
    names = dict.fromkeys((*last, *weeks))
    return StandingsHistory(
        game=view.game,
        periods=tuple(periods),
        open=open_,
        disputed=disputed_among(view, periods),
        final=final_among(view, periods),
        players=tuple(StandingsHistoryModel(name, tuple(weeks[name])) for name in names),
        money=next(iter(view.world.commodities()), ""),
    )


def _week(
    reading: Reading, published: StandingReading | None, known: StandingReading | None
) -> Week:
    differs = published != known
    rulings = rulings_that_corrected(reading.later, reading.period) if differs else ()
    return Week(reading.period, published, known, rulings)


def _standings(world: World) -> dict[str, StandingReading]:
    return {
        each.player: StandingReading(each.rank, each.money, each.squares) for each in ranked(world)
    }


def _cells(standing: StandingReading | None) -> tuple[str, str]:
    return ("", "") if standing is None else (str(standing.rank), format_cell(standing.money))
