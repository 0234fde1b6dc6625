"""The page on which people see and change how they sign in."""

from typing import Any
from urllib.parse import quote

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import UsageError
from nomoledger.web.forms import Form, optional_text_in, text_in
from nomoledger.web.page_templates import page
from nomoledger.web.routes.passkey_entrance import known_site, passkey_site
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, signed_in, visit_of


@get("/games/{game:str}/ways")
@in_thread
def show_ways(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show the passkeys and sessions of who is signed in, and the record of their sign-ins."""
    return _ways_page(request, game, "")


@post("/games/{game:str}/ways/passkey/options", opt={"limit": "sign-in"})
@in_thread
def options_to_add(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Send what a browser needs to make a passkey."""
    session = signed_in(request, game)
    options = host_of(request).passkeys.options_to_add(session, known_site(request))
    return Response(options, media_type="application/json", status_code=200)


@post("/games/{game:str}/ways/passkey")
@in_thread
def add_passkey(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Add a passkey."""
    session, passkeys = signed_in(request, game), host_of(request).passkeys
    answer, name = optional_text_in(data, "credential"), optional_text_in(data, "name")
    try:
        if not answer:
            raise UsageError("a passkey is made by a script, which your browser did not run")
        passkeys.add(session, known_site(request), answer, name, visit_of(request))
    except UsageError as error:
        return _ways_page(request, game, str(error))
    return _back(game)


@post("/games/{game:str}/ways/passkey/remove")
@in_thread
def remove_passkey(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Remove a passkey."""
    session = signed_in(request, game)
    host_of(request).passkeys.remove(session, text_in(data, "passkey"), visit_of(request))
    return _back(game)


@post("/games/{game:str}/ways/end")
@in_thread
def end_session(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """End another session of the same person."""
    session = signed_in(request, game)
    host_of(request).sign_in.end(session, text_in(data, "session"), visit_of(request))
    return _back(game)


@post("/games/{game:str}/ways/end-others")
@in_thread
def end_other_sessions(request: WebRequest, game: FromPath[str]) -> Response[Any]:
    """End all sessions of the same person but this one."""
    session = signed_in(request, game)
    host_of(request).sign_in.end_others(session, visit_of(request))
    return _back(game)


def _ways_page(request: WebRequest, game: str, problem: str) -> Response[str]:
    session, host = signed_in(request, game), host_of(request)
    values: dict[str, Any] = {
        "passkeys": host.passkeys.of(game, session.reader),
        "sessions": host.sign_in.sessions(game, session.reader),
        "entries": host.sign_in.record.of(game, session.reader),
        "site": passkey_site(request),
    }
    status = 409 if problem else 200
    return page("ways.html", status, problem=problem, game=game, session=session, **values)


def _back(game: str) -> Response[Any]:
    return Redirect(f"/games/{quote(game, safe='')}/ways", status_code=303)


ROUTES = [
    show_ways, options_to_add, add_passkey, remove_passkey, end_session, end_other_sessions,
]  # fmt: skip
