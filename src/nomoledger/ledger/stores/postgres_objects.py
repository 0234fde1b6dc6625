"""What the schema of a ledger in PostgreSQL may hold that nomoledger did not put there.

Triggers, rules and row-level security change in silence what is written or read, so a ledger with
one of them is refused. Other foreign objects are only named.
"""

from typing import Any

import psycopg

from nomoledger.errors import StoreError

#: The columns of our tables: name, type, whether NULL is refused, and the collation or the default.
COLUMNS = {
    "audits": "game text NOT NULL C, number bigint NOT NULL, at timestamp with time zone NOT NULL,"
    " is_sound boolean NOT NULL",
    "chain": "game text NOT NULL C, number bigint NOT NULL, commitments bytea NOT NULL,"
    " hash bytea NOT NULL",
    "games": "game text NOT NULL C, secret bytea NOT NULL,"
    " created timestamp with time zone NOT NULL DEFAULT now()",
    "pointers": "game text NOT NULL C, place text NOT NULL default, is_arriving boolean NOT NULL,"
    " secret bytea NOT NULL, created timestamp with time zone NOT NULL DEFAULT now()",
    "rollup": "game text NOT NULL C, effective bigint NOT NULL, recorded bigint NOT NULL,"
    " account text NOT NULL C, commodity text NOT NULL C, units numeric NOT NULL",
    "schema_version": "version integer NOT NULL",
    "seals": "game text NOT NULL C, period bigint NOT NULL, number bigint NOT NULL,"
    " seal bytea NOT NULL",
    "snapshot_parts": "game text NOT NULL C, key bytea NOT NULL, part bytea NOT NULL",
    "snapshots": "game text NOT NULL C, fold text NOT NULL C, number bigint NOT NULL,"
    " period bigint NOT NULL, hash bytea NOT NULL, root bytea NOT NULL",
    "stored_events": "originator_id text NOT NULL C, originator_version bigint NOT NULL,"
    " topic text default, state bytea, notification_id bigint NOT NULL"
    " DEFAULT nextval('nomoledger.stored_events_notification_id_seq'::regclass)",
}
#: Our indexes and sequences.
_BESIDE = {
    *(f"{table}_pkey" for table in COLUMNS if table != "schema_version"),
    "stored_events_notification_id_idx",
    "stored_events_notification_id_seq",
}
_OURS = "n.nspname = 'nomoledger'"

#: Each row says what is refused. Triggers that PostgreSQL itself makes are internal.
SELECT_REFUSED = f"""
SELECT 'a trigger ' || quote_literal(tgname) || ' on ' || quote_literal(relname)
    FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid JOIN pg_namespace n ON n.oid = relnamespace
    WHERE {_OURS} AND NOT tgisinternal
UNION ALL SELECT 'a rule ' || quote_literal(rulename) || ' on ' || quote_literal(relname)
    FROM pg_rewrite JOIN pg_class c ON c.oid = ev_class JOIN pg_namespace n ON n.oid = relnamespace
    WHERE {_OURS} AND relname = ANY(%s) AND (relkind <> 'v' OR rulename <> '_RETURN')
UNION ALL SELECT 'row-level security on ' || quote_literal(relname)
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE {_OURS} AND (relrowsecurity OR EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid))
UNION ALL SELECT 'a table that inherits from ' || quote_literal(relname)
    FROM pg_inherits JOIN pg_class c ON c.oid = inhparent
    JOIN pg_namespace n ON n.oid = relnamespace
    WHERE {_OURS}
UNION ALL SELECT 'something that is no plain table in place of ' || quote_literal(relname)
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE {_OURS} AND relname = ANY(%s) AND (relkind <> 'r' OR relpersistence <> 'p')
"""
SELECT_COLUMNS = f"""SELECT relname, string_agg(attname || ' '
        || format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
        || CASE WHEN attgenerated <> '' THEN ' GENERATED' ELSE '' END
        || coalesce(' DEFAULT ' || pg_get_expr(adbin, adrelid), '')
        || CASE WHEN attcollation <> 0 THEN ' ' || collname ELSE '' END, ', ' ORDER BY attnum)
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = c.oid AND adnum = attnum
    LEFT JOIN pg_collation l ON l.oid = attcollation
    WHERE {_OURS} AND relname = ANY(%s) GROUP BY relname"""
SELECT_OTHERS = f"""
SELECT CASE relkind WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' WHEN 'v' THEN 'view'
        WHEN 'm' THEN 'view' ELSE 'table' END, relname
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE {_OURS} AND relkind IN ('r', 'p', 'v', 'm', 'f', 'i', 'I', 'S')
UNION ALL SELECT 'constraint', conname
    FROM pg_constraint JOIN pg_namespace n ON n.oid = connamespace
    WHERE {_OURS} AND contype NOT IN ('n', 'p')
UNION ALL SELECT 'function', proname FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace
    WHERE {_OURS}
UNION ALL SELECT 'type', typname FROM pg_type JOIN pg_namespace n ON n.oid = typnamespace
    WHERE {_OURS} AND typtype IN ('d', 'e', 'r')
ORDER BY 1, 2"""


def check_objects(connection: psycopg.Connection[Any], location: str) -> None:
    """Check that nothing in the database changes in silence what is written or read.

    Raises:
        StoreError: a table of ours has a trigger, a rule, row-level security or heirs, or is no
            plain table.
    """
    names = list(COLUMNS)
    found = connection.execute(SELECT_REFUSED.encode(), (names, names)).fetchone()
    if found is not None:
        raise StoreError(
            f"{location} has {found[0]}, which could drop or change what is recorded: remove it"
        )


def foreign_objects(connection: psycopg.Connection[Any]) -> list[str]:
    """Return what the schema holds beside our tables, or different from them; a phrase for each."""
    found = []
    for table, columns in connection.execute(SELECT_COLUMNS.encode(), (list(COLUMNS),)).fetchall():
        ours, here = COLUMNS[table].split(", "), columns.split(", ")
        changed = [column.split()[0] for column in here if column not in ours]
        found += [f"the column {name!r} of the table {table!r}" for name in changed]
        if not changed and here != ours:
            found.append(f"another definition of the table {table!r}")
    for kind, name in connection.execute(SELECT_OTHERS.encode()).fetchall():
        if name not in COLUMNS and name not in _BESIDE:
            found.append(f"the {kind} {name!r}")
    return found
