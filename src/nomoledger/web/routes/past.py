"""The past: the page of an event, the board at each event, and two moments compared.

Everybody sees what they may see, under the numbers by which they know the events.
"""

from functools import partial
from typing import Any
from urllib.parse import quote

from litestar import Response, get
from litestar.params import FromPath

from nomoledger.game.desk.public_head import ReaderHead, public_head
from nomoledger.game.desk.seen_game import knows_secrets
from nomoledger.people.sign_in import ADMIN
from nomoledger.web.past_pages import PastPages
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, session_of


@get("/games/{game:str}/events/{number:int}")
@in_thread
def show_event(request: WebRequest, game: FromPath[str], number: FromPath[int]) -> Response[str]:
    """Show an event: its cause, what came of it, and how the rules led to it."""
    pages = _past(request, game)
    return pages.event(number, may_correct=pages.reader == ADMIN)


@get("/games/{game:str}/past")
@in_thread
def go_to_past(request: WebRequest, game: FromPath[str]) -> Response[Any]:
    """Go to the event that a form chose; to the last one if it chose none."""
    return _past(request, game).go(dict(request.query_params))


@get("/games/{game:str}/past/periods/{period:int}")
@in_thread
def list_period(request: WebRequest, game: FromPath[str], period: FromPath[int]) -> Response[str]:
    """List the events of a period."""
    return _past(request, game).period(period, request.query_params.get("from", ""))


@get("/games/{game:str}/past/{number:int}")
@in_thread
def show_past(request: WebRequest, game: FromPath[str], number: FromPath[int]) -> Response[str]:
    """Show the board right after an event; with `?with=M`, what differs from event M."""
    host, session, pages = host_of(request), session_of(request, game), _past(request, game)
    last = pages.index().events[-1].number
    copying: dict[str, Any] = {
        "copies": [] if session is None else host.copies.of(game),
        # A copy is made from public events: only where nothing is sealed are the numbers the same.
        "may_copy_here": session is not None
        and last == host.read(game, public_head, kind=ReaderHead).number,
    }
    return pages.moment(number, request.query_params.get("with", ""), **copying)


def _past(request: WebRequest, game: str) -> PastPages:
    """Return the pages of the past for who is signed in; for everybody if nobody is."""
    session = session_of(request, game)
    host, reader = host_of(request), None if session is None else session.reader
    if reader not in (None, ADMIN) and not host.read(game, knows_secrets, reader, kind=bool):
        reader = None  # What everybody may see is computed once for all.
    values = {"game": game, "session": session}
    ways = partial(host.read, game), partial(host.study, game)
    return PastPages(f"/games/{quote(game)}", reader, *ways, values, partial(host.recall, game))


ROUTES = [show_event, go_to_past, list_period, show_past]
