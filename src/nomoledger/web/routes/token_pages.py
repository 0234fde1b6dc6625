"""Tokens for programs: made, shown once, listed, and revoked by their owner."""

from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath

from nomoledger.errors import NomoledgerError
from nomoledger.people.api_tokens import DAYS_MAX, SCOPES
from nomoledger.people.sign_in import ADMIN
from nomoledger.web.forms import Form, number_in, optional_text_in, pairs_of, text_in
from nomoledger.web.page_templates import page
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, signed_in


@get("/games/{game:str}/tokens")
@in_thread
def show_tokens(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show the tokens of who is signed in, and the form that makes one."""
    return _tokens_page(request, game)


@post("/games/{game:str}/tokens")
@in_thread
def make_token(request: WebRequest, game: FromPath[str], data: Form) -> Response[str]:
    """Make a token, and show it, once."""
    host, session = host_of(request), signed_in(request, game)
    scopes = [value for name, value in pairs_of(data) if name == "scope"]
    name = optional_text_in(data, "name")
    try:
        days = number_in(data, "days")
        made = host.tokens.make(game, session.reader, name, scopes, days)
    except NomoledgerError as error:
        return _tokens_page(request, game, problem=str(error))
    host.deeds.note(session, f"makes the token {name!r} ({', '.join(scopes)})")
    return _tokens_page(request, game, made=made)


@post("/games/{game:str}/tokens/revoke")
@in_thread
def revoke_token(request: WebRequest, game: FromPath[str], data: Form) -> Response[str]:
    """Revoke a token: it works no more."""
    host, session = host_of(request), signed_in(request, game)
    revoked = host.tokens.revoke(game, session.reader, text_in(data, "token"))
    host.deeds.note(session, f"revokes the token {revoked.name!r}")
    return _tokens_page(request, game, revoked=revoked.name)


def _tokens_page(
    request: WebRequest, game: str, *, made: str = "", revoked: str = "", problem: str = ""
) -> Response[str]:
    host, session = host_of(request), signed_in(request, game)
    is_admin = session.reader == ADMIN
    values: dict[str, Any] = {
        "tokens": host.tokens.all_of(game, session.reader),
        "scopes": {name: text for name, text in SCOPES.items() if is_admin or name != "admin"},
        "days_max": DAYS_MAX,
        "made": made,
        "revoked": revoked,
        "problem": problem,
        "place": str(request.base_url).rstrip("/") + "/api/v1",
    }
    status = 422 if problem else 200
    return page("tokens.html", status, **values, game=game, session=session)


ROUTES = [show_tokens, make_token, revoke_token]
