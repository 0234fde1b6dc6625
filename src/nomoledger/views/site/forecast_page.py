"""The page of a forecast: what the futures of a game came to, with a chart of bands."""

from collections.abc import Mapping, Sequence

import msgspec

from nomoledger import events as e
from nomoledger.errors import UsageError
from nomoledger.game.forecast import Forecast, Scenario, Standing, shown_periods
from nomoledger.views.site.decisions import ChangeOnPage, describe_change
from nomoledger.views.site.figures import PlayerLink
from nomoledger.views.site.outline import Public
from nomoledger.views.site.site_paths import Ref

PATH = "forecast.html"
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 480, 116, 14, 8, 30
ROW, GAP = 16, 10
RULES_MAX = 20
NAME_MAX = 14


class Bar(msgspec.Struct, frozen=True):
    """The money of a player after a period, as positions from the left, and *y* from the top.

    The line goes from *low* to *high*, the 10th and 90th percentile, the box from *quarter* to
    *three*, and *median* is a stroke.
    """

    player: PlayerLink
    name: str
    period: int
    y: float
    low: float
    quarter: float
    median: float
    three: float
    high: float
    text: str


class BandChart(msgspec.Struct, frozen=True):
    """The bands of all players on one scale."""

    height: int
    ticks: tuple[tuple[float, str], ...]
    bars: tuple[Bar, ...]
    width: int = WIDTH
    bottom: int = BOTTOM


class Row(msgspec.Struct, frozen=True):
    """A player in a table, with the texts of the cells."""

    player: PlayerLink
    cells: tuple[str, ...]


class ScenarioOnPage(msgspec.Struct, frozen=True):
    """The futures under some rules: what players have at the end, and after each period.

    *broken_off* are the futures that ended early, with the reason.
    """

    ends: tuple[Row, ...]
    chances: tuple[Row, ...]
    chart: BandChart
    broken_off: tuple[tuple[str, int], ...]


class ForecastOnPage(msgspec.Struct, frozen=True):
    """What the page of a forecast shows.

    *made* is the last event before it, and *later* is how many public events there were since.
    *acted* are the rules that acted, with the share of futures without and with the change.
    """

    forecast: Forecast
    made: Ref
    later: int
    without: ScenarioOnPage
    with_change: ScenarioOnPage | None
    changes: tuple[ChangeOnPage, ...]
    differences: tuple[Row, ...]
    acted: tuple[tuple[str, str, str], ...]


def check_forecast(forecast: Forecast, game: str, public: Public) -> None:
    """Check that *forecast* is of *game*, which has these *public* events.

    Raises:
        UsageError: it is of another game.
    """
    if forecast.game != game:
        raise UsageError(f"the forecast is of the game {forecast.game}, and this is {game}")
    body = public[forecast.event][0].body if forecast.event < len(public) else None
    if body is None or forecast.period != body.period + isinstance(body, e.PeriodClosed):
        raise UsageError(
            f"the forecast is of another ledger: it was made at event"
            f" {forecast.event} in period {forecast.period}; make one of this ledger"
        )


def forecast_on_page(
    forecast: Forecast, people: Mapping[str, PlayerLink], refs: Mapping[int, Ref]
) -> ForecastOnPage:
    """Return what the page of *forecast* shows; *people* are the players by identifier."""
    after = forecast.with_change
    return ForecastOnPage(
        forecast=forecast,
        made=refs[forecast.event],
        later=max(refs) - forecast.event,
        without=_scenario(forecast, forecast.without, people),
        with_change=None if after is None else _scenario(forecast, after, people),
        changes=tuple(map(describe_change, forecast.changes)),
        differences=tuple(
            Row(
                people[name],
                (
                    f"{change.money:+,.1f} ± {change.money_error:,.1f}",
                    f"{change.first:+.1%} ± {change.first_error:.1%}",
                ),
            )
            for name, change in forecast.differences.items()
            if name in people
        ),
        acted=tuple(_acted(forecast.without, after)),
    )


def _scenario(
    forecast: Forecast, scenario: Scenario, people: Mapping[str, PlayerLink]
) -> ScenarioOnPage:
    known, order = scenario.standings, [name for name in scenario.best_first() if name in people]
    shown = shown_periods(forecast.periods)
    ends = (Row(people[name], _cells(forecast.now[name], known[name][-1])) for name in order)
    chances = (
        Row(people[name], tuple(_chance(known[name][place]) for place in shown)) for name in order
    )
    broken_off = (*scenario.ended.items(), *scenario.failed.items())
    lines = [(people[name], known[name]) for name in order]
    chart = _chart(lines, shown, forecast.period)
    return ScenarioOnPage(tuple(ends), tuple(chances), chart, broken_off)


def _cells(now: float, end: Standing) -> tuple[str, ...]:
    return (
        f"{now:,.0f}",
        f"{end.money:,.0f}",
        f"{end.band[0]:,.0f} to {end.band[-1]:,.0f}",
        f"{end.rank:.1f} ({end.rank_band[0]} to {end.rank_band[-1]})",
        _chance(end),
    )


def _chance(standing: Standing) -> str:
    return f"{standing.first:.1%} ± {standing.first_error:.1%}"


def _chart(
    lines: Sequence[tuple[PlayerLink, list[Standing]]], shown: Sequence[int], first: int
) -> BandChart:
    """Return the chart: a group of bars for each player, a bar for each of the periods *shown*."""
    bands = [standings[place].band for _, standings in lines for place in shown]
    low, high = min((band[0] for band in bands), default=0), max((b[-1] for b in bands), default=1)

    def x(value: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(LEFT + 6 + share * (WIDTH - LEFT - RIGHT - 12), 1)

    bars, y = [], float(TOP)
    for player, standings in lines:
        for place in shown:
            band, period = standings[place].band, first + place
            tenth, quarter, median, three, nine = map(x, band)
            bars.append(
                Bar(
                    player=player,
                    name=_shortened(player.name) if place == shown[0] else "",
                    period=period,
                    y=y + ROW / 2,
                    low=tenth,
                    quarter=quarter,
                    median=median,
                    three=three,
                    high=nine,
                    text=f"{player.name} after period {period}: {band[0]:,.0f} to {band[-1]:,.0f},"
                    f" median {band[2]:,.0f}",
                )
            )
            y += ROW
        y += GAP
    marks = [low + (high - low) * part / 4 for part in range(5)] if high > low else [low]
    ticks = tuple((x(mark), f"{mark:,.0f}") for mark in marks)
    return BandChart(int(y) + BOTTOM, ticks, tuple(bars))


def _shortened(name: str) -> str:
    return name if len(name) <= NAME_MAX else name[: NAME_MAX - 1] + "…"


def _acted(without: Scenario, with_change: Scenario | None) -> list[tuple[str, str, str]]:
    """Return the rules that acted most often, each with its shares of the futures."""
    before = without.rules_acted()
    after = {} if with_change is None else with_change.rules_acted()
    rules = list({**before, **after})[:RULES_MAX]
    return [(rule, f"{before.get(rule, 0):.0%}", f"{after.get(rule, 0):.0%}") for rule in rules]
