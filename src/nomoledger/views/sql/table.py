"""Tables that people query with SQL: what one is, and where they are found.

A table is a class that is told one event after the other and says which rows stand. `Facts` say
what happened, event by event; `Readings` say how things stood, period by period, as it was known at
one time or another. They live outside this package and are found by the entry point group
`nomoledger.tables`, ours and other people's alike.
"""

from collections.abc import Iterable, Sequence
from importlib.metadata import entry_points
from typing import Any, ClassVar, NamedTuple

from nomoledger.errors import UnknownError
from nomoledger.events import Entry, Event
from nomoledger.game.read_models import View
from nomoledger.state.world import World

GROUP = "nomoledger.tables"

#: The values of a row, in the order of the columns of its table.
Row = tuple[Any, ...]


class Column(NamedTuple):
    """A column: its *type* is text, integer (64 bits), number (exact), time (UTC) or json."""

    name: str
    type: str
    meaning: str


GAME = Column("game", "text", "the game")
PERIOD = Column("period", "integer", "the period whose close (or present, while open) it tells")
KNOWN = Column("known", "integer", "the period since which it is known so")
UNTIL = Column("until", "integer", "the period since which it is known otherwise; null: never")


class SqlTable:
    """A table of one game; there is an object for each game that is followed.

    Attributes:
        name: what it is called in the database. version: another one has to be rebuilt.
        about: a sentence on what a row says. own: its columns, but for those all tables have.
        key: which of these tell the rows of one game (and period, and time) apart.
        added: the columns that all such tables have, before its own.
        kinds: the events it is told of; all where empty.
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
        """All columns, in order."""
        return (*cls.added, *cls.own)

    @classmethod
    def primary(cls) -> tuple[str, ...]:
        """The names of the columns that tell any two rows apart."""
        return (GAME.name, *cls.key)

    def take(self, entry: Entry, world: World) -> Iterable[Row]:
        """The rows that the next event brings, one of the same key taking the place of another.

        *world* is as it is after the event, or before it where something goes.
        """
        raise NotImplementedError

    def due(self) -> Iterable[Row]:
        """More rows, of which it is enough to say how they are when a page of events ends."""
        return ()


class Facts(SqlTable):
    """A table of what happened: each row goes back to an event.

    *grows* promises that no row ever takes the place of another.
    """

    grows: ClassVar[bool] = True


class Readings(SqlTable):
    """A table of how things stood at the close of each period, and stand in the open one.

    A row holds for a *period* as it was known from the close of period *known* on, until that of
    period *until*. A later ruling that corrects a period ends rows, and begins others.
    """

    added: ClassVar[tuple[Column, ...]] = (GAME, PERIOD, KNOWN, UNTIL)

    @classmethod
    def primary(cls) -> tuple[str, ...]:
        """The names of the columns that tell any two rows apart."""
        times = [each.name for each in cls.added if each in (PERIOD, KNOWN)]
        return (GAME.name, *times, *cls.key)

    def take(self, entry: Entry, world: World) -> Iterable[Row]:
        """Nothing stands at once; what has to be remembered is."""
        return ()

    def rows(self, view: View) -> Iterable[Row]:
        """The rows that say how things stand in *view*."""
        raise NotImplementedError


class Listing(Readings):
    """Readings of what has no period of its own: one list, as it was known at each close."""

    added = (GAME, KNOWN, UNTIL)


def names() -> list[str]:
    """What the tables that are installed are called, sorted."""
    return sorted(each.name for each in entry_points(group=GROUP))


def chosen(wanted: Sequence[str] = ()) -> list[type[SqlTable]]:
    """The tables of these names; all that are installed where there are none.

    Raises:
        UnknownError: none of that name is installed.
    """
    found = []
    for name in dict.fromkeys(wanted or names()):
        each = next(iter(entry_points(group=GROUP, name=name)), None)
        if each is None:
            raise UnknownError(f"no table {name!r} is installed; there is: {', '.join(names())}")
        table: type[SqlTable] = each.load()
        found.append(table)
    return found
