"""Line charts of ranks and money on the site's pages: the positions of lines, dots and labels.

A template writes the chart as SVG inside the page. Its dots link to pages, its colours follow the
reader's light or dark setting, and it needs no further package. A chart file that a command draws
comes from matplotlib: see `nomoledger_projections.standings_chart` for the reasons.
"""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

import msgspec

from nomoledger.views.site.figures import PlayerLink
from nomoledger.views.site.site_paths import folder_of

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 480, 52, 106, 18, 34
LABEL_GAP = 16
TICKS_MAX = 8
NAME_MAX = 10


class Tick(msgspec.Struct, frozen=True):
    """A mark on an axis."""

    at: float
    text: str


class Dot(msgspec.Struct, frozen=True):
    """The value of a player in a period, and the path of its page.

    *was* is the height of the value as it was published, if rulings have changed it since.
    """

    x: float
    y: float
    text: str
    path: str
    was: float | None = None


class Curve(msgspec.Struct, frozen=True):
    """The line of a player, and the position of the player's name."""

    player: PlayerLink
    name: str
    dots: tuple[Dot, ...]
    label_y: float

    @property
    def points(self) -> str:
        """The points of the line in SVG syntax."""
        return " ".join(f"{dot.x:g},{dot.y:g}" for dot in self.dots)

    @property
    def is_ruled(self) -> bool:
        """Whether rulings have changed a value since it was published."""
        return any(dot.was is not None for dot in self.dots)


class LineChart(msgspec.Struct, frozen=True):
    """A chart with the positions of its lines, marks and names."""

    title: str
    height: int
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    curves: tuple[Curve, ...]
    width: int = WIDTH
    left: int = LEFT
    right: int = WIDTH - RIGHT

    @property
    def is_ruled(self) -> bool:
        """Whether rulings have changed a value of the chart since it was published."""
        return any(curve.is_ruled for curve in self.curves)


class Point(NamedTuple):
    """A *value*, and the same as it was *published*, if rulings have changed it since."""

    value: float
    published: float | None = None


#: For each player, the values by period.
Series = Sequence[tuple[PlayerLink, dict[int, Point]]]


def ranks(series: Series) -> LineChart:
    """Return the chart of ranks over the periods, the first rank at the top."""
    worst = int(max(_values(series), default=1))
    marks = [float(rank) for rank in range(1, max(worst, 2) + 1, ceil(worst / TICKS_MAX))]
    return _chart("Rank", series, marks, (max(worst, 2), 1))


def amounts(title: str, series: Series) -> LineChart:
    """Return the chart of amounts over the periods, the largest at the top."""
    all_values = _values(series) or [0.0]
    step = _step(max(all_values) - min(all_values))
    low, high = floor(min(all_values) / step) * step, ceil(max(all_values) / step) * step
    high = max(high, low + step)
    if low + step == low:  # Numbers so large that floats do not tell them apart.
        step = abs(low)
        low, high = low - step, low + step
    marks = [low + step * place for place in range(round((high - low) / step) + 1)]
    return _chart(title, series, marks, (low, high))


def _values(series: Series) -> list[float]:
    """Return all values of *series*, as they are known and as they were published."""
    points = (point for _, by_period in series for point in by_period.values())
    return [value for point in points for value in point if value is not None]


def _step(span: float) -> float:
    """Return a round distance between marks, so that about five of them fill *span*.

    >>> _step(930), _step(4), _step(0)
    (200.0, 1.0, 1.0)
    """
    if span <= 0:
        return 1.0
    size: float = 10.0 ** floor(log10(span / 5))
    return next((step for step in (size, 2 * size, 5 * size) if span / step <= 5), 10 * size)


def _chart(title: str, series: Series, marks: list[float], span: tuple[float, float]) -> LineChart:
    """Return a chart whose vertical axis goes from *span[0]* at the bottom to *span[1]*."""
    height = max(260, TOP + BOTTOM + LABEL_GAP * len(series))
    periods = sorted({period for _, values in series for period in values})
    first, last = (periods[0], periods[-1]) if periods else (1, 1)

    def x(period: int) -> float:
        share = (period - first) / (last - first) if last > first else 0.5
        return round(LEFT + 12 + share * (WIDTH - LEFT - RIGHT - 24), 1)

    def y(value: float) -> float:
        share = (value - span[0]) / (span[1] - span[0])
        return round(height - BOTTOM - 6 - share * (height - TOP - BOTTOM - 12), 1)

    def dot(player: PlayerLink, period: int, point: Point) -> Dot:
        text = f"{player.name}, period {period}: {point.value:.12g}"
        path = f"{folder_of(period)}standings.html"
        if point.published is None:
            return Dot(x(period), y(point.value), text, path)
        text += f", published as {point.published:.12g}"
        return Dot(x(period), y(point.value), text, path, y(point.published))

    lines = [
        (player, tuple(dot(player, period, values[period]) for period in sorted(values)))
        for player, values in series
    ]
    every = ceil(len(periods) / TICKS_MAX) or 1
    return LineChart(
        title=title,
        height=height,
        across=tuple(Tick(x(period), str(period)) for period in periods[::every]),
        up=tuple(Tick(y(mark), f"{mark:.10g}") for mark in marks),
        curves=_labelled(lines, height),
    )


def _labelled(lines: list[tuple[PlayerLink, tuple[Dot, ...]]], height: int) -> tuple[Curve, ...]:
    """Return the lines with the positions of their names, which do not overlap."""
    ordered = sorted(lines, key=lambda line: line[1][-1].y if line[1] else 0)
    placed: list[float] = []
    for _, dots in ordered:
        ideal = dots[-1].y if dots else 0.0
        placed.append(max(ideal, placed[-1] + LABEL_GAP) if placed else ideal)
    lowest = float(height - BOTTOM)
    for place in reversed(range(len(placed))):
        placed[place] = min(placed[place], lowest)
        lowest = placed[place] - LABEL_GAP
    return tuple(
        Curve(player, _short(player.name), dots, round(at, 1))
        for (player, dots), at in zip(ordered, placed, strict=True)
    )


def _short(name: str) -> str:
    return name if len(name) <= NAME_MAX else name[: NAME_MAX - 1] + "…"
