"""The side tables of a ledger file: the roll-up, snapshots and seals."""

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from itertools import chain

from nomoledger.errors import CorruptError
from nomoledger.ledger.rollup import Cell, Delta, RawCell, units_of_encoded
from nomoledger.ledger.stores.store import Place, Seal, limit

#: The integers that SQLite can store.
INTEGERS = range(-(2**63), 2**63)
#: Rows inserted by one statement.
TOGETHER = 20
#: Units are an integer, or a text of digits if they do not fit into 64 bits.
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

# SQLite would continue with floats beyond 64 bits; only then is exact_sum called.
ADD = """INSERT INTO rollup VALUES {} ON CONFLICT DO UPDATE SET units =
    CASE WHEN typeof(units)='integer' AND typeof(excluded.units)='integer'
        AND typeof(units + excluded.units)='integer'
    THEN units + excluded.units ELSE exact_sum(units, excluded.units) END"""
SELECT_DELTAS = """SELECT effective, account, commodity, units FROM rollup
    WHERE game=? AND effective<=? AND recorded<=? ORDER BY effective"""
SELECT_CELLS = """SELECT effective, recorded, CAST(account AS BLOB), CAST(commodity AS BLOB), units
    FROM rollup WHERE game=? ORDER BY effective, recorded, account, commodity"""
SELECT_SNAPSHOT = "SELECT root FROM snapshots WHERE game=? AND fold=? AND number=?"
# A snapshot belongs to one history: it counts only if its hash is in the chain.
SELECT_PLACES = """SELECT number, period FROM snapshots AS taken
    WHERE game=? AND fold=? AND number<=? AND period<=?
    AND hash = (SELECT hash FROM chain WHERE game=taken.game AND number>=taken.number
        ORDER BY number LIMIT 1)
    ORDER BY number DESC LIMIT ?"""
ADD_SNAPSHOT = """INSERT OR REPLACE INTO snapshots
    SELECT game, ?, ?, ?, hash, ? FROM chain WHERE game=? AND number>=? ORDER BY number LIMIT 1"""
SELECT_SEALS = "SELECT period, number, seal FROM seals WHERE game=? ORDER BY period"


class SqliteSideTables:
    """The part of a `nomoledger.ledger.stores.store.Store` that reads the side tables."""

    location: str
    _reading: Callable[[], AbstractContextManager[sqlite3.Cursor]]

    def deltas(self, game: str, effective: int | None, recorded: int | None) -> Iterator[Delta]:
        """See `nomoledger.ledger.stores.store.Store.deltas`."""
        values = (game, limit(effective), limit(recorded))
        with self._reading() as cursor:
            rows = cursor.execute(SELECT_DELTAS, values).fetchall()
        for period, account, commodity, units in rows:
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
        """See `nomoledger.ledger.stores.store.Store.snapshots`."""
        values = (game, fold, limit(upto), limit(period), limit(count))
        with self._reading() as cursor:
            return cursor.execute(SELECT_PLACES, values).fetchall()[::-1]

    def snapshot(self, game: str, fold: str, number: int) -> bytes | None:
        """Return the root of the snapshot after event *number*, or None."""
        with self._reading() as cursor:
            row = cursor.execute(SELECT_SNAPSHOT, (game, fold, number)).fetchone()
        return None if row is None else row[0]

    def parts(self, game: str, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """Return the snapshot parts stored under *keys*; missing keys are left out."""
        query, parts = "SELECT part FROM snapshot_parts WHERE game=? AND key=?", {}
        with self._reading() as cursor:
            for key in keys:
                for (part,) in cursor.execute(query, (game, key)):
                    parts[key] = part
        return parts

    def seals(self, game: str) -> list[Seal]:
        """Return the seals of *game*, in the order of the periods."""
        with self._reading() as cursor:
            return cursor.execute(SELECT_SEALS, (game,)).fetchall()


class SqliteSideTableWriter:
    """The part of a `nomoledger.ledger.stores.store.Writer` that writes the side tables."""

    def __init__(self, cursor: sqlite3.Cursor, location: str) -> None:
        """Write within the transaction that is open on *cursor*."""
        self._cursor = cursor
        self._location = location

    def replace_rollup(self, game: str, units: Mapping[Cell, int]) -> None:
        """Replace the whole roll-up of *game* by *units*."""
        self._cursor.execute("DELETE FROM rollup WHERE game=?", (game,))
        add_units(self._cursor, game, units)

    def add_snapshot(
        self, game: str, fold: str, place: Place, root: bytes, parts: Mapping[bytes, bytes]
    ) -> None:
        """Store a snapshot made by *fold*: its *root*, and the *parts* not stored yet."""
        self._cursor.executemany(
            "INSERT OR IGNORE INTO snapshot_parts VALUES (?,?,?)",
            [(game, key, part) for key, part in parts.items()],
        )
        number, period = place
        self._cursor.execute(ADD_SNAPSHOT, (fold, number, period, root, game, number))

    def drop_snapshots(self, game: str) -> None:
        """Delete all snapshots of *game*, whatever fold made them."""
        self._cursor.execute("DELETE FROM snapshots WHERE game=?", (game,))
        self._cursor.execute("DELETE FROM snapshot_parts WHERE game=?", (game,))

    def add_seal(self, game: str, period: int, number: int, seal: bytes) -> None:
        """Store the *seal* of *period*, whose last event is *number*.

        Raises:
            CorruptError: the period is sealed already.
        """
        row = (game, period, number, seal)
        try:
            self._cursor.execute("INSERT INTO seals VALUES (?,?,?,?)", row)
        except sqlite3.IntegrityError as error:
            raise CorruptError(
                f"{self._location}: period {period} of game {game!r} is sealed already: verify it"
            ) from error


def add_units(cursor: sqlite3.Cursor, game: str, units: Mapping[Cell, int]) -> None:
    """Add *units* to cells of the roll-up."""
    insert_rows(cursor, ADD, [(game, *cell, _stored(added)) for cell, added in units.items()])


def insert_rows(cursor: sqlite3.Cursor, statement: str, rows: Sequence[Sequence[object]]) -> None:
    """Run *statement*, which has braces in place of its values, for all *rows*.

    A statement spends most of its time before its first row, so each inserts several rows.
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


def raw_cells(cursor: sqlite3.Cursor, game: str) -> Iterator[RawCell]:
    """Yield the cells of the roll-up of *game*, unchecked."""
    return cursor.execute(SELECT_CELLS, (game,))


def read_units(stored: object) -> int:
    """Return units as an integer.

    Raises:
        ValueError: *stored* is neither an integer nor a text of digits.
    """
    if isinstance(stored, int):
        return stored
    if isinstance(stored, str):
        return int(stored)
    raise ValueError(stored)


def register_exact_sum(connection: sqlite3.Connection) -> None:
    """Give *connection* the function that adds units beyond 64 bits."""

    def exact_sum(first: object, second: object) -> int | str:
        return _stored(read_units(first) + read_units(second))

    connection.create_function("exact_sum", 2, exact_sum, deterministic=True)


def _stored(units: int) -> int | str:
    return units if units in INTEGERS else str(units)


def roll_up_all(connection: sqlite3.Connection) -> None:
    """Fill the empty roll-up from the records of all games."""
    register_exact_sum(connection)
    for (game,) in connection.execute("SELECT game FROM games").fetchall():
        records = connection.execute(
            "SELECT topic, state FROM stored_events WHERE originator_id=?"
            " ORDER BY originator_version", (game,)
        )  # fmt: skip
        add_units(connection.cursor(), game, units_of_encoded(records))
