"""News through a PostgreSQL server: programs notify it after each append, and others listen.

A notification is sent in a transaction of its own, after that of the append. In PostgreSQL, all
transactions that notify commit one after the other, each with its wait for disk and standby. In the
transaction of an append, games would wait for each other.
"""

import secrets
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import psycopg

from nomoledger.errors import StoreError
from nomoledger.ledger.stores.location import safe_location
from nomoledger.ledger.stores.news import mark_of
from nomoledger.ledger.stores.postgres_link import PostgresConnections, plain_errors

#: Where notifications are sent. A database holds one ledger, and channels belong to a database.
CHANNEL = "nomoledger_news"
#: What stands before each mark of `PostgresNews.echo`; no mark of a game begins so.
ECHO = "echo-"
#: A notification need not be on a disk.
NOTIFY = f"BEGIN; SET LOCAL synchronous_commit = off; SELECT pg_notify('{CHANNEL}', {{}}); COMMIT"


def announce(connection: psycopg.Connection[Any], games: Iterable[str]) -> None:
    """Tell all who listen that something was appended to *games*.

    The append is recorded whether this works or not. Who listens looks for itself now and then.
    """
    with suppress(psycopg.Error):
        for game in games:
            _notify(connection, mark_of(game))


def _notify(connection: psycopg.Connection[Any], mark: str) -> None:
    connection.execute(NOTIFY.format(f"'{mark}'").encode())


class PostgresNews:
    """The `nomoledger.ledger.stores.news.News` of a database, with a connection of its own."""

    def __init__(self, address: dict[str, Any], location: str, pool: PostgresConnections) -> None:
        """Listen at *address*; send echoes through *pool*; messages name *location*.

        Raises:
            StoreError: the server cannot be reached, or lets nobody listen.
        """
        self._location = safe_location(location)
        self._pool = pool
        with plain_errors(self._location):
            self._connection = psycopg.connect(**address, autocommit=True)
            try:
                self._connection.execute(f"LISTEN {CHANNEL}".encode())
            except BaseException:
                self._connection.close()
                raise

    def wait(self, seconds: float) -> set[str]:
        """See `nomoledger.ledger.stores.news.News.wait`."""
        with plain_errors(self._location):
            heard = self._connection.notifies(timeout=seconds, stop_after=1)
            return {notice.payload for notice in heard}

    def echo(self) -> str:
        """See `nomoledger.ledger.stores.news.News.echo`."""
        mark = ECHO + secrets.token_hex(8)
        with plain_errors(self._location), self._pool.living_connection() as connection:
            _notify(connection, mark)
        return mark

    def close(self) -> None:
        """See `nomoledger.ledger.stores.news.News.close`."""
        with suppress(psycopg.Error, StoreError):
            self._connection.close()
