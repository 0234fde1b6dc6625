"""The database in which tables are kept, beside the ledger and never in it.

Whatever a page of events changes in the tables of a game, and how far each table has come, are
written in one transaction: so every event is told in them exactly once, however often whoever
writes them is killed and started again, and however many do so at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from eventsourcing.persistence import Tracking

from nomoledger.errors import StoreError, UsageError
from nomoledger.ledger.chain import Head
from nomoledger.views.sql.folding import RowChanges
from nomoledger.views.sql.queries import Writing, create, drop, write
from nomoledger.views.sql.table import SqlTable

#: The version of what stands in such a database beside the tables.
LAYOUT = 1
CREATE_MADE = "CREATE TABLE {}made (name text NOT NULL PRIMARY KEY, version integer NOT NULL)"
CREATE_HEADS = (
    "CREATE TABLE {}heads (name text NOT NULL, game text NOT NULL, number bigint NOT NULL,"
    " hash text NOT NULL, PRIMARY KEY (name, game))"
)

Tables = Sequence[type[SqlTable]]


class Overtaken(Exception):
    """Somebody else has written part of this very page: what was folded is to be folded anew."""


class Cursor(Writing, Protocol):
    """A transaction of a database of tables, with the *cursor* of the library that it is in."""

    cursor: Any


class Views(Protocol):
    """A database of tables, on the library's recorder of what has been tracked.

    Every method raises StoreError when the database cannot be read or written.
    """

    location: str
    is_public: bool

    def writing(self) -> AbstractContextManager[Cursor]:
        """A transaction: committed at the end of the block, or not at all; nobody else writes."""

    def _insert_tracking(self, c: Any, tracking: Tracking) -> None: ...

    def _max_tracking_id(self, application_name: str, c: Any) -> int | None: ...

    def max_tracking_id(self, application_name: str) -> int | None:
        """How far what is called so has come."""

    def close(self) -> None:
        """Let go of the database."""


def prepare(views: Views, tables: Tables) -> None:
    """Make those of *tables* that are not there.

    Raises:
        StoreError: one is there, but was made by another version of it.
    """
    with views.writing() as writing:
        for table in tables:
            found = _made(writing, table)
            if found is None:
                _make(writing, table)
            elif found > table.version:
                raise StoreError(
                    f"{table.name} in {views.location} was made by a newer version (it is {found},"
                    f" this one makes {table.version}): upgrade nomoledger"
                )
            elif found < table.version:
                raise StoreError(
                    f"{table.name} in {views.location} was made by an older version (it is {found},"
                    f" this one makes {table.version}): run nomoledger project --rebuild"
                )


def empty(views: Views, tables: Tables, games: Iterable[str] | None) -> None:
    """Empty *tables* of those *games*; of all, and make them anew, where None.

    Raises:
        StoreError: a table was made by a newer version of it.
    """
    with views.writing() as writing:
        for table in tables:
            if (_made(writing, table) or 0) > table.version or games is not None:
                continue
            writing.run(drop(table, writing.dialect), ())
            for name in ("made", "heads"):
                writing.run(_sql(writing, f"DELETE FROM {{}}{name} WHERE name = ?"), (table.name,))
            prefix = f"{table.name}:"
            tracked = "DELETE FROM {}tracking WHERE substr(application_name, 1, ?) = ?"
            writing.run(_sql(writing, tracked), (len(prefix), prefix))
    prepare(views, tables)
    if games is None:
        return
    with views.writing() as writing:
        for table, game in ((table, game) for table in tables for game in games):
            name = f'"{table.name}"'
            writing.run(_sql(writing, f"DELETE FROM {{}}{name} WHERE game = ?"), (game,))
            of_game = "DELETE FROM {}heads WHERE name = ? AND game = ?"
            writing.run(_sql(writing, of_game), (table.name, game))
            tracked = "DELETE FROM {}tracking WHERE application_name = ?"
            writing.run(_sql(writing, tracked), (_tracked(table, game),))


def stand(views: Views, tables: Tables, game: str) -> dict[type[SqlTable], Head]:
    """The event of *game* up to which each of *tables* tells it; none where it tells nothing."""
    query = "SELECT number, hash FROM {}heads WHERE name = ? AND game = ?"
    found = {}
    with views.writing() as writing:
        for table in tables:
            for number, hash_ in writing.rows(_sql(writing, query), (table.name, game)):
                found[table] = Head(number, hash_)
    return found


def record(
    views: Views, game: str, changes: Mapping[type[SqlTable], RowChanges], was: int, now: Head
) -> None:
    """Write what the events of *game* above number *was*, up to *now*, change in each table.

    A table that is there already is left as it is: it tells them.

    Raises:
        Overtaken: somebody else has written a part of these events.
    """
    with views.writing() as writing:
        for table, changed in changes.items():
            tracked = views._max_tracking_id(_tracked(table, game), writing.cursor) or 0
            if tracked > now.number:
                continue
            if tracked != was + 1:
                raise Overtaken
            tracking = Tracking(_tracked(table, game), now.number + 1)
            views._insert_tracking(writing.cursor, tracking)
            write(writing, table, game, changed)
            of_game = "DELETE FROM {}heads WHERE name = ? AND game = ?"
            writing.run(_sql(writing, of_game), (table.name, game))
            head = (table.name, game, now.number, now.hash)
            writing.run(_sql(writing, "INSERT INTO {}heads VALUES (?, ?, ?, ?)"), head)


def check_audience(location: str, found: bool, is_public: bool) -> None:
    """Refuse to mix what is public with what is not."""
    if found and not is_public:
        raise UsageError(f"{location} holds public tables: add --public, or give another --into")
    if is_public and not found:
        raise UsageError(f"{location} holds tables with secrets: give another --into for --public")


def _made(writing: Writing, table: type[SqlTable]) -> int | None:
    query = _sql(writing, "SELECT version FROM {}made WHERE name = ?")
    found = writing.rows(query, (table.name,))
    return found[0][0] if found else None


def _make(writing: Writing, table: type[SqlTable]) -> None:
    writing.run(create(table, writing.dialect), ())
    values = (table.name, table.version)
    writing.run(_sql(writing, "INSERT INTO {}made VALUES (?, ?)"), values)


def _tracked(table: type[SqlTable], game: str) -> str:
    """The name under which the library tracks how far *table* has come in *game*."""
    return f"{table.name}:{game}"


def _sql(writing: Writing, statement: str) -> str:
    """*statement* with its table in the right schema, and the marks that this database knows."""
    return statement.format(writing.dialect.schema).replace("?", writing.dialect.mark)
