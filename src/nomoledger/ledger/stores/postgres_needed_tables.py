"""Tables that a PostgreSQL database gets only when it needs them."""

from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier

from nomoledger.ledger.stores.postgres_schema import LOCK

#: This queries the catalogue itself, because to_regclass may answer from an outdated cache.
HAS_TABLE = "SELECT 1 FROM pg_tables WHERE schemaname = 'nomoledger' AND tablename = %s"
#: What others may do with the table `games`; no grantee is everybody.
SELECT_RIGHTS = """SELECT privilege_type,
        CASE grantee WHEN 0 THEN NULL ELSE pg_get_userbyid(grantee) END
    FROM pg_class, aclexplode(relacl) WHERE oid = 'nomoledger.games'::regclass
    AND privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE') AND grantee <> relowner"""


def create_if_missing(connection: psycopg.Connection[Any], table: str, statement: str) -> None:
    """Create *table* by *statement*, unless it exists; who may use `games` may use it alike."""
    if connection.execute(HAS_TABLE, (table,)).fetchone() is not None:
        return
    connection.execute(LOCK)
    connection.execute(statement.encode())
    for right, role in connection.execute(SELECT_RIGHTS).fetchall():
        grantee = SQL("PUBLIC") if role is None else Identifier(role)
        grant = SQL("GRANT {} ON nomoledger.{} TO {}")
        connection.execute(grant.format(SQL(right), Identifier(table), grantee))
