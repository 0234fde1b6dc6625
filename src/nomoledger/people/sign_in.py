"""Signing in: links that the admin hands out, and the sessions that they begin.

A link is worth something only together with a request by POST: programs that look at mail follow
links. Everything is stored as a hash (SHA-256 of 256 random bits).
"""

import hashlib
import secrets
import time
from collections.abc import Callable

import msgspec

from nomoledger.errors import UsageError
from nomoledger.people.database import Connection, PeopleDatabase

#: How long a link works, in seconds.
LINK_SECONDS = 14 * 24 * 3600
#: How long a session lasts, in seconds.
SESSION_SECONDS = 30 * 24 * 3600
#: The reader who sees all.
ADMIN = "admin"


class Session(msgspec.Struct, frozen=True):
    """Somebody who is signed in.

    Attributes:
        id: the hash of the session's token.
        game: the game.
        reader: the player, or "admin".
        seen: the number of the last event that the reader was shown at an earlier visit.
    """

    id: str
    game: str
    reader: str
    seen: int = -1


class SignIn:
    """Links and sessions, kept in *database*; *clock* gives the time in seconds since 1970."""

    def __init__(self, database: PeopleDatabase, clock: Callable[[], float] = time.time) -> None:
        """Keep links and sessions in *database*."""
        self._database = database
        self._clock = clock

    # --- people

    def invite(self, game: str, reader: str, email: str | None = None) -> str:
        """Invite *reader* to *game*, and return the token of a link.

        The e-mail address *email* of the reader is noted; None leaves the one that is known.
        """
        token = secrets.token_urlsafe(32)
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO people VALUES (?, ?, ?, ?)"
                " ON CONFLICT (game, reader) DO UPDATE SET email = COALESCE(?, people.email)",
                (game, reader, email or "", self._now(), email),
            )
            connection.execute("DELETE FROM links WHERE expires < ?", (self._now(),))
            connection.execute(
                "INSERT INTO links VALUES (?, ?, ?, ?)",
                (_hash(token), game, reader, self._now() + LINK_SECONDS),
            )
        return token

    def people(self, game: str) -> dict[str, str]:
        """Return the addresses of the people who were invited to *game*, by reader."""
        with self._database.transaction() as connection:
            rows = connection.execute(
                "SELECT reader, email FROM people WHERE game = ? ORDER BY reader", (game,)
            ).fetchall()
        return dict(rows)

    # --- links

    def whose(self, token: str) -> tuple[str, str] | None:
        """Return the game and reader of the link *token*; None if it is worth nothing."""
        with self._database.transaction() as connection:
            row = connection.execute(
                "SELECT game, reader FROM links WHERE token = ? AND expires >= ?",
                (_hash(token), self._now()),
            ).fetchone()
        return None if row is None else (row[0], row[1])

    def enter(self, token: str, agent: str) -> str:
        """Use up the link *token*, begin a session, and return the token of the session.

        Raises:
            UsageError: the link is worth nothing.
        """
        with self._database.transaction() as connection:
            row = connection.execute(
                "DELETE FROM links WHERE token = ? AND expires >= ? RETURNING game, reader",
                (_hash(token), self._now()),
            ).fetchone()
            if row is None:
                raise UsageError("this link is used up, or too old: ask for another one")
            return self._begin(connection, row[0], row[1], agent)

    # --- sessions

    def _begin(self, connection: Connection, game: str, reader: str, agent: str) -> str:
        token = secrets.token_urlsafe(32)
        connection.execute(
            "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, -1)",
            (
                _hash(token), game, reader, self._now(), self._now() + SESSION_SECONDS,
                agent[:200],
            ),
        )  # fmt: skip
        return token

    def session(self, token: str) -> Session | None:
        """Return the session with *token*; None if there is none, or if it has ended."""
        with self._database.transaction() as connection:
            row = connection.execute(
                "SELECT token, game, reader, seen FROM sessions WHERE token = ? AND expires >= ?",
                (_hash(token), self._now()),
            ).fetchone()
        return None if row is None else Session(*row)

    def note_seen(self, session: Session, number: int) -> None:
        """Remember that the reader of *session* was shown everything up to event *number*."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE sessions SET seen = ? WHERE token = ?", (number, session.id))

    def leave(self, session: Session) -> None:
        """End *session*."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM sessions WHERE token = ?", (session.id,))

    def _now(self) -> int:
        return int(self._clock())


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
