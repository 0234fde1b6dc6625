"""What protects every answer: where requests come from, and what pages may load.

A browser says in `Sec-Fetch-Site` whether the page of another site sends a request. Only requests
of our own pages may change something. (Fetch Metadata, W3C; OWASP, Cross-Site Request Forgery
Prevention, 2025.) Browsers that do not say so send `Origin` with every form.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Where the scope of a request keeps what is to be done when its answer has ended.
AT_END = "nomoledger.at_end"
#: How long the body of a request may take to arrive, in seconds.
BODY_SECONDS = 30.0
#: Requests that change nothing.
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
#: No script stands in a page. Attributes of pages may state colors, as the published site does.
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline';"
    " img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none';"
    " base-uri 'none'"
)
HEADERS = (
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)


def protected(app: App) -> App:
    """Return *app* behind the checks and headers of this module."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.lower(): value for name, value in scope.get("headers", ())}
        is_safe = scope["type"] != "http" or scope["method"] in SAFE_METHODS
        if not is_safe and not is_from_here(headers):
            await _refuse(send)
            return
        with ExitStack() as at_end:
            scope[AT_END] = at_end
            await app(scope, _in_time(receive) if scope["type"] == "http" else receive, send)

    return with_headers(answer)


def with_headers(app: App) -> App:
    """Return *app*, whose answers get the headers of this module."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                more = [pair for pair in HEADERS if pair[0] not in given]
                if b"cache-control" not in given:
                    more.append((b"cache-control", b"private, no-store"))
                message["headers"] = [*message["headers"], *more]
            await send(message)

        await app(scope, receive, send_with_headers)

    return answer


def _in_time(receive: Receive) -> Receive:
    """Return *receive*, which gives a client up whose body takes longer than `BODY_SECONDS`."""
    end = asyncio.get_running_loop().time() + BODY_SECONDS
    is_whole = False

    async def receive_in_time() -> MutableMapping[str, Any]:
        nonlocal is_whole
        if is_whole:  # What comes now is that the client goes.
            return await receive()
        try:
            async with asyncio.timeout_at(end):
                message = await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        is_whole = not message.get("more_body", False)
        return message

    return receive_in_time


def is_from_here(headers: dict[bytes, bytes]) -> bool:
    """Return whether a request with *headers* comes from a page of ours, or from a program."""
    site = headers.get(b"sec-fetch-site")
    if site is not None:
        return site in (b"same-origin", b"none")
    origin = headers.get(b"origin")
    if origin is None:
        return True  # No browser: it has no session of somebody else, either.
    host = headers.get(b"host", b"").decode("latin-1")
    return bool(host) and urlsplit(origin.decode("latin-1")).netloc == host


async def _refuse(send: Send) -> None:
    text = b"This request comes from another site, so nothing was done.\n"
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": text})
