"""The past: the page of an event, the board at each event, and two moments compared.

Everybody sees what they may see, under the numbers by which they know the events.
"""

from typing import Any
from urllib.parse import quote

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.game.desk.comparison import Comparison
from nomoledger.game.desk.public_head import ReaderHead, public_head
from nomoledger.people.sign_in import ADMIN, Session
from nomoledger.views.past.index import PastEvent, PastIndex, past_index
from nomoledger.views.past.scene import Scene, compare_moments, scene_at
from nomoledger.views.past.trail import Trail, event_trail
from nomoledger.web.forms import number_of
from nomoledger.web.game_host import GameHost
from nomoledger.web.page_templates import page
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, session_of


@get("/games/{game:str}/events/{number:int}")
@in_thread
def show_event(request: WebRequest, game: FromPath[str], number: FromPath[int]) -> Response[str]:
    """Show an event: its cause, what came of it, and how the rules led to it."""
    host, session = host_of(request), session_of(request, game)
    reader = _reader(session)
    index = _index(host, game, reader)
    event = _event(index, number)
    trail = host.study(game, event_trail, reader, number, kind=Trail)
    values: dict[str, Any] = {
        "causes": list(index.causes(number)),
        "consequences": list(index.consequences(number))[:200],
        "before": index.before(number),
        "after": index.after(number),
        "may_correct": reader == ADMIN,
    }
    shared = _page_values(game, session, index)
    return page("event.html", event=event, trail=trail, **values, **shared)


@get("/games/{game:str}/past")
@in_thread
def go_to_past(request: WebRequest, game: FromPath[str]) -> Response[Any]:
    """Go to the event that a form chose; to the last one if it chose none."""
    host, session = host_of(request), session_of(request, game)
    index = _index(host, game, _reader(session))
    if not index.shown:
        raise NotFoundException("nothing has happened yet")
    wanted, other = (request.query_params.get(name, "") for name in ("at", "with"))
    number = _shown(index, wanted) if wanted else index.shown[-1]
    compared = f"?with={_shown(index, other)}" if other else ""
    return Redirect(f"/games/{quote(game)}/past/{number}{compared}", status_code=303)


@get("/games/{game:str}/past/{number:int}")
@in_thread
def show_past(request: WebRequest, game: FromPath[str], number: FromPath[int]) -> Response[str]:
    """Show the board right after an event; with `?with=M`, what differs from event M."""
    host, session = host_of(request), session_of(request, game)
    reader = _reader(session)
    index = _index(host, game, reader)
    event = _event(index, number)
    scene = host.study(game, scene_at, reader, number, kind=Scene)
    other: PastEvent | None = None
    comparison = Comparison()
    if request.query_params.get("with"):
        other = _event(index, _number(request.query_params["with"]))
        moments = sorted((number, other.number))
        comparison = host.study(game, compare_moments, reader, *moments, kind=Comparison)
    values: dict[str, Any] = {
        "because": next(index.causes(number), None),
        "before": index.before(number),
        "after": index.after(number),
        "other": other,
        "comparison": comparison,
        "copies": [] if session is None else host.copies.of(game),
        # A copy is made from public events: only where nothing is sealed are the numbers the same.
        "may_copy_here": session is not None
        and index.events[-1].number == host.read(game, public_head, kind=ReaderHead).number,
    }
    shared = _page_values(game, session, index)
    return page("past.html", event=event, scene=scene, **values, **shared)


def _reader(session: Session | None) -> str | None:
    """Return as whom a visitor reads the game: None is everybody."""
    return None if session is None else session.reader


def _index(host: GameHost, game: str, reader: str | None) -> PastIndex:
    return host.study(game, past_index, reader, kind=PastIndex)


def _event(index: PastIndex, number: int) -> PastEvent:
    event = index.event(number)
    if event is None:
        raise NotFoundException(f"there is no event #{number} that you may see")
    return event


def _shown(index: PastIndex, text: str) -> int:
    """Return the event *text*, or the last one before it that is no bookkeeping."""
    number = _number(text)
    return next((n for n in reversed(index.shown) if n <= number), index.shown[0])


def _number(text: str) -> int:
    text = text.removeprefix("#")
    number = number_of(text)
    if number is None:
        raise NotFoundException(f"{text!r:.40} is not the number of an event")
    return number


def _page_values(game: str, session: Session | None, index: PastIndex) -> dict[str, Any]:
    shown = {"index": index, "first": index.shown[0], "last": index.shown[-1]}
    return {"game": game, "session": session, **shown}


ROUTES = [show_event, go_to_past, show_past]
