"""The outbox: letters to the outside, such as mails and calls of web hooks, until they are sent.

A letter is posted with an id, and the same id is posted once. Several server processes may send
from one outbox: each takes letters for a while, and nobody else takes them meanwhile. A process
that is killed after sending a letter and before noting that has it sent again, so what is sent
must carry the id of the letter, by which its receiver knows it again. (The pattern is known as
transactional outbox: https://microservices.io/patterns/data/transactional-outbox.html)
"""

import secrets
import time
from collections.abc import Callable

import msgspec

from nomoledger.people.database import Connection, PeopleDatabase

#: For how long nobody else takes a letter that was taken, in seconds.
LEASE_SECONDS = 300
#: After how many seconds a letter that failed is tried again: the first time, and at most.
RETRY_SECONDS, RETRY_SECONDS_MAX = 60, 6 * 3600
#: For how many seconds a letter is tried (RFC 5321, section 4.5.4.1: four to five days).
PATIENCE_SECONDS = 4 * 24 * 3600
#: For how many seconds it is remembered that a letter was sent, or given up.
MEMORY_SECONDS = 90 * 24 * 3600
#: How many letters are listed.
LISTED_MAX = 200


class Letter(msgspec.Struct, frozen=True):
    """A letter that was taken out of the outbox to be sent.

    Attributes:
        id: its id. What is sent must carry it.
        kind: what it is, such as "mail".
        game: the game that it is about.
        to: for whom it is: an address, or another name that its sender understands.
        content: what is sent.
        tries: how often it was tried before.
        leased_until: until when nobody else takes it, in seconds since 1970.
        lease: by which the outbox knows who took it.
    """

    id: str
    kind: str
    game: str
    to: str
    content: bytes
    tries: int = 0
    leased_until: int = 0
    lease: str = ""


class ListedLetter(msgspec.Struct, frozen=True):
    """A letter that waits, or was given up, as the admin sees it.

    Attributes:
        id, kind, to: as in `Letter`.
        about: what it is about, in words.
        posted: when it was posted. due: when it is tried next. Both in seconds since 1970.
        tries: how often it was tried. why: why it failed last; "" if it did not.
    """

    id: str
    kind: str
    to: str
    about: str
    posted: int
    due: int
    tries: int
    why: str


