"""Marks of a period's standings: disputed, or final."""

from collections.abc import Iterable

from nomoledger.game.read_models import View
from nomoledger.state.disputes import StandingMark, standing_mark


def read_mark(view: View, period: int) -> StandingMark:
    """Return the mark of *period*, as known at the time of *view*."""
    return standing_mark(view.reading.later, period, view.reader)


def disputed_among(view: View, periods: Iterable[int]) -> tuple[int, ...]:
    """Return those of *periods* that an open dispute concerns."""
    return tuple(period for period in periods if read_mark(view, period).disputed)


def final_among(view: View, periods: Iterable[int]) -> tuple[int, ...]:
    """Return those of *periods* whose standings are final."""
    return tuple(period for period in periods if read_mark(view, period).final)


def period_title(
    period: int, open_: int | None, disputed: tuple[int, ...], final: tuple[int, ...]
) -> str:
    """Return the title of a period's column, such as `3 (open, disputed)`.

    >>> period_title(3, 3, (2, 3), ()), period_title(1, 3, (), (1,)), period_title(4, 0, (), ())
    ('3 (open, disputed)', '1 (final)', '4')
    """
    marks = ["open"] if period == open_ else []
    marks += ["disputed"] if period in disputed else []
    marks += ["final"] if period in final else []
    return f"{period} ({', '.join(marks)})" if marks else str(period)


def describe_mark(mark: StandingMark, period: int) -> str:
    """Return *mark* as a sentence; empty for an unmarked period.

    >>> describe_mark(StandingMark((1, 2)), 3), describe_mark(StandingMark(), 3)
    ('period 3 is disputed: dispute 1, 2', '')
    """
    if mark.disputed:
        return f"period {period} is disputed: dispute {', '.join(map(str, mark.disputed))}"
    return f"the standings of period {period} are final" if mark.final else ""
