"""The last audits of the games in a database; only one that was audited has the table."""

from collections.abc import Callable
from datetime import UTC
from typing import Any

import psycopg

from nomoledger.ledger.stores.last_audit import LastAudit
from nomoledger.ledger.stores.postgres_needed_tables import HAS_TABLE, create_if_missing

TABLE = "audits"
CREATE = """CREATE TABLE IF NOT EXISTS nomoledger.audits (
    game text COLLATE "C" NOT NULL PRIMARY KEY,
    number bigint NOT NULL,
    at timestamptz NOT NULL,
    is_sound boolean NOT NULL
)"""
SELECT = """SELECT game, number, at AT TIME ZONE 'UTC', is_sound
    FROM nomoledger.audits ORDER BY game"""
KEEP = """INSERT INTO nomoledger.audits VALUES (%s, %s, %s, %s) ON CONFLICT (game) DO UPDATE
    SET number = excluded.number, at = excluded.at, is_sound = excluded.is_sound"""


class PostgresAudits:
    """The part of a `nomoledger.ledger.stores.store.Store` that reads the last audits."""

    _fetch: Callable[..., list[Any]]

    def audits(self) -> list[LastAudit]:
        """Return the last audit of each game that was audited here, sorted by the games."""
        if not self._fetch(HAS_TABLE, TABLE):
            return []
        return [
            LastAudit(game, number, at.replace(tzinfo=UTC), is_sound)
            for game, number, at, is_sound in self._fetch(SELECT)
        ]


class PostgresAuditWriter:
    """The part of a `nomoledger.ledger.stores.store.Writer` that writes the last audits."""

    _connection: psycopg.Connection[Any]

    def set_audit(self, audit: LastAudit) -> None:
        """Keep *audit* as the last one of its game."""
        create_if_missing(self._connection, TABLE, CREATE)
        row = audit.game, audit.number, audit.at, audit.is_sound
        self._connection.execute(KEEP.encode(), row)
