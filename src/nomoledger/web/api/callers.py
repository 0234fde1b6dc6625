"""Who calls the API: the token behind a request, and for whom the request is made."""

from typing import Any

import msgspec
from anyio import to_thread
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from nomoledger.people.api_tokens import ApiToken
from nomoledger.people.sign_in import ADMIN, Session
from nomoledger.web.api.problem_details import ApiProblemError
from nomoledger.web.game_host import GameHost
from nomoledger.web.rate_limits import RateLimits, network_key

ApiRequest = Request[Any, Any, Any]
Connection = ASGIConnection[Any, Any, Any, Any]
_KEY = "nomoledger.caller"


class Caller(msgspec.Struct, frozen=True):
    """Who makes a request of the API.

    Attributes:
        token: the token; None if there is none.
        reader: as whom the game is read: a player, "admin", or None for what everybody may see.
        player: for whom requests are made: the owner of the token, or whom the admin acts for.
    """

    token: ApiToken | None = None
    reader: str | None = None
    player: str = ""

    @property
    def session(self) -> Session:
        """What stands for the token in the record of who did what."""
        assert self.token is not None
        return Session(f"token {self.token.id}", self.token.game, self.token.reader)

    @property
    def acting_for(self) -> str:
        """The player for whom the admin acts; "" if nobody acts for another."""
        is_other = self.token is not None and self.player != self.token.reader
        return self.player if is_other else ""


def host_behind(request: Connection) -> GameHost:
    """Return the host behind *request*."""
    host: GameHost = request.app.state.host
    return host


def caller_of(request: Connection) -> Caller:
    """Return who makes *request*; `admit` has found that out."""
    caller: Caller = request.scope[_KEY]  # type: ignore[literal-required]
    return caller


async def admit(request: Connection, handler: BaseRouteHandler) -> None:
    """Find out who makes *request* before its body is read, and whether the token allows it.

    Raises:
        ApiProblemError: it does not, or there were too many requests.
    """
    scope = str(handler.opt.get("scope", "public"))
    kind = str(handler.opt.get("limit", "reading"))
    caller = await to_thread.run_sync(_identify, request, scope, kind)
    request.scope[_KEY] = caller  # type: ignore[literal-required]
    _check_headers(request, bool(handler.opt.get("is_recorded")))


def _check_headers(request: Connection, is_recorded: bool) -> None:
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip()
    if kind.lower() != "application/json":
        raise ApiProblemError("media-type", f"send application/json, not {kind!r:.60}")
    if is_recorded and not request.headers.get("idempotency-key", "").strip('" '):
        detail = "choose a new key for each request, such as a UUID, and repeat it to try again"
        raise ApiProblemError("key-missing", detail)


def _identify(request: Connection, scope: str, kind: str) -> Caller:
    """Return who makes *request*, which needs a token with *scope* and counts as *kind*."""
    secret = _secret_in(request)
    if secret is None:
        _count(request, kind, "")
        if scope != "public":
            raise _unauthorized("send a token: Authorization: Bearer nomoledger_…")
        return Caller()
    token = host_behind(request).tokens.find(secret)
    if token is None:
        _count(request, kind, "")
        raise _unauthorized("nobody has this token: it was revoked, or it has expired")
    _count(request, kind, token.id)
    game = request.path_params.get("game", token.game)
    if game != token.game:
        raise ApiProblemError("scope", f"this token is for the game {token.game!r} only")
    if scope != "public" and scope not in token.scopes:
        raise _forbidden(scope)
    if scope == "public" and not {"public", "read"} & set(token.scopes):
        raise _forbidden("read")
    player = _player(request, token)
    sees_own = "read" in token.scopes or scope != "public"
    return Caller(token, player if sees_own else None, player)


def _player(request: Connection, token: ApiToken) -> str:
    wanted = str(request.query_params.get("as", "")) or token.reader
    if wanted != token.reader and token.reader != ADMIN:
        raise ApiProblemError("scope", "only the admin may act for another player", scope="admin")
    if wanted != token.reader and "admin" not in token.scopes:
        raise _forbidden("admin")
    return wanted


def player_behind(request: ApiRequest) -> str:
    """Return the player for whom *request* is made.

    Raises:
        ApiProblemError: the admin makes it, and names no player.
    """
    caller = caller_of(request)
    if caller.player == ADMIN:
        raise ApiProblemError("malformed", "the admin plays for somebody: add ?as=PLAYER")
    return caller.player


def _secret_in(request: Connection) -> str | None:
    given = request.headers.get("authorization")
    if given is None:
        return None
    kind, _, secret = given.partition(" ")
    if kind.lower() != "bearer" or not secret.strip():
        raise _unauthorized("the header is Authorization: Bearer nomoledger_…")
    return secret.strip()


def _count(request: Connection, kind: str, token: str) -> None:
    """Count a request of *token*; without one, of the address that it comes from."""
    limits: RateLimits = request.app.state.limits
    client = request.scope.get("client")
    address = f"address {network_key(client[0] if client else '')}"
    wait = limits.take(kind, f"token {token}" if token else address)
    if wait:
        detail = f"wait {wait} seconds, then go on"
        raise ApiProblemError("too-many", detail, {"retry-after": str(wait)})


def _unauthorized(detail: str) -> ApiProblemError:
    return ApiProblemError("token", detail, {"www-authenticate": 'Bearer realm="nomoledger"'})


def _forbidden(scope: str) -> ApiProblemError:
    challenge = f'Bearer realm="nomoledger", error="insufficient_scope", scope="{scope}"'
    detail = f"this needs a token with the scope {scope!r}"
    return ApiProblemError("scope", detail, {"www-authenticate": challenge}, scope=scope)