class Outbox:
    """Letters that wait to be sent, kept in *database*.

    *clock* gives the time in seconds since 1970. Several threads, and several processes, may use
    the outbox of one database.
    """

    def __init__(self, database: PeopleDatabase, clock: Callable[[], float] = time.time) -> None:
        """Keep letters in *database*, and give up those whose time is over.

        A server that has no postman for them would keep them for ever.
        """
        self._database = database
        self._clock = clock
        with database.transaction() as connection:
            for (kind,) in connection.execute("SELECT DISTINCT kind FROM outbox").fetchall():
                self._tidy(connection, kind, self._now())
        #: What is called when a letter is posted in this process.
        self.on_post: list[Callable[[], None]] = []

    def post(
        self, id: str, kind: str, game: str, to: str, content: bytes, *,
        about: str = "", due: float | None = None, until: float | None = None,
    ) -> bool:  # fmt: skip
        """Post a letter, and return whether no letter with that *id* was posted before.

        The letter is sent from the time *due* on, or at once, and not after *until*: both are in
        seconds since 1970. *about* says to the admin what it is about. See `Letter` for the rest.
        Once the letter is sent or given up, its content is erased.
        """
        with self._database.transaction() as connection:
            is_new = self.post_in(
                connection, id, kind, game, to, content, about=about, due=due, until=until
            )
        if is_new:
            self.tell()
        return is_new

    def post_in(
        self, connection: Connection, id: str, kind: str, game: str, to: str, content: bytes, *,
        about: str = "", due: float | None = None, until: float | None = None,
    ) -> bool:  # fmt: skip
        """Do what `post` does in the transaction of *connection*; call `tell` after it."""
        now = self._now()
        start = now if due is None else int(due)
        last = start + PATIENCE_SECONDS if until is None else int(until)
        row = connection.execute(
            "INSERT INTO outbox (id, kind, game, recipient, content, about, posted, due, expires)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING id",
            (id, kind, game, to, content, about, now, start, last),
        ).fetchone()
        return row is not None

    def tell(self) -> None:
        """Tell this process that a letter was posted."""
        for call in self.on_post:
            call()

    def take(self, kind: str, count: int = 10) -> list[Letter]:
        """Take at most *count* letters of *kind* that are due, those first that wait longest.

        Nobody else gets them for `LEASE_SECONDS`. Call `sent`, `failed` or `put_back` for each.
        """
        now, lease = self._now(), secrets.token_hex(8)
        with self._database.transaction() as connection:
            self._tidy(connection, kind, now)
            # Of two servers that choose the same rows of PostgreSQL, the second waits for the
            # first, and looks at the last condition again.
            rows = connection.execute(
                "UPDATE outbox SET lease = ?, leased_until = ? WHERE id IN (SELECT id FROM outbox"
                " WHERE kind = ? AND state = 'waiting' AND due <= ? AND leased_until <= ?"
                " ORDER BY due, posted, id LIMIT ?) AND state = 'waiting' AND leased_until <= ?"
                " RETURNING due, posted, id, kind, game, recipient, content, tries, leased_until,"
                " lease",
                (lease, now + LEASE_SECONDS, kind, now, now, count, now),
            ).fetchall()
        return [Letter(*row[2:]) for row in sorted(rows)]

    def sent(self, letter: Letter) -> None:
        """Note that *letter* was sent."""
        self._end(letter.id, "sent", "", letter.tries + 1)

    def failed(self, letter: Letter, why: str, *, for_good: bool = False) -> None:
        """Note that *letter* could not be sent, and *why*; it is tried again later.

        The first pause is a minute, and each takes three times as long as the one before, up to
        six hours. The letter is given up when its time is over (see `post`), or at once if it
        failed *for_good*. If somebody else has taken the letter meanwhile, this call does nothing.
        """
        if for_good:
            self._end(letter.id, "failed", why, letter.tries + 1, letter.lease)
            return
        pause = min(RETRY_SECONDS * 3**letter.tries, RETRY_SECONDS_MAX)
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE outbox SET tries = tries + 1, why = ?, due = ?, lease = '',"
                " leased_until = 0 WHERE id = ? AND lease = ? AND state = 'waiting'",
                (why[:500], self._now() + pause, letter.id, letter.lease),
            )

    def put_back(self, letter: Letter) -> None:
        """Leave *letter*, which was not tried, to whoever takes it next."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE outbox SET lease = '', leased_until = 0"
                " WHERE id = ? AND lease = ? AND state = 'waiting'",
                (letter.id, letter.lease),
            )

    def is_waiting(self, id: str) -> bool:
        """Return whether the letter *id* is to be sent: it was neither sent nor given up."""
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT id FROM outbox WHERE id = ? AND state = 'waiting'", (id,)
            ).fetchone()
        return row is not None

    def waiting(self, game: str) -> list[ListedLetter]:
        """Return the letters about *game* that are to be sent, the next first."""
        return self._listed(game, "waiting", "due, posted, id")

    def given_up(self, game: str) -> list[ListedLetter]:
        """Return the letters about *game* that were given up, the latest first."""
        return self._listed(game, "failed", "ended DESC, id")

    # --- inside

    def _end(self, id: str, state: str, why: str, tries: int, lease: str | None = None) -> None:
        """Note that the letter *id* is in its last *state*; with *lease*, if nobody else has it."""
        condition, more = "", tuple[str, ...]()
        if lease is not None:
            condition, more = " AND lease = ? AND state = 'waiting'", (lease,)
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE outbox SET state = ?, why = ?, tries = ?, ended = ?, content = ?,"
                f" leased_until = 0 WHERE id = ?{condition}",
                (state, why[:500], tries, self._now(), b"", id, *more),
            )

    def _tidy(self, connection: Connection, kind: str, now: int) -> None:
        """Give up letters of *kind* whose time is over, and forget those of long ago."""
        connection.execute(
            "UPDATE outbox SET state = 'failed', ended = ?, content = ?,"
            " why = CASE WHEN why = '' THEN 'it was not sent in time' ELSE why END"
            " WHERE kind = ? AND state = 'waiting' AND expires < ? AND leased_until <= ?",
            (now, b"", kind, now, now),
        )
        connection.execute(
            "DELETE FROM outbox WHERE kind = ? AND state <> 'waiting' AND ended < ?",
            (kind, now - MEMORY_SECONDS),
        )

    def _listed(self, game: str, state: str, order: str) -> list[ListedLetter]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT id, kind, recipient, about, posted, due, tries, why FROM outbox"
                f" WHERE game = ? AND state = ? ORDER BY {order} LIMIT ?",
                (game, state, LISTED_MAX),
            ).fetchall()
        return [ListedLetter(*row) for row in rows]

    def _now(self) -> int:
        return int(self._clock())
