"""Signing in and out."""

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
    session_of,
)


@get("/enter/{token:str}")
@in_thread
def show_link(request: WebRequest, token: FromPath[str]) -> Response[str]:
    """Show who the link is for. To look at it changes nothing: programs look at mail, too."""
    whose = host_of(request).sign_in.whose(token)
    return page("enter.html", 200 if whose else 404, whose=whose, token=token)


@post("/enter/{token:str}", opt={"limit": "sign-in"})
@in_thread
def use_link(request: WebRequest, token: FromPath[str], data: Form) -> Response[Any]:
    """Sign in with the link."""
    sign_in = host_of(request).sign_in
    whose = sign_in.whose(token)
    try:
        session = sign_in.enter(token, request.headers.get("user-agent", ""))
    except UsageError:
        whose = None
    if whose is None:
        return page("enter.html", 403, whose=None, token=token)
    game, reader = whose
    place = "admin" if reader == ADMIN else "play"
    answer: Response[Any] = Redirect(f"/games/{quote(game)}/{place}", status_code=303)
    answer.set_cookie(_cookie(request, game, session, SESSION_SECONDS))
    return answer


@get("/games/{game:str}/sign-in")
@in_thread
def show_sign_in(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Say how to get a link."""
    host_of(request).head(game)
    return page("sign_in.html", game=game, session=session_of(request, game))


@post("/games/{game:str}/sign-out")
@in_thread
def sign_out(request: WebRequest, game: FromPath[str]) -> Response[Any]:
    """End the session."""
    session = session_of(request, game)
    if session is not None:
        host_of(request).sign_in.leave(session)
    answer: Response[Any] = Redirect(f"/games/{quote(game)}/site/index.html", status_code=303)
    answer.set_cookie(_cookie(request, game, "", 0))
    return answer


def _cookie(request: WebRequest, game: str, value: str, seconds: int | None) -> Cookie:
    return Cookie(
        key=cookie_name(request, game),
        value=value,
        max_age=seconds,
        path="/",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


ROUTES = [show_link, use_link, show_sign_in, sign_out]
