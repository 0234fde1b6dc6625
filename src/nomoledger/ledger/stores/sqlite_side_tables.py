"""What a ledger file keeps beside its records: the roll-up, snapshots, seals."""

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from itertools import chain

from nomoledger.errors import CorruptError
from nomoledger.ledger.rollup import Cell, Delta, FoundCell, units_of_encoded
from nomoledger.ledger.stores.store import Place, Seal, limit

#: What an integer of SQLite can hold.
INTEGERS = range(-(2**63), 2**63)
#: So many rows are inserted by one statement.
TOGETHER = 20
#: Units are an integer, or a text of digits where they do not fit into 64 bits.
CREATE_ROLLUP = """CREATE TABLE rollup (
    game TEXT NOT NULL,
    effective INTEGER NOT NULL,
    recorded INTEGER NOT NULL,
    account TEXT NOT NULL,
    commodity TEXT NOT NULL,
    units NOT NULL,
    PRIMARY KEY (game, effective, recorded, account, commodity)
) WITHOUT ROWID"""
CREATE_SNAPSHOTS = """CREATE TABLE snapshots (
    game TEXT NOT NULL,
    fold TEXT NOT NULL,
    number INTEGER NOT NULL,
    period INTEGER NOT NULL,
    hash BLOB NOT NULL,
    root BLOB NOT NULL,
    PRIMARY KEY (game, fold, number)
)"""
CREATE_PARTS = """CREATE TABLE snapshot_parts (
    game TEXT NOT NULL,
    key BLOB NOT NULL,
    part BLOB NOT NULL,
    PRIMARY KEY (game, key)
)"""
CREATE_SEALS = """CREATE TABLE seals (
    game TEXT NOT NULL,
    period INTEGER NOT NULL,
    number INTEGER NOT NULL,
    seal BLOB NOT NULL,
    PRIMARY KEY (game, period)
)"""
CREATE = (CREATE_ROLLUP, CREATE_SNAPSHOTS, CREATE_PARTS, CREATE_SEALS)

# The function is only called where 64 bits are not enough: SQLite would go on with floats.
ADD = """INSERT INTO rollup VALUES {} ON CONFLICT DO UPDATE SET units =
    CASE WHEN typeof(units)='integer' AND typeof(excluded.units)='integer'
        AND typeof(units + excluded.units)='integer'
    THEN units + excluded.units ELSE exact_sum(units, excluded.units) END"""
SELECT_DELTAS = """SELECT effective, account, commodity, units FROM rollup
    WHERE game=? AND effective<=? AND recorded<=? ORDER BY effective"""
SELECT_CELLS = """SELECT effective, recorded, CAST(account AS BLOB), CAST(commodity AS BLOB), units
    FROM rollup WHERE game=? ORDER BY effective, recorded, account, commodity"""
SELECT_SNAPSHOT = "SELECT root FROM snapshots WHERE game=? AND fold=? AND number=?"
# A snapshot is of one history: under another chain, or none, it is not seen.
SELECT_PLACES = """SELECT number, period FROM snapshots AS taken
    WHERE game=? AND fold=? AND number<=? AND period<=?
    AND hash = (SELECT hash FROM chain WHERE game=taken.game AND number>=taken.number
        ORDER BY number LIMIT 1)
    ORDER BY number DESC LIMIT ?"""
ADD_SNAPSHOT = """INSERT OR REPLACE INTO snapshots
    SELECT game, ?, ?, ?, hash, ? FROM chain WHERE game=? AND number>=? ORDER BY number LIMIT 1"""
SELECT_SEALS = "SELECT period, number, seal FROM seals WHERE game=? ORDER BY period"


