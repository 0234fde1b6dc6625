"""The side tables of a PostgreSQL database: the roll-up, snapshots and seals."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import psycopg
from psycopg.errors import UniqueViolation

from nomoledger.errors import CorruptError
from nomoledger.ledger.rollup import POSTED, Cell, Delta, RawCell, units_of_encoded
from nomoledger.ledger.stores.store import Place, Seal, limit

Connection = psycopg.Connection[Any]

PAGE = 1000
CREATE_ROLLUP = """CREATE TABLE nomoledger.rollup (
    game text COLLATE "C" NOT NULL,
    effective bigint NOT NULL,
    recorded bigint NOT NULL,
    account text COLLATE "C" NOT NULL,
    commodity text COLLATE "C" NOT NULL,
    units numeric NOT NULL,
    PRIMARY KEY (game, effective, recorded, account, commodity)
) WITH (fillfactor = 70)"""
CREATE_SNAPSHOTS = """CREATE TABLE nomoledger.snapshots (
    game text COLLATE "C" NOT NULL,
    fold text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    period bigint NOT NULL,
    hash bytea NOT NULL,
    root bytea NOT NULL,
    PRIMARY KEY (game, fold, number)
)"""
CREATE_PARTS = """CREATE TABLE nomoledger.snapshot_parts (
    game text COLLATE "C" NOT NULL,
    key bytea NOT NULL,
    part bytea NOT NULL,
    PRIMARY KEY (game, key)
)"""
CREATE_SEALS = """CREATE TABLE nomoledger.seals (
    game text COLLATE "C" NOT NULL,
    period bigint NOT NULL,
    number bigint NOT NULL,
    seal bytea NOT NULL,
    PRIMARY KEY (game, period)
)"""
CREATE = (CREATE_ROLLUP, CREATE_SNAPSHOTS, CREATE_PARTS, CREATE_SEALS)

ADD = """INSERT INTO nomoledger.rollup AS r SELECT %s, effective, recorded, account, commodity,
        units::numeric
    FROM unnest(%b::bigint[], %b::bigint[], %b::text[], %b::text[], %b::text[])
        AS added (effective, recorded, account, commodity, units)
    ON CONFLICT (game, effective, recorded, account, commodity)
        DO UPDATE SET units = r.units + excluded.units"""
SELECT_DELTAS = """SELECT effective, account, commodity, sum(units)::text FROM nomoledger.rollup
    WHERE game = %s AND effective <= %s AND recorded <= %s
    GROUP BY effective, account, commodity ORDER BY effective"""
SELECT_CELLS = """SELECT effective, recorded, account, commodity, units::text
    FROM nomoledger.rollup WHERE game = %s
    ORDER BY effective, recorded, account, commodity"""
SELECT_SNAPSHOT = """SELECT root FROM nomoledger.snapshots
    WHERE game = %s AND fold = %s AND number = %s"""
# A snapshot belongs to one history: it counts only if its hash is in the chain.
SELECT_PLACES = """SELECT number, period FROM nomoledger.snapshots AS taken
    WHERE game = %s AND fold = %s AND number <= %s AND period <= %s
    AND hash = (SELECT hash FROM nomoledger.chain
        WHERE game = taken.game AND number >= taken.number ORDER BY number LIMIT 1)
    ORDER BY number DESC LIMIT %s"""
SELECT_PARTS = "SELECT key, part FROM nomoledger.snapshot_parts WHERE game = %s AND key = ANY(%b)"
SELECT_SEALS = "SELECT period, number, seal FROM nomoledger.seals WHERE game = %s ORDER BY period"
ADD_PARTS = """INSERT INTO nomoledger.snapshot_parts
    SELECT %s, * FROM unnest(%b::bytea[], %b::bytea[]) ON CONFLICT DO NOTHING"""
ADD_SNAPSHOT = """INSERT INTO nomoledger.snapshots
    SELECT game, %s, %s, %s, hash, %s FROM nomoledger.chain
    WHERE game = %s AND number >= %s ORDER BY number LIMIT 1
    ON CONFLICT (game, fold, number)
        DO UPDATE SET period = excluded.period, hash = excluded.hash, root = excluded.root"""
SELECT_POSTED = """SELECT topic, state FROM nomoledger.stored_events
    WHERE originator_id = %s AND topic = ANY(%s) ORDER BY originator_version"""
_ESCAPED = re.compile(r"\\[\\0]")


class PostgresSideTables:
    """The part of a `nomoledger.ledger.stores.store.Store` that reads the side tables."""

    _fetch: Callable[..., list[Any]]

    def deltas(self, game: str, effective: int | None, recorded: int | None) -> Iterator[Delta]:
        """See `nomoledger.ledger.stores.store.Store.deltas`."""
        values = (game, limit(effective), limit(recorded))
        for period, account, commodity, units in self._fetch(SELECT_DELTAS, *values):
            yield period, _unescape(account), _unescape(commodity), int(units)

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
        return self._fetch(SELECT_PLACES, *values)[::-1]

    def snapshot(self, game: str, fold: str, number: int) -> bytes | None:
        """Return the root of the snapshot after event *number*, or None."""
        rows = self._fetch(SELECT_SNAPSHOT, game, fold, number)
        return rows[0][0] if rows else None

    def parts(self, game: str, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """Return the snapshot parts stored under *keys*; missing keys are left out."""
        return dict(self._fetch(SELECT_PARTS, game, list(keys)))

    def seals(self, game: str) -> list[Seal]:
        """Return the seals of *game*, in the order of the periods."""
        return self._fetch(SELECT_SEALS, game)


class PostgresSideTableWriter:
    """The part of a `nomoledger.ledger.stores.store.Writer` that writes the side tables."""

    _connection: Connection
    _location: str

    def replace_rollup(self, game: str, units: Mapping[Cell, int]) -> None:
        """Replace the whole roll-up of *game* by *units*."""
        self._connection.execute("DELETE FROM nomoledger.rollup WHERE game = %s", (game,))
        add_units(self._connection, game, units)

    def add_snapshot(
        self, game: str, fold: str, place: Place, root: bytes, parts: Mapping[bytes, bytes]
    ) -> None:
        """Store a snapshot made by *fold*: its *root*, and the *parts* not stored yet."""
        self._connection.execute(ADD_PARTS, (game, list(parts), list(parts.values())))
        number, period = place
        self._connection.execute(ADD_SNAPSHOT, (fold, number, period, root, game, number))

    def drop_snapshots(self, game: str) -> None:
        """Delete all snapshots of *game*, whatever fold made them."""
        self._connection.execute("DELETE FROM nomoledger.snapshots WHERE game = %s", (game,))
        self._connection.execute("DELETE FROM nomoledger.snapshot_parts WHERE game = %s", (game,))

    def add_seal(self, game: str, period: int, number: int, seal: bytes) -> None:
        """Store the *seal* of *period*, whose last event is *number*.

        Raises:
            CorruptError: the period is sealed already.
        """
        row = (game, period, number, seal)
        try:
            self._connection.execute("INSERT INTO nomoledger.seals VALUES (%s, %s, %s, %s)", row)
        except UniqueViolation as error:
            raise CorruptError(
                f"{self._location}: period {period} of game {game!r} is sealed already: verify it"
            ) from error


def add_units(connection: Connection, game: str, units: Mapping[Cell, int]) -> None:
    """Add *units* to cells of the roll-up."""
    if units:
        values = (game, *columns(units))
        connection.execute(ADD.encode(), values, prepare=True)


def columns(units: Mapping[Cell, int]) -> tuple[list[Any], ...]:
    """Return *units* as the columns of the roll-up."""
    effective, recorded, accounts, commodities = zip(*units, strict=True)
    names = ([_escape(name) for name in column] for column in (accounts, commodities))
    return list(effective), list(recorded), *names, [str(added) for added in units.values()]


def _escape(name: str) -> str:
    r"""Return *name* with character 0 escaped, which PostgreSQL cannot store in a text.

    >>> _escape("a\0b"), _unescape(_escape("a\\0\0"))
    ('a\\0b', 'a\\0\x00')
    """
    return name.replace("\\", r"\\").replace("\0", r"\0")


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda match: "\0" if match[0] == r"\0" else "\\", text)


def raw_cells(rows: Iterable[Any]) -> Iterator[RawCell]:
    """Yield the cells in *rows* of the roll-up, unchecked."""
    for effective, recorded, account, commodity, units in rows:
        names = (_unescape(name).encode() for name in (account, commodity))
        yield effective, recorded, *names, units


def roll_up_all(connection: Connection) -> None:
    """Fill the empty roll-up from the records of all games."""
    for (game,) in connection.execute("SELECT game FROM nomoledger.games").fetchall():
        with connection.cursor("records") as cursor:
            cursor.itersize = PAGE
            cursor.execute(SELECT_POSTED, (game, list(POSTED)), binary=True)
            units = units_of_encoded(cursor)
        add_units(connection, game, units)
