"""PostgreSQL goes away while a server runs, and comes back: the server itself goes on."""

import time
from collections.abc import Iterator

import httpx
import pytest
from browser.served_ledger import ServedLedger
from postgres_server import PostgresServer

from web.opened_game import open_mail_game
from web.test_two_servers import PATIENCE, join

pytestmark = pytest.mark.slow
GAME = "/games/mail"
#: How long pages wait at most for a database that refuses connections, after the first wait.
AT_ONCE = 4.0


@pytest.fixture
def server(postgres_server: PostgresServer) -> Iterator[ServedLedger]:
    url = postgres_server.new_database()
    open_mail_game(url)
    served = ServedLedger(url)
    yield served
    served.stop()


def answer(client: httpx.Client, address: str, text: str) -> httpx.Response:
    """Open *address*, which cannot be reached now, and says so with *text*."""
    found = client.get(address)
    assert found.status_code == 503
    assert int(found.headers["retry-after"]) > 0
    assert text in found.text
    assert "postgresql" not in found.text
    return found


def test_an_outage_is_told_at_once_and_everything_goes_on_when_it_is_over(
    server: ServedLedger, postgres_server: PostgresServer
) -> None:
    with httpx.Client(follow_redirects=True, timeout=PATIENCE, base_url=server.address) as admin:
        admin.post(server.admin_links["mail"]).raise_for_status()
        with admin.stream("GET", f"{GAME}/news") as stream:
            heads = (int(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
            before = next(heads)
            postgres_server.stop()
            try:
                while admin.get(f"{GAME}/admin").status_code != 503:  # It waits for a while first.
                    time.sleep(0.1)
                begin = time.monotonic()
                answer(admin, f"{GAME}/admin", "The games cannot be reached at the moment")
                problem = answer(admin, f"/api/v1{GAME}", "The games cannot be reached")
                assert problem.headers["content-type"] == "application/problem+json"
                assert time.monotonic() - begin < AT_ONCE
            finally:
                postgres_server.start()
            join(admin, server, "Cem", GAME)
            assert next(heads) > before
        assert "Cem" in admin.get(f"{GAME}/admin/people").text
