"""The past of a copy: its events, and the board at each of them."""

from functools import partial
from typing import Any

from litestar import Response, get
from litestar.params import FromPath

from nomoledger.people.sign_in import ADMIN
from nomoledger.web.past_pages import PastPages
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, signed_in


@get("/games/{game:str}/copies/{id:str}/events/{number:int}")
@in_thread
def show_event_in_copy(
    request: WebRequest, game: FromPath[str], id: FromPath[str], number: FromPath[int]
) -> Response[str]:
    """Show an event of the copy."""
    return _past(request, game, id).event(number)


@get("/games/{game:str}/copies/{id:str}/past")
@in_thread
def go_to_past_in_copy(
    request: WebRequest, game: FromPath[str], id: FromPath[str]
) -> Response[Any]:
    """Go to the event that a form chose; to the last one if it chose none."""
    return _past(request, game, id).go(dict(request.query_params))


@get("/games/{game:str}/copies/{id:str}/past/periods/{period:int}")
@in_thread
def list_period_in_copy(
    request: WebRequest, game: FromPath[str], id: FromPath[str], period: FromPath[int]
) -> Response[str]:
    """List the events of a period of the copy."""
    return _past(request, game, id).period(period, request.query_params.get("from", ""))


@get("/games/{game:str}/copies/{id:str}/past/{number:int}")
@in_thread
def show_past_in_copy(
    request: WebRequest, game: FromPath[str], id: FromPath[str], number: FromPath[int]
) -> Response[str]:
    """Show the board of the copy right after an event."""
    return _past(request, game, id).moment(number, request.query_params.get("with", ""))


def _past(request: WebRequest, game: str, id: str) -> PastPages:
    """Return the past of a copy. Nothing in it is sealed, so everybody signed in sees all."""
    session, host = signed_in(request, game), host_of(request)
    copy = host.copies.find(game, id)
    values = {"game": game, "session": session, "copy": copy}
    read = partial(host.copies.read, copy)
    return PastPages(copy.address, ADMIN, read, read, values)


ROUTES = [show_event_in_copy, go_to_past_in_copy, list_period_in_copy, show_past_in_copy]
