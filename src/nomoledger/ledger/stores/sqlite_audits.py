"""The last audits of the games in a ledger file; only a file that was audited has the table."""

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime

from nomoledger.ledger.stores.last_audit import LastAudit

CREATE = """CREATE TABLE IF NOT EXISTS audits (
    game TEXT NOT NULL PRIMARY KEY,
    number INTEGER NOT NULL,
    at TEXT NOT NULL,
    is_sound INTEGER NOT NULL
)"""
HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE type='table' AND name='audits'"
SELECT = "SELECT game, number, at, is_sound FROM audits ORDER BY game"


class SqliteAudits:
    """The part of a `nomoledger.ledger.stores.store.Store` that reads the last audits."""

    _reading: Callable[[], AbstractContextManager[sqlite3.Cursor]]

    def audits(self) -> list[LastAudit]:
        """Return the last audit of each game that was audited here, sorted by the games."""
        with self._reading() as cursor:
            if cursor.execute(HAS_TABLE).fetchone() is None:
                return []
            rows = cursor.execute(SELECT).fetchall()
        return [
            LastAudit(game, number, datetime.fromisoformat(at), bool(is_sound))
            for game, number, at, is_sound in rows
        ]


class SqliteAuditWriter:
    """The part of a `nomoledger.ledger.stores.store.Writer` that writes the last audits."""

    _cursor: sqlite3.Cursor

    def set_audit(self, audit: LastAudit) -> None:
        """Keep *audit* as the last one of its game."""
        self._cursor.execute(CREATE)
        row = audit.game, audit.number, audit.at.isoformat(), int(audit.is_sound)
        self._cursor.execute("INSERT OR REPLACE INTO audits VALUES (?,?,?,?)", row)
