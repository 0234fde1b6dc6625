"""The database that holds SQL tables: its protocol, and its own bookkeeping.

The changes of a page of events, and the progress of each table, are written in one transaction.
So each event is applied to a table exactly once, even if the writer is killed and restarted, or
several writers run at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from eventsourcing.persistence import Tracking

from nomoledger.errors import StoreError, UsageError
from nomoledger.ledger.chain import Head
from nomoledger.views.sql.folding import RowChanges
from nomoledger.views.sql.table import SqlTable
from nomoledger.views.sql.table_statements import TableTransaction, create, drop, write

#: The version of the bookkeeping tables.
LAYOUT = 1
CREATE_MADE = "CREATE TABLE {}made (name text NOT NULL PRIMARY KEY, version integer NOT NULL)"
CREATE_HEADS = (
    "CREATE TABLE {}heads (name text NOT NULL, game text NOT NULL, number bigint NOT NULL,"
    " hash text NOT NULL, PRIMARY KEY (name, game))"
)

Tables = Sequence[type[SqlTable]]


class ConcurrentWriteError(Exception):
    """Another writer committed part of this page. Fold the page again and retry."""


class Views(Protocol):
    """A database of tables, built on the eventsourcing library's tracking recorder.

    Every method raises StoreError if the database cannot be read or written.
    """

    location: str
    is_public: bool

    def writing(self) -> AbstractContextManager[TableTransaction]:
        """Return an exclusive transaction, committed at the end of the block or rolled back."""

    def max_tracking_id(self, application_name: str) -> int | None:
        """Return the last tracking number of *application_name*."""

    def close(self) -> None:
        """Close the database."""


def create_tables(views: Views, tables: Tables) -> None:
    """Create those of *tables* that do not exist.

    Raises:
        StoreError: An existing table has another version.
    """
    with views.writing() as transaction:
        for table in tables:
            version = _made_version(transaction, table)
            if version is None:
                _make(transaction, table)
            elif version > table.version:
                raise StoreError(
                    f"{table.name} in {views.location} was made by a newer version (it is"
                    f" {version}, this one makes {table.version}): upgrade nomoledger"
                )
            elif version < table.version:
                raise StoreError(
                    f"{table.name} in {views.location} was made by an older version (it is"
                    f" {version}, this one makes {table.version}):"
                    " run nomoledger project --rebuild"
                )


def reset_tables(views: Views, tables: Tables, games: Iterable[str] | None) -> None:
    """Delete the rows of *games* from *tables*. If *games* is None, recreate the tables.

    Raises:
        StoreError: A newer version of nomoledger made one of the tables.
    """
    with views.writing() as transaction:
        for table in tables:
            if (_made_version(transaction, table) or 0) > table.version or games is not None:
                continue
            transaction.run(drop(table, transaction.dialect), ())
            for name in ("made", "heads"):
                statement = _sql(transaction, f"DELETE FROM {{}}{name} WHERE name = ?")
                transaction.run(statement, (table.name,))
            prefix = f"{table.name}:"
            untrack = "DELETE FROM {}tracking WHERE substr(application_name, 1, ?) = ?"
            transaction.run(_sql(transaction, untrack), (len(prefix), prefix))
    create_tables(views, tables)
    if games is None:
        return
    with views.writing() as transaction:
        for table, game in ((table, game) for table in tables for game in games):
            name = f'"{table.name}"'
            transaction.run(_sql(transaction, f"DELETE FROM {{}}{name} WHERE game = ?"), (game,))
            of_game = "DELETE FROM {}heads WHERE name = ? AND game = ?"
            transaction.run(_sql(transaction, of_game), (table.name, game))
            untrack = "DELETE FROM {}tracking WHERE application_name = ?"
            transaction.run(_sql(transaction, untrack), (_tracking_name(table, game),))


def table_heads(views: Views, tables: Tables, game: str) -> dict[type[SqlTable], Head]:
    """Return the head of *game* that each of *tables* has reached.

    A table that holds nothing of the game is left out.
    """
    query = "SELECT number, hash FROM {}heads WHERE name = ? AND game = ?"
    heads = {}
    with views.writing() as transaction:
        for table in tables:
            rows = transaction.rows(_sql(transaction, query), (table.name, game))
            for number, chain_hash in rows:
                heads[table] = Head(number, chain_hash)
    return heads


def write_page(
    views: Views, game: str, changes: Mapping[type[SqlTable], RowChanges], after: int, head: Head
) -> None:
    """Write the *changes* by the events of *game* above number *after*, up to *head*.

    A table that already holds these events is skipped.

    Raises:
        Overtaken: Another writer committed some of these events.
    """
    with views.writing() as transaction:
        for table, changed in changes.items():
            tracked = _max_tracked(transaction, table, game)
            if tracked > head.number:
                continue
            if tracked != after + 1:
                raise ConcurrentWriteError
            transaction.track(Tracking(_tracking_name(table, game), head.number + 1))
            write(transaction, table, game, changed)
            of_game = "DELETE FROM {}heads WHERE name = ? AND game = ?"
            transaction.run(_sql(transaction, of_game), (table.name, game))
            values = (table.name, game, head.number, head.hash)
            transaction.run(_sql(transaction, "INSERT INTO {}heads VALUES (?, ?, ?, ?)"), values)


def check_audience(location: str, found_public: bool, is_public: bool) -> None:
    """Raise UsageError if the database at *location* is for another audience."""
    if found_public and not is_public:
        raise UsageError(f"{location} holds public tables: add --public, or give another --into")
    if is_public and not found_public:
        raise UsageError(f"{location} holds tables with secrets: give another --into for --public")


def _made_version(transaction: TableTransaction, table: type[SqlTable]) -> int | None:
    query = _sql(transaction, "SELECT version FROM {}made WHERE name = ?")
    rows = transaction.rows(query, (table.name,))
    return rows[0][0] if rows else None


def _make(transaction: TableTransaction, table: type[SqlTable]) -> None:
    transaction.run(create(table, transaction.dialect), ())
    values = (table.name, table.version)
    transaction.run(_sql(transaction, "INSERT INTO {}made VALUES (?, ?)"), values)


def _max_tracked(transaction: TableTransaction, table: type[SqlTable], game: str) -> int:
    """Return how many events of *game* the library tracks for *table*."""
    query = "SELECT max(notification_id) FROM {}tracking WHERE application_name = ?"
    rows = transaction.rows(_sql(transaction, query), (_tracking_name(table, game),))
    return int(rows[0][0] or 0)


def _tracking_name(table: type[SqlTable], game: str) -> str:
    """Return the name under which the library tracks the progress of *table* in *game*."""
    return f"{table.name}:{game}"


def _sql(transaction: TableTransaction, statement: str) -> str:
    """Return *statement* with the dialect's schema and placeholders."""
    dialect = transaction.dialect
    return statement.format(dialect.schema).replace("?", dialect.mark)