class SqliteSideTables:
    """The part of a `nomoledger.ledger.stores.Store` that is about what stands beside the records."""

    location: str
    _reading: Callable[[], AbstractContextManager[sqlite3.Cursor]]

    def deltas(self, game: str, effective: int | None, recorded: int | None) -> Iterator[Delta]:
        """As `nomoledger.ledger.stores.Store.deltas`."""
        values = (game, limit(effective), limit(recorded))
        with self._reading() as cursor:
            found = cursor.execute(SELECT_DELTAS, values).fetchall()
        for period, account, commodity, units in found:
            yield period, account, commodity, self._exact(game, units)

    def _exact(self, game: str, units: object) -> int:
        try:
            return read_units(units)
        except ValueError:
            raise CorruptError(
                f"{self.location}: the roll-up of game {game!r} holds {units!r} where units belong:"
                " run nomoledger rebuild"
            ) from None

    def snapshots(
        self,
        game: str,
        fold: str,
        upto: int | None = None,
        period: int | None = None,
        count: int | None = None,
    ) -> list[Place]:
        """As `nomoledger.ledger.stores.Store.snapshots`."""
        values = (game, fold, limit(upto), limit(period), limit(count))
        with self._reading() as cursor:
            return cursor.execute(SELECT_PLACES, values).fetchall()[::-1]

    def snapshot(self, game: str, fold: str, number: int) -> bytes | None:
        """The root of the snapshot after event *number*; None where there is none."""
        with self._reading() as cursor:
            row = cursor.execute(SELECT_SNAPSHOT, (game, fold, number)).fetchone()
        return None if row is None else row[0]

    def parts(self, game: str, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """The parts of snapshots under *keys*, as far as they are there."""
        query, found = "SELECT part FROM snapshot_parts WHERE game=? AND key=?", {}
        with self._reading() as cursor:
            for key in keys:
                for (part,) in cursor.execute(query, (game, key)):
                    found[key] = part
        return found

    def seals(self, game: str) -> list[Seal]:
        """The seals of *game*, in the order of the periods."""
        with self._reading() as cursor:
            return cursor.execute(SELECT_SEALS, (game,)).fetchall()


class SqliteSideTableWriter:
    """The same of a `nomoledger.ledger.stores.Writer`."""

    def __init__(self, cursor: sqlite3.Cursor, location: str) -> None:
        self._cursor = cursor
        self._location = location

    def replace_rollup(self, game: str, units: Mapping[Cell, int]) -> None:
        """Make the roll-up of *game* anew."""
        self._cursor.execute("DELETE FROM rollup WHERE game=?", (game,))
        add_units(self._cursor, game, units)

    def add_snapshot(
        self, game: str, fold: str, place: Place, root: bytes, parts: Mapping[bytes, bytes]
    ) -> None:
        """Keep a snapshot made by that *fold*: its *root*, and *parts* that are not there yet."""
        self._cursor.executemany(
            "INSERT OR IGNORE INTO snapshot_parts VALUES (?,?,?)",
            [(game, key, part) for key, part in parts.items()],
        )
        number, period = place
        self._cursor.execute(ADD_SNAPSHOT, (fold, number, period, root, game, number))

    def drop_snapshots(self, game: str) -> None:
        """Remove all snapshots of *game*, whatever fold made them."""
        self._cursor.execute("DELETE FROM snapshots WHERE game=?", (game,))
        self._cursor.execute("DELETE FROM snapshot_parts WHERE game=?", (game,))

    def add_seal(self, game: str, period: int, number: int, seal: bytes) -> None:
        """Add the *seal* of *period*, whose last event is *number*.

        Raises:
            CorruptError: that period is sealed already.
        """
        row = (game, period, number, seal)
        try:
            self._cursor.execute("INSERT INTO seals VALUES (?,?,?,?)", row)
        except sqlite3.IntegrityError as error:
            raise CorruptError(
                f"{self._location}: period {period} of game {game!r} is sealed already: verify it"
            ) from error


def add_units(cursor: sqlite3.Cursor, game: str, units: Mapping[Cell, int]) -> None:
    """Add *units* to the cells of the roll-up."""
    insert_rows(cursor, ADD, [(game, *cell, _stored(each)) for cell, each in units.items()])


def insert_rows(cursor: sqlite3.Cursor, statement: str, rows: Sequence[Sequence[object]]) -> None:
    """Run *statement*, which has braces where its values stand, for all *rows*.

    Most of the time of a statement goes by before its first row: so each is of several.
    """
    whole = len(rows) // TOGETHER * TOGETHER
    if whole:
        together = (tuple(chain(*rows[at : at + TOGETHER])) for at in range(0, whole, TOGETHER))
        cursor.executemany(_of_several(statement, len(rows[0]), TOGETHER), together)
    if whole < len(rows):
        cursor.executemany(_of_several(statement, len(rows[0]), 1), rows[whole:])


@cache
def _of_several(statement: str, columns: int, rows: int) -> str:
    return statement.format(",".join([f"({','.join('?' * columns)})"] * rows))


def found_cells(cursor: sqlite3.Cursor, game: str) -> Iterator[FoundCell]:
    """The roll-up of *game* as it is found."""
    return cursor.execute(SELECT_CELLS, (game,))


def read_units(stored: object) -> int:
    """Units as they are stored, as a number; ValueError where they are none."""
    if isinstance(stored, int):
        return stored
    if isinstance(stored, str):
        return int(stored)
    raise ValueError(stored)


def learn_to_add(connection: sqlite3.Connection) -> None:
    """Let *connection* add up units that do not fit into 64 bits."""

    def exact_sum(one: object, other: object) -> int | str:
        return _stored(read_units(one) + read_units(other))

    connection.create_function("exact_sum", 2, exact_sum, deterministic=True)


def _stored(units: int) -> int | str:
    return units if units in INTEGERS else str(units)


def roll_up_all(connection: sqlite3.Connection) -> None:
    """Fill the roll-up, which is empty, from the records of all games."""
    learn_to_add(connection)
    for (game,) in connection.execute("SELECT game FROM games").fetchall():
        records = connection.execute(
            "SELECT topic, state FROM stored_events WHERE originator_id=?"
            " ORDER BY originator_version", (game,)
        )  # fmt: skip
        add_units(connection.cursor(), game, units_of_encoded(records))
