"""Opens and upgrades the store at a location: a SQLite file or a PostgreSQL database."""

from os import PathLike, fspath

from nomoledger.errors import UsageError
from nomoledger.ledger.stores.location import is_postgres, redacted
from nomoledger.ledger.stores.schema_versions import Upgrade
from nomoledger.ledger.stores.store import Store


def open_store(location: str | PathLike[str], *, create: bool = False) -> Store:
    """The store at *location*: a path, `sqlite:///path`, or `postgresql://…`.

    Raises:
        UnknownError: there is none, and it is not to be created.
        UsageError: *location* is of no kind we know.
        StoreError: it is there but cannot be used.
    """
    if is_postgres(fspath(location)):
        from nomoledger.ledger.stores.postgres import PostgresStore

        return PostgresStore(fspath(location), create=create)
    from nomoledger.ledger.stores.sqlite import SqliteStore

    return SqliteStore(_file(location), create=create)


def upgrade_store(location: str | PathLike[str]) -> Upgrade:
    """Bring the tables of the store at *location* to the version of this program.

    Raises as `open_store`.
    """
    if is_postgres(fspath(location)):
        from nomoledger.ledger.stores.postgres_schema import upgrade_database

        return upgrade_database(fspath(location))
    from nomoledger.ledger.stores.sqlite_file import upgrade_file

    return upgrade_file(_file(location))


def _file(location: str | PathLike[str]) -> str:
    """The path of the file that *location* names."""
    text = fspath(location)
    scheme, separator, rest = text.partition("://")
    if separator and scheme == "sqlite" and rest.startswith("/"):
        text = rest[1:]
    elif separator:
        raise UsageError(
            f"unknown kind of store {redacted(text)!r}: give a path, sqlite:///path or postgresql://…"
        )
    if text in ("", ":memory:"):
        raise UsageError(f"{text!r} is not the path of a file: a ledger is kept in a file")
    return text
