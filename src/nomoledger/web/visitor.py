"""Who makes a request: the session behind its cookie, and for whom it is made."""

import hashlib
from typing import Any
from urllib.parse import quote

import msgspec
from anyio import to_thread
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.exceptions import NotAuthorizedException, PermissionDeniedException

from nomoledger.people.sign_in import ADMIN, Session
from nomoledger.people.visit import Visit, visit_from
from nomoledger.web.game_host import GameHost

#: What the names of cookies begin with: of sessions, and of who asked to sign in by mail.
SESSION_COOKIE, ASK_COOKIE = "nomoledger-session", "nomoledger-mail"
#: Where the scope of a request keeps the sessions that were looked up for it.
_KNOWN = "nomoledger.sessions"

WebRequest = Request[Any, Any, Any]
WebConnection = ASGIConnection[Any, Any, Any, Any]


class Player(msgspec.Struct, frozen=True):
    """For whom a request is made.

    Attributes:
        session: the session behind it.
        name: the player.
        acting_for: the player again, if the admin acts for the player; "" otherwise.
    """

    session: Session
    name: str
    acting_for: str = ""

    @property
    def suffix(self) -> str:
        """What addresses end with, so that the admin goes on acting for the player."""
        return f"?as={quote(self.acting_for)}" if self.acting_for else ""


def host_of(request: WebConnection) -> GameHost:
    """Return the host behind *request*."""
    host: GameHost = request.app.state.host
    return host


def public_base(request: WebRequest) -> str:
    """Return what the addresses of our pages begin with, for people who are not here yet."""
    return host_of(request).public_url or str(request.base_url).rstrip("/")


def cookie_name(request: WebConnection, game: str) -> str:
    """Return the name of the cookie of a session in *game*.

    Each game has its own, and each server: browsers keep cookies of a host whatever the port. Those
    whose names begin with `__Host-` they take over https only, and send to this host only (RFC
    6265bis).
    """
    return _named(request, SESSION_COOKIE, f" {game}")


def ask_cookie_name(request: WebConnection) -> str:
    """Return the name of the cookie of whoever asked to sign in by mail; see `cookie_name`."""
    return _named(request, ASK_COOKIE, "")


def our_cookie(request: WebConnection, name: str, value: str, seconds: int) -> Cookie:
    """Return the cookie *name*, which no script can read, for so many *seconds*; 0 removes it."""
    return Cookie(
        key=name,
        value=value,
        max_age=seconds,
        path="/",
        httponly=True,
        samesite="lax",
        secure=is_secure(request),
    )


def _named(request: WebConnection, kind: str, about: str) -> str:
    place = hashlib.sha256(f"{request.url.netloc}{about}".encode()).hexdigest()[:12]
    name = f"{kind}-{place}"
    return f"__Host-{name}" if is_secure(request) else name


def is_secure(request: WebConnection) -> bool:
    """Return whether browsers reach this server over https."""
    public = host_of(request).public_url
    return request.url.scheme == "https" or public.startswith("https:")


def visit_of(request: WebRequest) -> Visit:
    """Return what is kept of where *request* comes from."""
    client = request.client
    return visit_from(request.headers.get("user-agent", ""), client.host if client else "")


def session_of(request: WebConnection, game: str) -> Session | None:
    """Return the session of *request* in *game*; None if nobody is signed in to it."""
    token = request.cookies.get(cookie_name(request, game))
    if token is None:
        return None
    known: dict[str, Session | None] = request.scope.setdefault(_KNOWN, {})  # type: ignore[misc]
    if token not in known:
        known[token] = host_of(request).sign_in.session(token)
    session = known[token]
    return session if session is not None and session.game == game else None


def known_session(request: WebConnection, game: str) -> Session | None:
    """Return what `session_of` found for *request* before; None if nobody asked. It never waits."""
    known: dict[str, Session | None] = request.scope.get(_KNOWN, {})  # type: ignore[assignment]
    session = known.get(request.cookies.get(cookie_name(request, game), ""))
    return session if session is not None and session.game == game else None


def signed_in(request: WebConnection, game: str) -> Session:
    """Return the session of *request* in *game*.

    Raises:
        NotAuthorizedException: nobody is signed in.
    """
    session = session_of(request, game)
    if session is None:
        raise NotAuthorizedException("sign in first")
    return session


def admin_of(request: WebConnection, game: str) -> Session:
    """Return the session of the admin of *game*.

    Raises:
        NotAuthorizedException: nobody is signed in.
        PermissionDeniedException: somebody else is.
    """
    session = signed_in(request, game)
    if session.reader != ADMIN:
        raise PermissionDeniedException("only the admin may do this")
    return session


async def admin_only(connection: WebConnection, _: Any) -> None:
    """Let only the admin of the game reach a handler (a guard of Litestar).

    Raises:
        NotAuthorizedException: nobody is signed in.
        PermissionDeniedException: somebody else is.
    """
    await to_thread.run_sync(admin_of, connection, str(connection.path_params["game"]))


def reader_of(request: WebRequest, game: str) -> Player:
    """Return for whom *request* is made, as `player_of` does; the admin may read for nobody else.

    Raises:
        NotAuthorizedException: nobody is signed in.
        PermissionDeniedException: a player acts for another.
    """
    session = signed_in(request, game)
    if session.reader == ADMIN and not request.query_params.get("as", ""):
        return Player(session, ADMIN)
    return player_of(request, game)


def player_of(request: WebRequest, game: str) -> Player:
    """Return the player for whom *request* is made: who is signed in, or whom the admin acts for.

    Raises:
        NotAuthorizedException: nobody is signed in.
        PermissionDeniedException: a player acts for another.
    """
    session = signed_in(request, game)
    wanted = request.query_params.get("as", "")
    if session.reader == ADMIN:
        if not wanted:
            raise PermissionDeniedException("the admin plays for somebody: choose a player")
        return Player(session, wanted, wanted)
    if wanted and wanted != session.reader:
        raise PermissionDeniedException("only the admin may act for another player")
    return Player(session, session.reader)
