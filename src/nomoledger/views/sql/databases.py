"""The database that holds the SQL tables: where it is, and how it is opened."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory

from nomoledger.errors import StoreError, UsageError
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


@contextmanager
def scratch_views(location: str, is_public: bool) -> Iterator[Views]:
    """Open a copy of the file of tables at *location*, or a new one; it is deleted at the end.

    Messages name *location*, which is not written.

    Raises:
        UsageError: as in `open_views`, or *location* is a PostgreSQL database.
        StoreError: as in `open_views`.
    """
    if is_postgres(location):
        raise UsageError(
            "a dry run cannot copy tables in PostgreSQL: try the projection with --into FILE"
        )
    from nomoledger.views.sql.sqlite_tables import open_file

    file = Path(path_of(location))
    if file.is_dir():
        raise StoreError(f"{file} is a folder: give the path of a file")
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "tables.db"
        if file.exists():
            _copy(file, copy)
        try:
            views = open_file(str(copy), is_public)
        except (StoreError, UsageError) as error:
            raise type(error)(str(error).replace(str(copy), location)) from None
        views.location = location
        with closing(views):
            yield views


def _copy(file: Path, copy: Path) -> None:
    """Copy a database; if *file* is none, nothing remains that could be taken for tables."""
    with (
        suppress(sqlite3.DatabaseError),
        closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)
        return
    copy.write_bytes(file.read_bytes())
