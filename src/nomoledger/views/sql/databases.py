"""The database that holds the SQL tables: where it is, and how it is opened."""

from os import PathLike, fspath
from pathlib import Path

from nomoledger.ledger.stores.location import is_postgres, path_of
from nomoledger.views.sql.sql_views import Views


def default_location(ledger: str, is_public: bool) -> str:
    """Return the default location of the tables of the ledger at location *ledger*.

    >>> default_location("games.db", False), default_location("games.db", True)
    ('games.views.db', 'games.public.db')
    """
    if is_postgres(ledger):
        return ledger
    file = Path(ledger.removeprefix("sqlite:///"))
    return str(file.with_name(f"{file.stem}.{'public' if is_public else 'views'}.db"))


def open_views(location: str | PathLike[str], is_public: bool) -> Views:
    """Open the database of tables at *location*, and create it if it does not exist.

    A location has the same form as that of a ledger.

    Raises:
        UsageError: The database holds secret tables and *is_public* is true, or the reverse; or
            *location* is of an unknown kind.
        StoreError: The database holds something else, or cannot be used.
    """
    if is_postgres(fspath(location)):
        # Imported late: each database takes up to 0.1 s to import, and one of them is used.
        from nomoledger.views.sql.postgres_tables import open_database

        return open_database(fspath(location), is_public)
    from nomoledger.views.sql.sqlite_tables import open_file

    return open_file(path_of(fspath(location)), is_public)
