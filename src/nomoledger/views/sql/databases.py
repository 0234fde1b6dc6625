"""Finds and opens the database in which tables for SQL are kept."""

from os import PathLike, fspath
from pathlib import Path

from nomoledger.ledger.stores.location import is_postgres
from nomoledger.views.sql.sql_views import Views


def beside(ledger: str, is_public: bool) -> str:
    """Where the tables of the ledger at that location are kept, unless it is said.

    >>> beside("games.db", False), beside("games.db", True)
    ('games.views.db', 'games.public.db')
    """
    if is_postgres(ledger):
        return ledger
    file = Path(ledger.removeprefix("sqlite:///"))
    return str(file.with_name(f"{file.stem}.{'public' if is_public else 'views'}.db"))


def open_views(location: str | PathLike[str], is_public: bool) -> Views:
    """The database of tables at *location* (as for a ledger), made where there is none.

    Raises:
        UsageError: it holds what is not public, or the other way round.
        StoreError: it is no database of tables, or one we cannot use.
    """
    if is_postgres(fspath(location)):
        from nomoledger.views.sql.postgres_tables import open_database

        return open_database(fspath(location), is_public)
    from nomoledger.views.sql.sqlite_tables import open_file

    return open_file(fspath(location).removeprefix("sqlite:///"), is_public)
