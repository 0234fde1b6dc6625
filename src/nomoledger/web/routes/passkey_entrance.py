"""The page to sign in on, and signing in with a passkey."""

import secrets
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from litestar import Response, get, post
from litestar.params import FromPath

from nomoledger.errors import UsageError
from nomoledger.people.passkeys import PasskeySite
from nomoledger.web.forms import Form, text_in
from nomoledger.web.page_templates import page
from nomoledger.web.routes.entrance import signed_in_answer
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, session_of, visit_of


@get("/sign-in")
@in_thread
def show_entrance(request: WebRequest) -> Response[str]:
    """Show the ways to sign in to any game."""
    return entrance_page(request, "")


@get("/games/{game:str}/sign-in")
@in_thread
def show_sign_in(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show the ways to sign in to the game."""
    host_of(request).head(game)
    return entrance_page(request, game)


@post("/sign-in/passkey/options", opt={"limit": "sign-in"})
@in_thread
def options_to_sign_in(request: WebRequest) -> Response[str]:
    """Send what a browser needs to use a passkey."""
    options = host_of(request).passkeys.options_to_sign_in(known_site(request))
    return Response(options, media_type="application/json", status_code=200)


@post("/sign-in/passkey", opt={"limit": "sign-in"})
@in_thread
def use_passkey(request: WebRequest, data: Form) -> Response[Any]:
    """Sign in with a passkey."""
    try:
        answer, site = text_in(data, "credential"), known_site(request)
        game, reader, token = host_of(request).passkeys.enter(
            site, answer, visit_of(request), partial(session_of, request)
        )
    except UsageError as error:
        return entrance_page(request, "", problem=str(error))
    return signed_in_answer(request, game, reader, token)


def entrance_page(
    request: WebRequest, game: str, problem: str = "", address: str = ""
) -> Response[str]:
    """Return the page to sign in on, to *game* if one is named, by mail to *address*."""
    values: dict[str, Any] = {
        "site": passkey_site(request),
        "session": session_of(request, game) if game else None,
        "form_id": None if host_of(request).mail is None else secrets.token_urlsafe(32),
        "address": address,
    }
    status = 403 if problem else 200
    return page("sign_in.html", status, game=game, problem=problem, **values)


def known_site(request: WebRequest) -> PasskeySite:
    """Return for what site passkeys are made here.

    Raises:
        UsageError: none can be made.
    """
    site = passkey_site(request)
    if site is None:
        raise UsageError("passkeys need the public address: serve --public-url https://…")
    return site


def passkey_site(request: WebRequest) -> PasskeySite | None:
    """Return for what site passkeys are made here; None if browsers would make none.

    It is that of the public address. Without one, it is this computer, if it is called localhost:
    browsers make no passkeys for numeric addresses, and none without https for other hosts.
    """
    public = host_of(request).public_url
    origin = public or f"{request.url.scheme}://{request.url.netloc}"
    parts = urlsplit(origin)
    name = parts.hostname or ""
    is_local = name == "localhost" or name.endswith(".localhost")
    if is_local or (public and parts.scheme == "https" and not _is_numeric(name)):
        return PasskeySite(name, origin)
    return None


def _is_numeric(name: str) -> bool:
    return ":" in name or name.replace(".", "").isdecimal()


ROUTES = [show_entrance, show_sign_in, options_to_sign_in, use_passkey]
