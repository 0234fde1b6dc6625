"""Signing in with a link, and signing out."""

from functools import partial
from typing import Any
from urllib.parse import quote

from litestar import Response, get, post
from litestar.datastructures import Cookie
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import UsageError
from nomoledger.people.sign_in import ADMIN, SESSION_SECONDS
from nomoledger.web.forms import Form
from nomoledger.web.page_templates import page
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import (
    WebRequest,
    cookie_name,
    host_of,
    our_cookie,
    session_of,
    visit_of,
)

#: The address of a page with a link in it is told to nobody. Its forms still say where they come
#: from, which "no-referrer" would hide.
NO_PATH = {"referrer-policy": "strict-origin"}


@get("/enter/{token:str}")
@in_thread
def show_link(request: WebRequest, token: FromPath[str]) -> Response[str]:
    """Show who the link is for. To look at it changes nothing: programs look at mail, too."""
    whose = host_of(request).sign_in.whose(token)
    return _link_page(request, token, whose, 200 if whose else 404)


@post("/enter/{token:str}", opt={"limit": "sign-in"})
@in_thread
def use_link(request: WebRequest, token: FromPath[str], data: Form) -> Response[Any]:
    """Sign in with the link."""
    sign_in = host_of(request).sign_in
    whose = sign_in.whose(token)
    try:
        session = sign_in.enter(token, visit_of(request), partial(session_of, request))
    except UsageError:
        whose = None
    if whose is None:
        return _link_page(request, token, None, 403)
    return signed_in_answer(request, *whose, session)


def signed_in_answer(request: WebRequest, game: str, reader: str, token: str) -> Response[Any]:
    """Return the answer that signs the browser in to *game* as *reader*, with that *token*."""
    place = "admin" if reader == ADMIN else "play"
    answer: Response[Any] = Redirect(f"/games/{quote(game, safe='')}/{place}", status_code=303)
    answer.set_cookie(session_cookie(request, game, token, SESSION_SECONDS))
    return answer


@post("/games/{game:str}/sign-out")
@in_thread
def sign_out(request: WebRequest, game: FromPath[str]) -> Response[Any]:
    """End the session."""
    session = session_of(request, game)
    if session is not None:
        host_of(request).sign_in.leave(session, visit_of(request))
    address = f"/games/{quote(game, safe='')}/site/index.html"
    answer: Response[Any] = Redirect(address, status_code=303)
    answer.set_cookie(session_cookie(request, game, "", 0))
    return answer


def session_cookie(request: WebRequest, game: str, value: str, seconds: int) -> Cookie:
    """Return the cookie of a session in *game* with that *value*, for so many *seconds*."""
    return our_cookie(request, cookie_name(request, game), value, seconds)


def _link_page(
    request: WebRequest, token: str, whose: tuple[str, str] | None, status: int
) -> Response[str]:
    signed_in = None if whose is None else session_of(request, whose[0])
    answer = page("enter.html", status, whose=whose, token=token, signed_in=signed_in)
    answer.headers.update(NO_PATH)
    return answer


ROUTES = [show_link, use_link, sign_out]
