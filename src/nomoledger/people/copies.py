"""Copies of games in which people try things, as all servers of a ledger know them.

A copy is stored as what it was made from, its secret, and the records that were played in it, in
batches. Whoever has these can build the copy again, without playing anything again.
"""

import time
from collections.abc import Callable

import msgspec

from nomoledger.errors import UnknownError, UsageError
from nomoledger.ledger.chain import Head
from nomoledger.people.database import Connection, PeopleDatabase

#: How long a copy is kept, in seconds.
COPY_SECONDS = 24 * 3600
#: How many copies of a game there are at most, and of one person: the one unused longest goes.
COPIES_MAX, OWN_MAX = 50, 5
#: How much can be played in a copy: the bytes of its records.
PLAYED_BYTES_MAX = 5_000_000
#: A look at a copy is noted at most so often, in seconds.
_NOTED_SECONDS = 600


class StoredCopy(msgspec.Struct, frozen=True):
    """What a copy of *game* is made from.

    Attributes:
        id: its address. by: who made it.
        made: when, in seconds since 1970.
        base: the last event that it copied, with the hash of the chain. secret: that of the copy.
    """

    id: str
    game: str
    by: str
    made: int
    base: Head
    secret: bytes


class CopyVersion(msgspec.Struct, frozen=True):
    """Which version of a copy is meant: how often somebody went *back*, and its *last* event."""

    back: int
    last: int


class StoredCopies:
    """The copies of the games of a ledger, kept in *database*.

    *clock* gives the time in seconds since 1970.
    """

    def __init__(self, database: PeopleDatabase, clock: Callable[[], float] = time.time) -> None:
        """Keep copies in *database*."""
        self._database = database
        self._clock = clock

    def add(self, id: str, game: str, by: str, base: Head, secret: bytes) -> StoredCopy:
        """Keep a new copy, and return it; see `StoredCopy`.

        Copies that are too old, and those of which there are too many, are removed.
        """
        now = int(self._clock())
        copy = StoredCopy(id, game, by, now, base, secret)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM copies WHERE made < ?", (now - COPY_SECONDS,))
            self._make_room(connection, OWN_MAX, game, by)
            self._make_room(connection, COPIES_MAX, game)
            connection.execute(
                "DELETE FROM copied_records WHERE copy NOT IN (SELECT id FROM copies)"
            )
            connection.execute(
                "INSERT INTO copies VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0)",
                (id, game, by, base.number, now, base.hash, secret, self._moment(), base.number),
            )
        return copy

    def of(self, game: str) -> list[StoredCopy]:
        """Return the copies of *game*, the newest first."""
        return self._listed("game = ? ORDER BY made DESC, id", game)

    def find(self, game: str, id: str) -> StoredCopy:
        """Return the copy of *game* with that *id*.

        Raises:
            UnknownError: there is no such copy any more.
        """
        found = self._listed("game = ? AND id = ?", game, id)
        if not found:
            raise _gone()
        return found[0]

    def ids(self) -> set[str]:
        """Return the ids of all copies that are kept."""
        return {copy.id for copy in self._listed("TRUE")}

    def played(self, id: str, after: int) -> tuple[CopyVersion, list[bytes]]:
        """Return the version of the copy *id*, and the batches played in it after event *after*.

        Raises:
            UnknownError: there is no such copy any more.
        """
        with self._database.reading() as connection:
            # One statement, so that the version is that of the batches.
            rows = connection.execute(
                "SELECT back, last, used, records FROM copies LEFT JOIN copied_records"
                " ON copy = id AND first > ? WHERE id = ? ORDER BY first",
                (after, id),
            ).fetchall()
        if not rows:
            raise _gone()
        back, last, used, _ = rows[0]
        if used < self._moment() - _NOTED_SECONDS * 1_000_000:
            with self._database.transaction() as connection:
                connection.execute("UPDATE copies SET used = ? WHERE id = ?", (self._moment(), id))
        return CopyVersion(back, last), [bytes(row[3]) for row in rows if row[3] is not None]

    def go_on(self, id: str, version: CopyVersion, last: int, records: bytes) -> bool:
        """Add *records*, up to event *last*, to the copy *id*, which must have that *version*.

        The result is whether it has.

        Raises:
            UsageError: too much was played in the copy.
        """
        with self._database.transaction() as connection:
            row = connection.execute(
                "UPDATE copies SET last = ?, used = ?, size = size + ?"
                " WHERE id = ? AND back = ? AND last = ? RETURNING size",
                (last, self._moment(), len(records), id, version.back, version.last),
            ).fetchone()
            if row is None:
                return False
            if row[0] > PLAYED_BYTES_MAX:
                raise UsageError("this copy is full: take steps back, or open another copy")
            self._insert(connection, id, version.last + 1, records)
        return True

    def go_back(self, id: str, version: CopyVersion, last: int, first: int, records: bytes) -> bool:
        """Leave only *records*, the events *first* to *last*, played in the copy *id*.

        The result is whether the copy has that *version*; otherwise nothing changes.
        """
        with self._database.transaction() as connection:
            row = connection.execute(
                "UPDATE copies SET back = back + 1, last = ?, used = ?, size = ?"
                " WHERE id = ? AND back = ? AND last = ? RETURNING id",
                (last, self._moment(), len(records), id, version.back, version.last),
            ).fetchone()
            if row is not None:
                connection.execute("DELETE FROM copied_records WHERE copy = ?", (id,))
                if last >= first:
                    self._insert(connection, id, first, records)
        return row is not None

    # --- inside

    def _insert(self, connection: Connection, id: str, first: int, records: bytes) -> None:
        connection.execute("INSERT INTO copied_records VALUES (?, ?, ?)", (id, first, records))

    def _listed(self, condition: str, *values: str) -> list[StoredCopy]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT id, game, opened_by, made, since, base, secret FROM copies"
                f" WHERE made >= ? AND {condition}",
                (int(self._clock()) - COPY_SECONDS, *values),
            ).fetchall()
        return [
            StoredCopy(id, game, by, made, Head(since, hash_), secret)
            for id, game, by, made, since, hash_, secret in rows
        ]

    def _moment(self) -> int:
        """Return the time in microseconds, so that the order of uses is known."""
        return int(self._clock() * 1_000_000)

    def _make_room(self, connection: Connection, most: int, game: str, by: str = "") -> None:
        """Remove copies of *game*, or of *by* in it, so that one more is not too many."""
        condition, values = ("game = ?", (game,)) if not by else (_OWN, (game, by))
        connection.execute(
            "DELETE FROM copies WHERE id IN (SELECT id FROM copies"
            f" WHERE {condition} ORDER BY used DESC LIMIT ? OFFSET ?)",
            (*values, COPIES_MAX + OWN_MAX, most - 1),
        )


_OWN = "game = ? AND opened_by = ?"


def _gone() -> UnknownError:
    return UnknownError("there is no such copy any more: each is kept for a day")
