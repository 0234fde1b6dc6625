"""Servers of one ledger in PostgreSQL count together what people do."""

from concurrent.futures import ThreadPoolExecutor

from postgres_server import PostgresServer

from nomoledger.people.database import open_people
from nomoledger.people.shared_counts import SharedCounts
from nomoledger.web.rate_limits import Rate, RateLimits


def test_servers_count_together_forget_and_store_no_address(
    postgres_url: str, postgres_server: PostgresServer
) -> None:
    databases = [open_people(postgres_url) for _ in range(2)]
    try:
        rates = {"sign-in": Rate(6, 600), "reading": Rate(2, 600), "request": Rate(2, 600)}
        servers = [RateLimits(rates=rates, shared=SharedCounts(each)) for each in databases]
        with ThreadPoolExecutor(4) as threads:
            waits = list(
                threads.map(lambda n: servers[n % 2].take("sign-in", "203.0.113.9"), range(12))
            )
        assert waits.count(0) == 6
        assert {wait for wait in waits if wait} == {100}
        assert [server.take("sign-in", "203.0.113.10") for server in servers] == [0, 0]
        assert [server.take("reading", "token") for server in servers * 2] == [0] * 4
        table = "nomoledger_people.allowances"
        rows = postgres_server.execute(f"SELECT * FROM {table}", postgres_url)
        assert len(rows) == 2
        assert "203" not in repr([key for key, _ in rows])
        assert [server.take("request", "Ann") for server in servers] == [0, 0]
        assert servers[0].take("request", "Ann") == 300
        postgres_server.execute(f"UPDATE {table} SET whole = whole - 300", postgres_url)
        assert servers[1].take("request", "Ann") == 0
        postgres_server.execute(f"UPDATE {table} SET whole = 0", postgres_url)
        SharedCounts(databases[0]).take("last", 1, 60)
        rows = postgres_server.execute(f"SELECT * FROM {table}", postgres_url)
        assert len(rows) == 1
    finally:
        for database in databases:
            database.close()
