"""How the standings of a period are marked: disputed, or final."""

from collections.abc import Iterable

from nomoledger.game.read_models import View
from nomoledger.state.disputes import StandingMark, standing_mark


def mark_of(view: View, period: int) -> StandingMark:
    """The mark of *period*, by all that is known when *view* is."""
    return standing_mark(view.reading.later, period, view.reader)


def disputed_among(view: View, periods: Iterable[int]) -> tuple[int, ...]:
    """Those of *periods* that an open dispute touches."""
    return tuple(each for each in periods if mark_of(view, each).disputed)


def final_among(view: View, periods: Iterable[int]) -> tuple[int, ...]:
    """Those of *periods* whose standings are final."""
    return tuple(each for each in periods if mark_of(view, each).final)


def titled(
    period: int, open_: int | None, disputed: tuple[int, ...], final: tuple[int, ...]
) -> str:
    """The title of a period's column: `3 (open, disputed)`.

    >>> titled(3, 3, (2, 3), (1,)), titled(1, 3, (2, 3), (1,)), titled(4, None, (), ())
    ('3 (open, disputed)', '1 (final)', '4')
    """
    marks = ["open"] if period == open_ else []
    marks += ["disputed"] if period in disputed else []
    marks += ["final"] if period in final else []
    return f"{period} ({', '.join(marks)})" if marks else str(period)


def describe_marks(found: StandingMark, period: int) -> str:
    """*found* in a sentence, where there is anything to say.

    >>> told(Mark((1, 2)), 3), told(Mark(final=True), 3), told(Mark(), 3)
    ('period 3 is disputed: dispute 1, 2', 'the standings of period 3 are final', '')
    """
    if found.disputed:
        return f"period {period} is disputed: dispute {', '.join(map(str, found.disputed))}"
    return f"the standings of period {period} are final" if found.final else ""
