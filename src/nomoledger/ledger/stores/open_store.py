"""Opens and upgrades the store at a location: a SQLite file or a PostgreSQL database."""

from os import PathLike, fspath

from nomoledger.ledger.stores.location import is_postgres, path_of
from nomoledger.ledger.stores.schema_versions import Upgrade
from nomoledger.ledger.stores.store import Store


def open_store(location: str | PathLike[str], *, create: bool = False, program: str = "") -> Store:
    """Open the store at *location*: a path, `sqlite:///path`, or `postgresql://…`.

    *program* is the name under which a server lists the connections.

    Raises:
        UnknownError: the store does not exist, and *create* is False.
        UsageError: *location* is of an unknown kind.
        StoreError: the store exists but cannot be used.
    """
    if is_postgres(fspath(location)):
        # Imported late: each database takes up to 0.1 s to import, and one of them is used.
        from nomoledger.ledger.stores.postgres import PostgresStore

        return PostgresStore(fspath(location), create=create, program=program)
    from nomoledger.ledger.stores.sqlite import SqliteStore

    return SqliteStore(path_of(fspath(location)), create=create)


def upgrade_store(location: str | PathLike[str], *, dry_run: bool = False) -> Upgrade:
    """Upgrade the tables of the store at *location* to the version of this program.

    For a *dry_run*, everything is done in a transaction, and taken back.

    Raises:
        UnknownError, UsageError, StoreError: as in `open_store`.
    """
    if is_postgres(fspath(location)):
        # Imported late, as in `open_store`.
        from nomoledger.ledger.stores.postgres_schema import upgrade_database

        return upgrade_database(fspath(location), dry_run=dry_run)
    from nomoledger.ledger.stores.sqlite_file import upgrade_file

    return upgrade_file(path_of(fspath(location)), dry_run=dry_run)
