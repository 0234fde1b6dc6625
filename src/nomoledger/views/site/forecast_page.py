"""The page of a forecast: what the futures of a game came to, with a chart of bands."""

from collections.abc import Mapping, Sequence

import msgspec

from nomoledger import events as e
from nomoledger.errors import UsageError
from nomoledger.game.forecast import Forecast, Scenario, Standing
from nomoledger.views.site.decisions import ChangeOnPage, describe_change
from nomoledger.views.site.figures import PlayerLink
from nomoledger.views.site.outline import Public
from nomoledger.views.site.site_paths import Ref

PATH = "forecast.html"
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 480, 116, 14, 8, 30
ROW, GAP = 16, 10
#: How many periods of each player the chart shows, with the last one.
PERIODS_MAX = 5
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
        acted=tuple(_acted(forecast.without.acted, {} if after is None else after.acted)),
    )


def shown_periods(periods: int) -> list[int]:
    """Return which of *periods* future periods are shown, from 0: a few, and the last.

    >>> shown_periods(3), shown_periods(10)
    ([0, 1, 2], [1, 3, 5, 7, 9])
    """
    most = min(periods, PERIODS_MAX)
    return [round(place * periods / most) - 1 for place in range(1, most + 1)]


def _scenario(
    forecast: Forecast, scenario: Scenario, people: Mapping[str, PlayerLink]
) -> ScenarioOnPage:
    known = {name: at for name, at in scenario.standings.items() if name in people}
    order = sorted(known, key=lambda name: (-known[name][-1].first, known[name][-1].rank, name))
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
            band = standings[place].band
            text = f"{player.name} after period {first + place}: {band[0]:,.0f} to {band[-1]:,.0f}"
            name = player.name if place == shown[0] else ""
            if len(name) > NAME_MAX:
                name = name[: NAME_MAX - 1] + "…"
            text += f", median {band[2]:,.0f}"
            tenth, quarter, median, three, nine = map(x, band)
            at = first + place, y + ROW / 2
            bars.append(Bar(player, name, *at, tenth, quarter, median, three, nine, text))
            y += ROW
        y += GAP
    marks = [low + (high - low) * part / 4 for part in range(5)] if high > low else [low]
    ticks = tuple((x(mark), f"{mark:,.0f}") for mark in marks)
    return BandChart(int(y) + BOTTOM, ticks, tuple(bars))


def _acted(before: dict[str, float], after: dict[str, float]) -> list[tuple[str, str, str]]:
    """Return the rules that acted most often, each with its shares of the futures."""
    rules = [rule for rule in {**before, **after} if rule != "engine"][:RULES_MAX]
    return [(rule, f"{before.get(rule, 0):.0%}", f"{after.get(rule, 0):.0%}") for rule in rules]
