"""Attacks on signing in, and on the server by bodies that are too large or never end."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn

from nomoledger.web import protection
from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from web.browsers import Browser
from web.conftest import EnterAs

ODD = ("%00", "%EF%BF%BD", "a" * 20_000, "..%2f..%2fadmin", "%0d%0aset-cookie:%20x=1", "%E2%80%AE")


@pytest.fixture
def port(host: GameHost, request: pytest.FixtureRequest) -> Iterator[int]:
    """The port of a real server; its parameter is the proxy that it believes."""
    proxy = getattr(request, "param", None)
    settings = uvicorn.Config(
        make_app(host), log_level="critical", lifespan="off", proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",
    )  # fmt: skip
    server = uvicorn.Server(settings)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join()


def ask(port: int, request: bytes) -> bytes:
    """Send *request* as it stands, and return what comes back until the connection is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(request)
        found = b""
        while part := connection.recv(65536):
            found += part
        return found


def post(path: str, *headers: str, body: bytes = b"") -> bytes:
    lines = (f"POST {path} HTTP/1.1", "Host: games.test", "Connection: close", *headers)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@pytest.mark.parametrize("token", ODD)
def test_an_odd_link_is_worth_nothing_and_breaks_nothing(host: GameHost, token: str) -> None:
    thief = Browser(make_app(host))
    for answer in (
        thief.client.get(f"/enter/{token}", follow_redirects=False),
        thief.client.post(f"/enter/{token}", follow_redirects=False),
    ):
        assert answer.status_code in (403, 404, 405)
        assert "set-cookie" not in answer.headers
        assert "location" not in answer.headers


def test_a_link_cannot_be_used_by_the_form_of_another_site(host: GameHost) -> None:
    token = host.sign_in.invite("mail", "Bob")
    victim = Browser(make_app(host))
    for headers in (
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://elsewhere.test"},
        {"origin": "null"},
        {"origin": "http://games.test.elsewhere.test"},
    ):
        answer = victim.client.post(f"/enter/{token}", headers=headers)
        assert (answer.status_code, answer.headers.get("set-cookie")) == (403, None)
    assert host.sign_in.whose(token) == ("mail", "Bob")


def test_a_cookie_that_somebody_else_has_set_is_not_the_session_afterwards(
    host: GameHost, enter_as: EnterAs
) -> None:
    (name,) = enter_as("Ann").client.cookies.keys()
    victim = Browser(make_app(host))
    victim.client.cookies.set(name, "known-to-the-attacker")
    victim.open(f"/enter/{host.sign_in.invite('mail', 'Ann')}")
    victim.client.cookies.clear()
    victim.send({}, to="/enter/")
    assert victim.client.cookies[name] != "known-to-the-attacker"
    assert host.sign_in.session("known-to-the-attacker") is None


def test_pages_after_sign_out_are_not_kept_by_the_browser(enter_as: EnterAs) -> None:
    ann = enter_as("Ann")
    ann.open("/games/mail/play")
    assert ann.headers["cache-control"] == "private, no-store"
    ann.send({}, to="/sign-out")
    ann.open("/games/mail/play")
    assert ann.status == 401


def test_over_https_the_cookie_is_bound_to_the_host(host: GameHost) -> None:
    browser = Browser(make_app(host), base="https://games.test")
    token = host.sign_in.invite("mail", "Ann")
    headers = {"sec-fetch-site": "same-origin"}
    answer = browser.client.post(f"/enter/{token}", headers=headers, follow_redirects=False)
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-nomoledger-session-")
    for part in ("Secure", "HttpOnly", "Path=/", "SameSite=lax"):
        assert part in cookie
    assert "Domain" not in cookie


@pytest.mark.parametrize("path", ["/sign-in/passkey", "/games/mail/ways/passkey"])
@pytest.mark.parametrize(
    "answer",
    ["", "{}", "[]", "\0", '{"id":"x","rawId":"x","type":"public-key","response":{}}', "{" * 9999],
)
def test_a_made_up_passkey_is_refused(host: GameHost, path: str, answer: str) -> None:
    ann = Browser(make_app(host), base="http://play.localhost")
    ann.sign_in(host, "mail", "Ann")
    ann.client.cookies.clear() if path.startswith("/sign-in") else None
    headers = {"sec-fetch-site": "same-origin"}
    found = ann.client.post(path, data={"credential": answer}, headers=headers)
    assert found.status_code in (403, 409)
    assert host.passkeys.of("mail", "Ann") == []


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "application/json"])
def test_a_body_that_is_too_large_is_refused_with_and_without_a_length(
    port: int, kind: str
) -> None:
    body = b"a" * 300_000
    told = post("/enter/x", f"Content-Type: {kind}", f"Content-Length: {len(body)}", body=body)
    chunk = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
    untold = post("/enter/x", f"Content-Type: {kind}", "Transfer-Encoding: chunked", body=chunk)
    for request in (told, untold):
        try:
            status = ask(port, request).split(b"\r\n")[0]
        except ConnectionError:  # The server closed the connection before it had read all.
            continue
        assert b" 413 " in status


def test_clients_that_never_end_their_requests_hold_nobody_up_and_are_given_up(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protection, "BODY_SECONDS", 1.0)
    form = "Content-Type: application/x-www-form-urlencoded"
    slow = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(100)]
    for place, connection in enumerate(slow):
        whole = post("/enter/x", form, "Content-Length: 500", body=b"a=")
        connection.sendall(whole if place % 2 else b"GET / HTTP/1.1\r\nHost: x")
    began = time.monotonic()
    assert b"200 OK" in ask(port, b"GET /sign-in HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert time.monotonic() - began < 10
    for connection in slow[1::2]:
        assert connection.recv(100).startswith(b"HTTP/1.1 ")
    for connection in slow:
        connection.close()


@pytest.mark.parametrize(
    ("port", "network"), [(None, "127.0.0.0/24"), ("127.0.0.1", "203.0.113.0/24")],
    indirect=["port"],
)  # fmt: skip
def test_only_a_proxy_that_is_named_says_from_where_and_how_a_client_comes(
    host: GameHost, port: int, network: str
) -> None:
    token = host.sign_in.invite("mail", "Ann")
    forwarded = ("X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: https")
    answer = ask(port, post(f"/enter/{token}", *forwarded, "Content-Length: 0"))
    entry = next(e for e in host.sign_in.record.in_game("mail") if e.what == "signed in")
    assert entry.network == network
    assert (b"__Host-" in answer) == (network != "127.0.0.0/24")
