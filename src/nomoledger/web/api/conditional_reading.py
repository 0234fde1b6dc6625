"""Reading a game for a program, which may say that it has the answer already (RFC 9110, 13.1.2)."""

import hashlib
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, TypeVar

from litestar import Response

from nomoledger.game.desk.public_head import ReaderHead, reader_head
from nomoledger.web.api.callers import ApiRequest, caller_of, host_behind

T = TypeVar("T")


def show(
    request: ApiRequest, make: Callable[..., T], *arguments: Any, kind: type[T],
    takes_long: bool = False, shown: Callable[[T], Any] = lambda value: value,
) -> Response[Any]:  # fmt: skip
    """Return what *make* makes of the game and *arguments*, or 304 if the program has it already.

    With *takes_long*, a process of its own makes it. *shown* makes the answer of it.
    """
    host, game = host_behind(request), str(request.path_params["game"])
    headers = headers_of(request)
    if has_it(request, headers["etag"]):
        return Response(None, status_code=304, headers=headers)
    read = host.study if takes_long else host.read
    return Response(shown(read(game, make, *arguments, kind=kind)), headers=headers)


def headers_of(request: ApiRequest) -> dict[str, str]:
    """Return the headers of an answer that depends on the game, its reader and the address only.

    The tag is made from the last event that the reader may know of: what is kept from the reader
    does not change it. It is found before the answer is made, so it never is that of a newer state.
    """
    host, game = host_behind(request), str(request.path_params["game"])
    reader = caller_of(request).reader
    head = host.read(game, reader_head, reader, kind=ReaderHead)
    parts = (
        version("nomoledger"),
        game,
        str(reader),
        str(head.number),
        request.url.path,
        request.url.query,
    )
    tag = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]
    return {
        "etag": f'"{head.number}-{tag}"',
        "vary": "authorization",
        "cache-control": "private, no-cache",
    }


def has_it(request: ApiRequest, tag: str) -> bool:
    """Return whether the program that makes *request* has the answer with that *tag*."""
    known = request.headers.get("if-none-match", "")
    return known.strip() == "*" or tag in {
        each.strip().removeprefix("W/") for each in known.split(",")
    }
