"""The chart file of rank and money over the periods, drawn by matplotlib. Equal data, equal bytes.

The site has charts of its own (`nomoledger.views.site.linked_chart`), since neither can replace the
other. matplotlib takes 165 MB with its dependencies, 0.3 s and 90 KB a chart, and its SVG has no
links, tooltips or colours that follow the page's style sheet. The site's charts are part of a page:
they cannot become a PNG file.
"""

from collections.abc import Sequence
from io import BytesIO
from logging import ERROR, getLogger
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import catch_warnings, filterwarnings

from nomoledger.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME_MAX = 30
SHADE = "#fbeec9"
SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "nomoledger",
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e5e5e5",
}
COLOURS = ("#1f77b4", "#d1600a", "#2c8a3d", "#c7302f", "#7d55b0", "#8c564b", "#c2499b", "#5f5f5f",
           "#8f8d12", "#0e8fa0")  # fmt: skip
STYLES = ("-", "--", ":", "-.")


class ChartLine(NamedTuple):
    """The ranks and money of a player in each of *periods*.

    *published* holds period, rank and money of each period that was published differently.
    """

    player: str
    periods: list[int]
    ranks: list[int]
    money: list[float]
    published: Sequence[tuple[int, int, float]] = ()


class ChartPeriods(NamedTuple):
    """The *periods* of a chart, the one that is *open*, and those that are *disputed*."""

    periods: Sequence[int]
    open: int | None = None
    disputed: Sequence[int] = ()


def draw(
    title: str, money: str, weeks: ChartPeriods, lines: Sequence[ChartLine], kind: str
) -> bytes:
    """Return the chart as a file of *kind* svg or png.

    Raises:
        UsageError: matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        advice = "pip install 'nomoledger[charts]'"
        raise UsageError(f"a chart needs matplotlib, which is not installed: {advice}") from None
    getLogger("matplotlib").setLevel(ERROR)  # It warns when it builds its font cache.
    target = BytesIO()
    with rc_context(SETTINGS), catch_warnings():
        filterwarnings("ignore", message="Glyph .* missing from")  # A name may use any script.
        figure = Figure(figsize=(10, 7), layout="constrained")
        upper, lower = figure.subplots(2, 1, sharex=True)
        figure.suptitle(_printable(title), x=0.01, ha="left", fontweight="bold")
        _panel(upper, "rank", [line.ranks for line in lines], lines, 1)
        _panel(lower, money, [line.money for line in lines], lines, 2)
        _axes(upper, lower, weeks, any(line.published for line in lines))
        if lines:
            handles = upper.get_lines()[: len(lines)]
            names = [_printable(line.player) for line in lines]
            figure.legend(handles, names, loc="outside right upper", frameon=False)
        figure.savefig(target, format=kind, dpi=120, metadata=_metadata(kind))
    return target.getvalue()


def _panel(
    axes: "Axes", label: str, values: Sequence[Any], lines: Sequence[ChartLine], which: int
) -> None:
    colours = [COLOURS[place % len(COLOURS)] for place in range(len(lines))]
    for place, (line, series) in enumerate(zip(lines, values, strict=True)):
        style = STYLES[place // len(COLOURS) % len(STYLES)]
        axes.plot(line.periods, series, style, color=colours[place], marker="o", markersize=4)
    for line, series, colour in zip(lines, values, colours, strict=True):
        known = dict(zip(line.periods, series, strict=True))
        rings = [(published[0], published[which]) for published in line.published]
        for at, was in rings:
            if known.get(at) != was:
                axes.plot([at], [was], marker="o", color=colour, markersize=8, fillstyle="none")
    axes.set_ylabel(_printable(label))


def _axes(upper: "Axes", lower: "Axes", weeks: ChartPeriods, has_rings: bool) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    upper.yaxis.set_inverted(True)
    upper.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    lower.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    lower.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    for axes in (upper, lower):
        for period in weeks.disputed:
            axes.axvspan(period - 0.5, period + 0.5, color=SHADE, linewidth=0, zorder=0)
    if weeks.periods:
        lower.set_xlim(min(weeks.periods) - 0.25, max(weeks.periods) + 0.25)
    notes = [
        *([] if weeks.open is None else [f"{weeks.open} is still open"]),
        *(["shaded: disputed"] if weeks.disputed else []),
        *(["rings: as published"] if has_rings else []),
    ]
    lower.set_xlabel("period" + (f" ({'; '.join(notes)})" if notes else ""))


def _metadata(kind: str) -> dict[str, Any]:
    """Return metadata without dates and versions, so that equal charts have equal bytes."""
    return {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}


def _printable(text: str) -> str:
    """Return *text* fit for a legend, which would omit a text that begins with _."""
    kept = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    kept = kept if len(kept) <= NAME_MAX else kept[: NAME_MAX - 1] + "…"
    return f" {kept}" if kept.startswith("_") else kept
