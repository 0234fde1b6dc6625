"""The floor that stores are held against: the driver, the same events and rows of the chain.

In the same tables with the same durability, and nothing else: no hash is computed, nothing is
looked up or checked or added up.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any, Protocol

import psycopg

#: The game that the floor writes, beside ours.
PLAIN = "plain"

Rows = list[tuple[Any, ...]]


class Floor(Protocol):
    """The bare driver."""

    def write(self, events: Rows, links: Rows) -> None:
        """Store the rows in one durable transaction."""

    def read(self, game: str) -> Iterator[tuple[str, bytes]]:
        """Topic and state of every event of *game*."""


class SqliteFloor:
    """The module sqlite3."""

    def __init__(self, file: str) -> None:
        self.connection = sqlite3.connect(file, isolation_level=None)

    def write(self, events: Rows, links: Rows) -> None:
        """As `Floor.write`."""
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany("INSERT INTO stored_events VALUES (?,?,?,?)", events)
        self.connection.executemany("INSERT INTO chain VALUES (?,?,?,?)", links)
        self.connection.execute("COMMIT")

    def read(self, game: str) -> Iterator[tuple[str, bytes]]:
        """As `Floor.read`."""
        return self.connection.execute(
            "SELECT topic, state FROM stored_events WHERE originator_id=?"
            " ORDER BY originator_version", (game,)
        )  # fmt: skip

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()


class PostgresFloor:
    """psycopg: COPY for many rows, INSERT for few, a server-side cursor for reading."""

    EVENTS = "stored_events (originator_id, originator_version, topic, state)"

    def __init__(self, url: str) -> None:
        self.connection = psycopg.connect(url, autocommit=True)
        self.connection.execute("SET search_path = nomoledger")

    def write(self, events: Rows, links: Rows) -> None:
        """As `Floor.write`."""
        with self.connection.transaction(), self.connection.cursor() as cursor:
            if len(events) == 1:
                statement = f"INSERT INTO {self.EVENTS} VALUES (%s, %s, %s, %s)".encode()
                cursor.execute(statement, events[0], prepare=True)
            else:
                with cursor.copy(f"COPY {self.EVENTS} FROM STDIN (FORMAT BINARY)".encode()) as copy:
                    copy.set_types(["text", "int8", "text", "bytea"])
                    for row in events:
                        copy.write_row(row)
            cursor.executemany("INSERT INTO chain VALUES (%s, %s, %s, %s)", links)

    def read(self, game: str) -> Iterator[tuple[str, bytes]]:
        """As `Floor.read`."""
        with self.connection.transaction(), self.connection.cursor("floor") as cursor:
            cursor.itersize = 1000
            cursor.execute(
                "SELECT topic, state FROM stored_events WHERE originator_id=%s"
                " ORDER BY originator_version", (game,), binary=True
            )  # fmt: skip
            yield from cursor

    def close(self) -> None:
        """Let go of the connection."""
        self.connection.close()
