"""What a table for SQL is, and how installed tables are found.

A table is a class that receives the events of a game in order and returns rows. `Facts` record
what happened, event by event. `Readings` record the state at the close of each period, as it was
known at each later time. Tables are found by the entry point group `nomoledger.tables`, both those
that come with nomoledger and those of other packages.
"""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

from nomoledger.errors import UnknownError
from nomoledger.events import Entry, Event
from nomoledger.game.plugins import load_plugin, plugins
from nomoledger.game.read_models import View
from nomoledger.state.world import World

GROUP = "nomoledger.tables"

#: The values of a row, in the order of the columns of its table.
Row = tuple[Any, ...]


class Column(NamedTuple):
    """A column. Its *type* is text, integer (64 bits), number (exact), time (UTC) or json."""

    name: str
    type: str
    meaning: str


GAME = Column("game", "text", "the game")
PERIOD = Column("period", "integer", "the period; the row holds at its close, or now if it is open")
KNOWN = Column("known", "integer", "the row is known from the close of this period on")
UNTIL = Column("until", "integer", "the period whose close replaced the row; null: none")


class SqlTable:
    """A table for SQL. Each game has its own instance.

    Attributes:
        name: The name of the table in the database.
        version: The version of the table. A table of another version must be rebuilt.
        about: What a row is, as a noun phrase.
        own: The table's own columns, without those that all tables of its kind have.
        key: The names of the own columns that identify a row of one game, period and time.
        added: The columns that precede the table's own.
        kinds: The kinds of events that the table receives; all if empty.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    about: ClassVar[str]
    own: ClassVar[tuple[Column, ...]]
    key: ClassVar[tuple[str, ...]]
    added: ClassVar[tuple[Column, ...]] = (GAME,)
    kinds: ClassVar[tuple[type[Event], ...]] = ()

    @classmethod
    def columns(cls) -> tuple[Column, ...]:
        """Return all columns in order."""
        return (*cls.added, *cls.own)

    @classmethod
    def primary(cls) -> tuple[str, ...]:
        """Return the names of the columns of the primary key."""
        return (GAME.name, *cls.key)

    def take(self, entry: Entry, world: World) -> Iterable[Row]:
        """Return the rows of the next event. A row replaces an earlier row with the same key.

        *world* is the state after the event, or before it if the event destroys something.
        """
        raise NotImplementedError

    def due(self) -> Iterable[Row]:
        """Return the rows that are written once per page of events, at its end."""
        return ()


class Facts(SqlTable):
    """A table of what happened. Each row comes from an event.

    *grows* says that no row ever replaces another.
    """

    grows: ClassVar[bool] = True


class Readings(SqlTable):
    """A table of the state at the close of each period, and now in the open period.

    A row holds for a *period* as it was known from the close of period *known* up to the close of
    period *until*. A later ruling that corrects the period ends some rows and begins others.
    """

    added: ClassVar[tuple[Column, ...]] = (GAME, PERIOD, KNOWN, UNTIL)

    @classmethod
    def primary(cls) -> tuple[str, ...]:
        """Return the names of the columns of the primary key."""
        times = [column.name for column in cls.added if column in (PERIOD, KNOWN)]
        return (GAME.name, *times, *cls.key)

    def take(self, entry: Entry, world: World) -> Iterable[Row]:
        """Return nothing. Override this to remember what `rows` needs."""
        return ()

    def rows(self, view: View) -> Iterable[Row]:
        """Return the rows of the state in *view*."""
        raise NotImplementedError


class Listing(Readings):
    """Readings of a list that has no periods, as it was known at each close."""

    added = (GAME, KNOWN, UNTIL)


def table_names() -> list[str]:
    """Return the names of the installed tables, sorted."""
    return sorted(plugins(GROUP))


def find_tables(wanted: Sequence[str] = ()) -> list[type[SqlTable]]:
    """Return the tables named *wanted*, or all installed tables if there are no names.

    Raises:
        UnknownError: No installed table has this name.
    """
    tables, targets = [], plugins(GROUP)
    for name in dict.fromkeys(wanted or sorted(targets)):
        if name not in targets:
            raise UnknownError(
                f"no table {name!r} is installed; there is: {', '.join(sorted(targets))}"
            )
        table: type[SqlTable] = load_plugin(targets[name])
        tables.append(table)
    return tables
