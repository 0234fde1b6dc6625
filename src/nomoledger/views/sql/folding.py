"""The fold of a game into rows: what a page of events changes in each of its tables."""

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
    """All *rows* of a *period* (None: of a list without periods), as known from *known* on."""

    period: int | None
    known: int
    rows: list[Row]


class RowChanges:
    """What is to be written of one table: *rows* of facts, and readings, in order."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.readings: list[TableState] = []


class Folding:
    """One game, folded into *tables*; where *is_public*, `PublicEvents` are all that it takes."""

    def __init__(self, game: str, tables: Sequence[type[SqlTable]], is_public: bool) -> None:
        self.world = World()
        self._game = game
        self._is_public = is_public
        self._tables = [each() for each in tables]
        self._readings = [each for each in self._tables if isinstance(each, Readings)]
        self._published: dict[int, World] = {}
        self._begin()

    def take(self, entries: Iterable[e.Entry]) -> None:
        """The next events."""
        world, takers = self.world, self._takers
        for entry in entries:
            body = entry.body
            kind = type(body)
            is_going = kind is e.EntityDestroyed
            if not is_going:
                apply_public(world, body)
            for rows, take in takers[kind]:
                if found := take(entry, world):
                    rows.extend(found)
            if is_going:
                apply_public(world, body)
            elif kind is e.PeriodClosed:
                self._close(body.period)
            elif isinstance(body, e.Settled):
                self._correct(body)

    def stand(self) -> None:
        """How things stand now, in the period that is open."""
        self._read(Reading(self.world.period, False, self.world, self.world), self.world.period)

    def changes(self) -> dict[str, RowChanges]:
        """What has changed since this was last asked, by table."""
        found = {}
        for table in self._tables:
            changed = found[table.name] = self._changes[table.name]
            changed.rows.extend(table.due())
        self._begin()
        return found

    def _begin(self) -> None:
        """Nothing has changed yet."""
        self._changes = {each.name: RowChanges() for each in self._tables}
        self._takers = {
            kind: [
                (self._changes[each.name].rows, each.take)
                for each in self._tables
                if not each.kinds or kind in each.kinds
            ]
            for kind in KINDS
        }

    def _close(self, period: int) -> None:
        self._read(Reading(period, True, self.world, self.world), period)
        if any(not isinstance(each, Listing) for each in self._readings):
            published = copy_world(self.world)
            for name in CORRECTED:  # is in the past of whatever world knows better
                setattr(published, name, {})
            self._published[period] = published

    def _correct(self, body: e.Settled) -> None:
        """The periods that a ruling corrects are read again, as they are known from now on."""
        touched = {path[1] for path, _ in body.tables if path[0] == "past"} | set(body.rulesets)
        touched |= {period for period, *_ in body.past}
        for period in sorted(touched & set(self._published)):
            reading = Reading(period, True, self._published[period], self.world)
            self._read(reading, self.world.period, is_list=False)

    def _read(self, reading: Reading, known: int, *, is_list: bool = True) -> None:
        view = ReadingView(self._game, reading, None if self._is_public else "admin")
        for table in self._readings:
            if isinstance(table, Listing):
                if is_list:
                    self._stands(table, TableState(None, known, list(table.rows(view))))
            else:
                self._stands(table, TableState(reading.period, known, list(table.rows(view))))

    def _stands(self, table: Readings, standing: TableState) -> None:
        self._changes[table.name].readings.append(standing)


class ReadingView:
    """A `View` of one reading, of which *reader* may see all; it has no events."""

    known: int | None = None

    def __init__(self, game: str, reading: Reading, reader: str | None) -> None:
        self.game = game
        self.reader = reader
        self.reading = reading
        self.period = reading.period
        self.world = reading.known

    def entries(self) -> Iterator[e.Entry]:
        """None: they are told one by one."""
        return iter(())

    def standing(self) -> Iterator[Reading]:
        """That reading alone."""
        yield self.reading

    def posted(self) -> Balances:
        """What that reading says."""
        return self.world.balances

    def values(self, operation: str, calls: Sequence[tuple[Any, ...]]) -> list[Any] | None:
        """What the rules give for *operation*, for the arguments of each of the *calls*."""
        return ask_rules(self.world, operation, calls)
