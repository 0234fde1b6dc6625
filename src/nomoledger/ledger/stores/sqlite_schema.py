"""The tables of a ledger file, and what else a file may hold that nomoledger did not put there.

SQLite runs the triggers of a file without asking, so a file from a stranger could drop or change
what is written to it. Such a file is refused. Other foreign objects are only named.
"""

import re
import sqlite3

from nomoledger.errors import StoreError
from nomoledger.ledger.stores.sqlite_audits import CREATE as CREATE_AUDITS
from nomoledger.ledger.stores.sqlite_pointers import CREATE as CREATE_POINTERS
from nomoledger.ledger.stores.sqlite_side_tables import CREATE as CREATE_SIDE_TABLES

#: As eventsourcing's SQLiteApplicationRecorder creates it (a test compares them).
CREATE_EVENTS = (
    "CREATE TABLE IF NOT EXISTS stored_events (originator_id TEXT, originator_version INTEGER,"
    " topic TEXT, state BLOB, PRIMARY KEY (originator_id, originator_version))"
)
CREATE_CHAIN = """CREATE TABLE chain (
    game TEXT NOT NULL,
    number INTEGER NOT NULL,
    commitments BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (game, number)
) WITHOUT ROWID"""
CREATE_GAMES = """CREATE TABLE games (
    game TEXT NOT NULL PRIMARY KEY,
    secret BLOB NOT NULL,
    created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
)"""
CREATE = (CREATE_EVENTS, CREATE_CHAIN, CREATE_GAMES, *CREATE_SIDE_TABLES)
#: Tables that a file has only if it needs them.
CREATE_IF_NEEDED = (CREATE_POINTERS, CREATE_AUDITS)

SELECT_OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"


def _plain(sql: str | None) -> str:
    """Return *sql* without spaces and quotes: SQLite keeps a statement as somebody wrote it."""
    return re.sub(r'[\s"`\[\]]|IF NOT EXISTS', "", sql or "")


def _name(sql: str) -> str:
    return sql.partition("(")[0].split()[-1]


_NEEDED = {_name(sql) for sql in CREATE}
_TABLES = {_name(sql): _plain(sql) for sql in (*CREATE, *CREATE_IF_NEEDED)}


def check_objects(connection: sqlite3.Connection | sqlite3.Cursor, location: str) -> None:
    """Check that nothing in the file changes in silence what is written to it.

    Raises:
        StoreError: the file has a trigger; or one of our tables is missing, or drops rows that
            conflict with others.
    """
    tables = set()
    for kind, name, table, sql in connection.execute(SELECT_OBJECTS).fetchall():
        if kind == "trigger":
            raise StoreError(
                f"{location} has a trigger {name!r} on {table!r}, which could drop or change what"
                " is recorded: remove it (DROP TRIGGER), or restore a copy"
            )
        if kind == "table" and name in _TABLES:
            tables.add(name)
            if re.search(r"on\s+conflict", sql or "", re.IGNORECASE):
                raise StoreError(
                    f"{location}: the table {name!r} was changed, so that it could drop what is"
                    " recorded: restore a copy"
                )
    if missing := sorted(_NEEDED - tables):
        raise StoreError(f"{location} has no table {missing[0]!r}: restore a copy")


def foreign_objects(cursor: sqlite3.Cursor) -> list[str]:
    """Return what the file holds beside our tables, or different from them; a phrase for each."""
    found = []
    for kind, name, table, sql in cursor.execute(SELECT_OBJECTS).fetchall():
        if kind == "table" and name in _TABLES:
            found += _changes(cursor, name, sql)
        elif kind == "table" and not name.startswith("sqlite_"):
            found.append(f"the table {name!r}")
        elif kind == "index" and sql is not None:
            found.append(f"the index {name!r} on {table!r}")
        elif kind in ("view", "trigger"):
            found.append(f"the {kind} {name!r}")
    return found


def _changes(cursor: sqlite3.Cursor, table: str, sql: str) -> list[str]:
    if _plain(sql) == _TABLES[table]:
        return []
    with_ours = sqlite3.connect(":memory:")
    try:
        for statement in (*CREATE, *CREATE_IF_NEEDED):
            with_ours.execute(statement)
        ours = set(with_ours.execute(f"SELECT name FROM pragma_table_xinfo('{table}')"))
    finally:
        with_ours.close()
    here = cursor.execute(f"SELECT name FROM pragma_table_xinfo('{table}')").fetchall()
    added = [name for (name,) in here if (name,) not in ours]
    if not added:
        return [f"another definition of the table {table!r}"]
    return [f"the column {name!r} of the table {table!r}" for name in added]
