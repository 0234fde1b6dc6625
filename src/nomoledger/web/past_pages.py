"""The pages of the past of a game, or of a copy: an event, the board at an event, a period."""

from collections.abc import Callable
from typing import Any

import msgspec
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.response import Redirect

from nomoledger.game.desk.comparison import Comparison
from nomoledger.people.sign_in import ADMIN
from nomoledger.views.past.index import PastEvent, PastIndex, past_index
from nomoledger.views.past.scene import Scene, compare_moments, scene_at
from nomoledger.views.past.trail import Trail, event_trail
from nomoledger.web.forms import number_of
from nomoledger.web.page_templates import page

#: How many events of a period a page lists.
LISTED_MAX = 300
#: How many consequences of an event its page lists.
CONSEQUENCES_MAX = 200


class PastPages(msgspec.Struct, frozen=True):
    """The past of a game or a copy, as one reader may see it.

    Attributes:
        here: what the addresses of its pages begin with.
        reader: who reads: a player, "admin", or None for everybody.
        read: returns what a reading makes of it and of further arguments; *kind* is its type.
        study: like *read*, for what takes long.
        values: what else its pages show.
        recall: like *study*, for what nothing recorded later changes; None if nothing is kept.
    """

    here: str
    reader: str | None
    read: Callable[..., Any]
    study: Callable[..., Any]
    values: dict[str, Any]
    recall: Callable[..., Any] | None = None

    def index(self) -> PastIndex:
        """Return the events that the reader may see."""
        index: PastIndex = self.read(past_index, self.reader, kind=PastIndex)
        if not index.shown:
            raise NotFoundException("nothing has happened yet")
        return index

    def event(self, number: int, **values: Any) -> Response[str]:
        """Show event *number*: its cause, what came of it, and how the rules led to it."""
        index = self.index()
        event = _event(index, number)
        trail = self._trail(index, number)
        found: dict[str, Any] = {
            "causes": list(index.causes(number)),
            "consequences": list(index.consequences(number))[:CONSEQUENCES_MAX],
            "before": index.before(number),
            "after": index.after(number),
        }
        return self._page("event.html", index, event=event, trail=trail, **found, **values)

    def _trail(self, index: PastIndex, number: int) -> Trail:
        """Return how event *number* came about: for players final when another request follows."""
        requests = (event.number for event in reversed(index.events) if event.is_request)
        is_final = self.reader != ADMIN and next(requests, -1) > number
        study = (self.recall or self.study) if is_final else self.study
        trail: Trail = study(event_trail, self.reader, number, kind=Trail)
        return trail

    def moment(self, number: int, other: str = "", **values: Any) -> Response[str]:
        """Show the board right after event *number*, and what differs from event *other*."""
        index = self.index()
        event = _event(index, number)
        compared = _event(index, _number(other)) if other else None
        comparison = Comparison()
        if compared is not None:
            moments = sorted((number, compared.number))
            comparison = self.study(compare_moments, self.reader, *moments, kind=Comparison)
        found: dict[str, Any] = {
            "scene": (self.recall or self.study)(scene_at, self.reader, number, kind=Scene),
            "because": next(index.causes(number), None),
            "before": index.before(number),
            "after": index.after(number),
            "place": index.place(number),
            "other": compared,
            "comparison": comparison,
            "listed": LISTED_MAX,
        }
        return self._page("past.html", index, event=event, **found, **values)

    def period(self, period: int, begin: str) -> Response[str]:
        """List the events of *period*, from that at place *begin* on."""
        index = self.index()
        numbers = index.periods.get(period)
        if numbers is None:
            raise NotFoundException(f"there is no period {period} in which you saw anything happen")
        start = min(_number(begin) if begin else 0, len(numbers) - 1)
        events = [index.events[number] for number in numbers[start : start + LISTED_MAX]]
        found = {"period": period, "start": start, "count": len(numbers), "listed": LISTED_MAX}
        return self._page("past_period.html", index, events=events, **found)

    def go(self, wanted: dict[str, str]) -> Redirect:
        """Go to the event that a form *wanted*: "at" a number, or at a "place" of a "period"."""
        index = self.index()
        numbers = index.periods.get(number_of(wanted.get("period", "")) or 0)
        place = number_of(wanted.get("place", ""))
        at, other = wanted.get("at", ""), wanted.get("with", "")
        if numbers is not None and place is not None:
            number = numbers[min(place, len(numbers) - 1)]
        else:
            number = _shown(index, at) if at else index.shown[-1]
        compared = f"?with={_shown(index, other)}#compared" if other else ""
        return Redirect(f"{self.here}/past/{number}{compared}", status_code=303)

    def _page(self, template: str, index: PastIndex, **values: Any) -> Response[str]:
        shared: dict[str, Any] = {"here": self.here, "index": index}
        shared |= {"copy": None, "may_correct": False, **self.values, **values}
        return page(template, **shared)


def _event(index: PastIndex, number: int) -> PastEvent:
    event = index.event(number)
    if event is None:
        raise NotFoundException(f"there is no event #{number} that you may see")
    return event


def _shown(index: PastIndex, text: str) -> int:
    """Return the event *text*, or the last one before it that is no bookkeeping."""
    number = _number(text) + 1
    before = index.before(number)
    return index.shown[0] if before is None else before


def _number(text: str) -> int:
    number = number_of(text.strip().removeprefix("#"))
    if number is None:
        raise NotFoundException(f"{text!r:.40} is not the number of an event")
    return number
