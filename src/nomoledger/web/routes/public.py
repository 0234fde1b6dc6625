"""What everybody may see: the list of games, the published site, files, and news as it happens."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from mimetypes import guess_type
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect, ServerSentEvent, ServerSentEventMessage

from nomoledger.people.sign_in import ADMIN
from nomoledger.web.page_templates import asset, compressed_asset, page, served_line
from nomoledger.web.request_limits import open_stream
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, session_of

#: The files that pages load.
ASSETS = (
    "site.css", "play.css", "htmx.min.js", "hx-sse.min.js", "hx-preload.min.js", "live.js",
    "deadlines.js",
    "past.js", "passkey.js",
)  # fmt: skip


@get("/")
@in_thread
def show_games(request: WebRequest) -> Response[Any]:
    """Go to the only game, or list the games."""
    games = host_of(request).games()
    if len(games) == 1:
        return Redirect(f"/games/{quote(games[0])}", status_code=303)
    return page("games.html", games=games, game="", session=None)


@get("/games/{game:str}")
@in_thread
def show_game(request: WebRequest, game: FromPath[str]) -> Response[Any]:
    """Go to the desk of who is signed in; others see the published site."""
    host_of(request).head(game)
    session = session_of(request, game)
    place = "site/index.html"
    if session is not None:
        place = "admin" if session.reader == ADMIN else "play"
    return Redirect(f"/games/{quote(game)}/{place}", status_code=303)


@get("/games/{game:str}/site/{path:path}")
@in_thread
def show_site(request: WebRequest, game: FromPath[str], path: FromPath[str]) -> Response[bytes]:
    """Show a page of the published site, which has public information only.

    A line at its top leads to the pages of who is signed in. The published files do not have it.
    """
    parts = PurePosixPath(path.lstrip("/")).parts
    if any(part.startswith(".") for part in parts):
        raise NotFoundException("there is no such page")
    file = host_of(request).site(game).joinpath(*parts)
    if not file.is_file():
        session_of(request, game)  # The page that says so needs it.
        raise NotFoundException("there is no such page")
    kind = guess_type(file.name)[0] or "application/octet-stream"
    is_text = kind.startswith("text/") or kind.endswith(("xml", "javascript"))
    kind += "; charset=utf-8" if is_text else ""
    content = file.read_bytes()
    if kind.startswith("text/html"):
        line = served_line(game, session_of(request, game))
        content = content.replace(b"<head>", b'<head><link rel="icon" href="data:,">', 1)
        content = content.replace(b"<header>", line + b"<header>", 1)
    headers = {
        "etag": f'"{hashlib.sha256(content).hexdigest()[:20]}"',
        "vary": "cookie",
        "cache-control": "private, no-cache",
    }
    if headers["etag"] in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)


@get("/static/{name:str}")
@in_thread
def show_asset(request: WebRequest, name: FromPath[str]) -> Response[bytes]:
    """Send a file that pages load."""
    if name not in ASSETS:
        raise NotFoundException("there is no such file")
    kind = "text/css" if name.endswith("css") else "text/javascript"
    headers = {"cache-control": "max-age=3600", "vary": "accept-encoding"}
    is_short = "gzip" in request.headers.get("accept-encoding", "")
    headers |= {"content-encoding": "gzip"} if is_short else {}
    file = compressed_asset(name) if is_short else asset(name)
    return Response(file, media_type=f"{kind}; charset=utf-8", headers=headers)


@get("/games/{game:str}/news")
async def follow(request: WebRequest, game: FromPath[str]) -> ServerSentEvent:
    """Send the number of the last event that everybody may know of, whenever it changes.

    The admin is told of every event. The number is repeated after a while, to keep the stream open.
    """
    host = host_of(request)
    await asyncio.to_thread(host.head, game)
    session = await asyncio.to_thread(session_of, request, game)
    open_stream(request, session)
    knows_all = session is not None and session.reader == ADMIN

    async def news() -> AsyncIterator[ServerSentEventMessage]:
        async for head in host.watcher.heads(game, is_public=not knows_all):
            yield ServerSentEventMessage(data=str(head), event="head", id=str(head))

    return ServerSentEvent(news())


ROUTES = [show_games, show_game, show_site, show_asset, follow]
