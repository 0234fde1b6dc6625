"""Folds a page of events into the rows that change in each table of a game."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from nomoledger import events as e
from nomoledger.game.read_models import ask_rules
from nomoledger.ledger.as_of import Reading
from nomoledger.ledger.rollup import Balances
from nomoledger.proof.public_stream import apply_public
from nomoledger.state.bitemporal import CORRECTED, copy_world
from nomoledger.state.world import World
from nomoledger.views.sql.table import Listing, Readings, Row, SqlTable

KINDS = tuple(e.events().values())


class TableState(NamedTuple):
    """All *rows* of a table for one *period*, as known since the close of period *known*.

    *period* is None for a table without periods.
    """

    period: int | None
    known: int
    rows: list[Row]


class RowChanges:
    """What a page of events changes in one table: new *rows* of facts, and readings in order."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.readings: list[TableState] = []


class Folding:
    """Folds the events of one game into the rows of *tables*.

    If *is_public*, the events must come from `PublicEvents`.
    """

    def __init__(self, game: str, tables: Sequence[type[SqlTable]], is_public: bool) -> None:
        self.world = World()
        self._game = game
        self._is_public = is_public
        self._tables = [table() for table in tables]
        self._readings = [table for table in self._tables if isinstance(table, Readings)]
        self._published: dict[int, World] = {}
        self._begin_page()

    def fold(self, entries: Iterable[e.Entry]) -> None:
        """Apply the next *entries* and collect the rows that they change."""
        world, listeners = self.world, self._listeners
        for entry in entries:
            body = entry.body
            kind = type(body)
            destroys = kind is e.EntityDestroyed
            if not destroys:
                apply_public(world, body)
            for rows, take in listeners[kind]:
                if new_rows := take(entry, world):
                    rows.extend(new_rows)
            if destroys:
                apply_public(world, body)
            elif kind is e.PeriodClosed:
                self._close(body.period)
            elif isinstance(body, e.Settled):
                self._correct(body)

    def read_present(self) -> None:
        """Collect the rows of the open period as they are now."""
        self._read(Reading(self.world.period, False, self.world, self.world), self.world.period)

    def pop_changes(self) -> dict[str, RowChanges]:
        """Return the changes since the last call, by table name."""
        changes = {}
        for table in self._tables:
            changed = changes[table.name] = self._changes[table.name]
            changed.rows.extend(table.due())
        self._begin_page()
        return changes

    def _begin_page(self) -> None:
        self._changes = {table.name: RowChanges() for table in self._tables}
        self._listeners = {
            kind: [
                (self._changes[table.name].rows, table.take)
                for table in self._tables
                if not table.kinds or kind in table.kinds
            ]
            for kind in KINDS
        }

    def _close(self, period: int) -> None:
        self._read(Reading(period, True, self.world, self.world), period)
        if any(not isinstance(table, Listing) for table in self._readings):
            published = copy_world(self.world)
            for name in CORRECTED:  # A later correction must not change the published world.
                setattr(published, name, {})
            self._published[period] = published

    def _correct(self, body: e.Settled) -> None:
        """Read again the periods that a settlement corrects, as known from now on."""
        corrected = {path[1] for path, _ in body.tables if path[0] == "past"} | set(body.rulesets)
        corrected |= {period for period, *_ in body.past}
        for period in sorted(corrected & set(self._published)):
            reading = Reading(period, True, self._published[period], self.world)
            self._read(reading, self.world.period, with_listings=False)

    def _read(self, reading: Reading, known: int, *, with_listings: bool = True) -> None:
        view = ReadingView(self._game, reading, None if self._is_public else "admin")
        for table in self._readings:
            if isinstance(table, Listing):
                if not with_listings:
                    continue
                period = None
            else:
                period = reading.period
            state = TableState(period, known, list(table.rows(view)))
            self._changes[table.name].readings.append(state)


class ReadingView:
    """A `View` of one reading without its events, as *reader* sees it."""

    known: int | None = None
    sees_all = True

    def __init__(self, game: str, reading: Reading, reader: str | None) -> None:
        self.game = game
        self.reader = reader
        self.reading = reading
        self.period = reading.period
        self.world = reading.known

    def entries(self) -> Iterator[e.Entry]:
        """Return nothing: tables receive events through `take`."""
        return iter(())

    def standing(self) -> Iterator[Reading]:
        """Yield the one reading."""
        yield self.reading

    def posted(self) -> Balances:
        """Return the balances of the reading."""
        return self.world.balances

    def values(self, operation: str, calls: Sequence[tuple[Any, ...]]) -> list[Any] | None:
        """Return the results of the rules for *operation*, one for each of *calls*."""
        return ask_rules(self.world, operation, calls)
