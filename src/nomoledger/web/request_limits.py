"""Holds up those who send too much: a page says when to send the form again, and keeps it.

A handler says with `opt={"limit": kind}` as what it counts, `None` for not at all. Without that,
whatever may change something counts as a request. Sign-ins count by address, all else by session.
"""

import asyncio
from contextlib import ExitStack
from typing import Any

from litestar import Response
from litestar.exceptions import TooManyRequestsException

from nomoledger.people.sign_in import Session
from nomoledger.web.forms import pairs_of
from nomoledger.web.page_templates import page
from nomoledger.web.protection import AT_END, SAFE_METHODS
from nomoledger.web.rate_limits import ADDRESS_STREAMS, SESSION_STREAMS, RateLimits, network_key
from nomoledger.web.visitor import WebRequest, session_of

#: After how many seconds to try again for a stream: one that is closed makes room.
STREAM_SECONDS = 30


def limits_of(request: WebRequest) -> RateLimits:
    """Return the limits of this server."""
    limits: RateLimits = request.app.state.limits
    return limits


def address_key(request: WebRequest) -> str:
    """Return what stands for the address of *request* in counts."""
    return f"address {network_key(request.client.host if request.client else '')}"


async def hold_up(request: WebRequest) -> Response[Any] | None:
    """Return the page that says when to send *request* again; None if it may go on."""
    default = None if request.method in SAFE_METHODS else "request"
    kind = request.route_handler.opt.get("limit", default)
    if kind is None:
        return None
    key = address_key(request)
    game = request.path_params.get("game")
    if kind != "sign-in" and game is not None:
        session = await asyncio.to_thread(session_of, request, str(game))
        key = key if session is None else f"session {session.id}"
    wait = await asyncio.to_thread(limits_of(request).take, kind, key)
    if not wait:
        return None
    values: dict[str, Any] = {"wait": wait, "fields": [], "game": "", "session": None}
    if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        values["fields"] = pairs_of((await request.form()).dict())
    query = request.url.query
    values["address"] = request.url.path + (f"?{query}" if query else "")
    answer = page("too_many.html", 429, **values)
    answer.headers["retry-after"] = str(wait)
    return answer


def open_stream(request: WebRequest, session: Session | None) -> None:
    """Count a stream of *session* and its address, until the answer to *request* ends.

    Raises:
        TooManyRequestsException: too many are open.
    """
    most = {address_key(request): ADDRESS_STREAMS}
    if session is not None:
        most[f"session {session.id}"] = SESSION_STREAMS
    at_end: ExitStack = request.scope[AT_END]  # type: ignore[literal-required]
    if not at_end.enter_context(limits_of(request).streams.one_more(most)):
        problem = "too many pages of this game are open: close some of them"
        raise TooManyRequestsException(problem, headers={"retry-after": str(STREAM_SECONDS)})
