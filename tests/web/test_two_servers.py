"""Two server processes serve one ledger in PostgreSQL, and one of them is killed."""

import json
import time
from collections.abc import Iterator

import httpx
import pytest
from browser.served_ledger import ServedLedger, nomoledger
from postgres_server import PostgresServer

pytestmark = pytest.mark.slow
GAME = "/games/mail-opening"
#: How many players join, and after how many the first server is killed.
JOINS, KILLED_AFTER = 30, 12
#: How long a request may take on a busy machine, in seconds.
PATIENCE = 30.0


@pytest.fixture
def servers(postgres_server: PostgresServer) -> Iterator[list[ServedLedger]]:
    url = postgres_server.new_database()
    nomoledger("init", url, "--rulebook", "mail-opening")
    both = [ServedLedger(url), ServedLedger(url)]
    yield both
    for server in both:
        server.stop()


@pytest.fixture
def admin(servers: list[ServedLedger]) -> Iterator[httpx.Client]:
    """Returns a browser that is signed in as the admin, by the link of the second server."""
    host = {"host": "games.test"}  # A proxy passes it on: both servers are one to a browser.
    with httpx.Client(follow_redirects=True, timeout=PATIENCE, headers=host) as client:
        client.post(servers[1].admin_links["mail-opening"]).raise_for_status()
        yield client


def join(client: httpx.Client, server: ServedLedger, name: str, game: str = GAME) -> None:
    fields = {"id": f"join-{name}", "name": name, "email": f"{name}@example.org"}
    client.post(f"{server.address}{game}/admin/join", data=fields).raise_for_status()


def test_who_signs_in_at_one_server_is_signed_in_at_the_other_and_hears_its_news(
    servers: list[ServedLedger], admin: httpx.Client
) -> None:
    first, second = servers
    with admin.stream("GET", f"{second.address}{GAME}/news") as stream:
        heads = (int(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        before = next(heads)
        begin = time.monotonic()
        join(admin, first, "Ann")
        assert next(heads) > before
        assert time.monotonic() - begin < PATIENCE


def test_a_killed_server_loses_nothing_and_the_other_goes_on(
    servers: list[ServedLedger], admin: httpx.Client
) -> None:
    first, second = servers
    names = [f"player{number}" for number in range(JOINS)]
    for number, name in enumerate(names):
        if number == KILLED_AFTER:
            first.kill()
        try:
            join(admin, (first, second)[number % 2], name)
        except httpx.TransportError:  # A browser sends the same form again.
            join(admin, second, name)
    for name in names[:KILLED_AFTER]:  # What was acknowledged is not done twice, either.
        join(admin, second, name)
    players = json.loads(nomoledger("players", second.location, "--json"))
    assert sorted(player["player"] for player in players["players"]) == sorted(names)
    nomoledger("verify", second.location)
