"""Helpers for tests of SQL tables: synchronise tables, query them, and copy ledgers in pieces."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from typing import Any

import psycopg

from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.location import is_postgres
from nomoledger.views.sql.databases import default_location, open_views
from nomoledger.views.sql.postgres_tables import SCHEMAS
from nomoledger.views.sql.sql_views import create_tables
from nomoledger.views.sql.sync import sync_tables
from nomoledger.views.sql.table import find_tables

Rows = list[tuple[Any, ...]]


def synchronise(
    ledger: Ledger, location: str, names: Sequence[str] = (), public: bool = False
) -> None:
    """Synchronise the tables of *ledger*, which is at *location*, at their default location."""
    with closing(open_views(default_location(location, public), public)) as views:
        tables = find_tables(names)
        create_tables(views, tables)
        for _ in sync_tables(ledger, views, tables, ledger.games(), lambda count: None):
            pass


def ask(location: str, query: str, values: Sequence[Any] = (), public: bool = False) -> Rows:
    """Return the rows of *query*, which has ? for values and {} before table names."""
    place = default_location(location, public)
    if is_postgres(location):
        schema = SCHEMAS[public]
        with psycopg.connect(place) as connection:
            text = query.format(f"{schema}.").replace("?", "%s")
            rows = connection.execute(text.encode(), values or None).fetchall()
    else:
        with closing(sqlite3.connect(place)) as file:
            rows = file.execute(query.format(""), values).fetchall()
    return [tuple(float(x) if isinstance(x, Decimal) else x for x in row) for row in rows]


def all_rows(location: str, public: bool = False) -> dict[str, Rows]:
    """Return the rows of all tables."""
    rows = {}
    for table in find_tables():
        columns = ", ".join(
            f'"{x.name}"::text' if is_postgres(location) else f'"{x.name}"' for x in table.columns()
        )
        order = ", ".join(f'"{name}"' for name in table.primary())
        query = f"SELECT {columns} FROM {{}}{table.name} ORDER BY {order}"
        rows[table.name] = ask(location, query, public=public)
    return rows


def copy_in_pieces(source: Ledger, target: Ledger, sizes: Iterator[int]) -> Iterator[None]:
    """Copy the games of *source* to *target* in pieces of the given *sizes*."""
    for game in source.games():
        bodies = [entry.body for entry in source.read(game)]
        target.add_game(game, source.secret(game))
        start = 0
        while start < len(bodies):
            size = next(sizes)
            target.append(game, bodies[start : start + size], expected=start - 1)
            start += size
            yield
