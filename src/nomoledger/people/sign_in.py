"""Signing in: links that the admin hands out, and the sessions that they begin.

A link is worth something only together with a request by POST: programs that look at mail follow
links. Links and sessions are stored as a hash (SHA-256 of 256 random bits).
"""

import hashlib
import secrets
import time
from collections.abc import Callable

import msgspec

from nomoledger.errors import UsageError
from nomoledger.people.database import Connection, PeopleDatabase
from nomoledger.people.sign_in_record import SignInRecord
from nomoledger.people.visit import Visit

#: How long a link works, in seconds.
LINK_SECONDS = 14 * 24 * 3600
#: How long a session lasts without use, and from its begin to its end, in seconds.
IDLE_SECONDS, SESSION_SECONDS = 30 * 24 * 3600, 180 * 24 * 3600
#: The use of a session is noted at most so often, in seconds.
NOTED_SECONDS = 3600
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


class OpenSession(msgspec.Struct, frozen=True):
    """A session, as its reader sees it in a list.

    Attributes:
        id: the hash of the session's token. way: how it began.
        browser: the browser, as in `Visit`.
        began, used: when it began, and when it was used last, give or take an hour.
    """

    id: str
    way: str
    browser: str
    began: int
    used: int


class SignIn:
    """Links and sessions, kept in *database*; *clock* gives the time in seconds since 1970.

    Attributes:
        record: what happened to them.
    """

    def __init__(self, database: PeopleDatabase, clock: Callable[[], float] = time.time) -> None:
        """Keep links and sessions in *database*."""
        self._database = database
        self._clock = clock
        self.record = SignInRecord(database, clock)

    # --- people

    def invite(
        self, game: str, reader: str, email: str | None = None, visit: Visit | None = None
    ) -> str:
        """Invite *reader* to *game*, and return the token of a link.

        The e-mail address *email* of the reader is noted; None leaves the one that is known.
        *visit* is that of the admin who makes the link, unless the server makes it.
        """
        token, made = secrets.token_urlsafe(32), "server" if visit is None else "admin"
        with self._database.transaction() as connection:
            self._note_address(connection, game, reader, email)
            connection.execute("DELETE FROM links WHERE expires < ?", (self._now(),))
            connection.execute(
                "INSERT INTO links VALUES (?, ?, ?, ?, ?, 0)",
                (hash_of(token), game, reader, self._now() + LINK_SECONDS, made),
            )
            self.record.note(connection, game, reader, "link made", "link", visit or Visit())
        return token

    def void_others(self, token: str) -> None:
        """Void the links that the admin made before for whom the link *token* is."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE links SET used = ? WHERE used = 0 AND made = 'admin' AND token <> ?"
                " AND (game, reader) IN (SELECT game, reader FROM links WHERE token = ?)",
                (self._now(), hash_of(token), hash_of(token)),
            )

    def note_address(self, game: str, reader: str, email: str) -> None:
        """Keep the e-mail address *email* of the *reader* in *game* for an invitation."""
        with self._database.transaction() as connection:
            self._note_address(connection, game, reader, email)

    def people(self, game: str) -> dict[str, str]:
        """Return the addresses of the people who were invited to *game*, by reader."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT reader, email FROM people WHERE game = ? ORDER BY reader", (game,)
            ).fetchall()
        return dict(rows)

    # --- links

    def whose(self, token: str) -> tuple[str, str] | None:
        """Return the game and reader of the link *token*; None if it is worth nothing."""
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT game, reader FROM links WHERE token = ? AND expires >= ? AND used = 0",
                (hash_of(token), self._now()),
            ).fetchone()
        return None if row is None else (row[0], row[1])

    def enter(self, token: str, visit: Visit, before: Callable[[str], Session | None]) -> str:
        """Use up the link *token*, begin a session, and return the token of the session.

        *before* returns the session that the browser has in a game: it ends.

        Raises:
            UsageError: the link is worth nothing.
        """
        whose = self.whose(token)
        old = None if whose is None else before(whose[0])
        with self._database.transaction() as connection:
            row = connection.execute(
                "UPDATE links SET used = ? WHERE token = ? AND expires >= ? AND used = 0"
                " RETURNING game, reader",
                (self._now(), hash_of(token), self._now()),
            ).fetchone()
            if row is not None:
                return self.begin(connection, row[0], row[1], "link", visit, old)
            row = connection.execute(
                "SELECT game, reader FROM links WHERE token = ?", (hash_of(token),)
            ).fetchone()
            if row is not None:
                self.record.note(connection, row[0], row[1], "refused", "used link", visit)
        raise UsageError("this link is used up, or too old: ask for another one")

    # --- sessions

    def begin(
        self, connection: Connection, game: str, reader: str, way: str, visit: Visit,
        old: Session | None,
    ) -> str:  # fmt: skip
        """Begin a session in the transaction of *connection*, and return its token.

        The session *old* of the same browser ends.
        """
        token, now = secrets.token_urlsafe(32), self._now()
        if old is not None:
            connection.execute("DELETE FROM sessions WHERE token = ?", (old.id,))
        connection.execute("DELETE FROM sessions WHERE expires < ?", (now,))
        connection.execute(
            "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (hash_of(token), game, reader, way, visit.browser, now, now, now + IDLE_SECONDS),
        )
        self.record.note(connection, game, reader, "signed in", way, visit, hash_of(token))
        return token

    def session(self, token: str) -> Session | None:
        """Return the session with *token*; None if there is none, or if it has ended.

        A session ends `IDLE_SECONDS` after its last use, and `SESSION_SECONDS` after its begin.
        """
        id, now = hash_of(token), self._now()
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT sessions.used, sessions.game, sessions.reader, seen.number FROM sessions"
                " LEFT JOIN seen ON seen.game = sessions.game AND seen.reader = sessions.reader"
                " WHERE token = ? AND expires >= ?",
                (id, now),
            ).fetchone()
        if row is None:
            return None
        if row[0] <= now - NOTED_SECONDS:
            with self._database.transaction() as connection:
                connection.execute(
                    "UPDATE sessions SET used = ?, expires = CASE WHEN began + ? < ?"
                    " THEN began + ? ELSE ? END WHERE token = ?",
                    (now, SESSION_SECONDS, now + IDLE_SECONDS, SESSION_SECONDS,
                     now + IDLE_SECONDS, id),
                )  # fmt: skip
        return Session(id, row[1], row[2], -1 if row[3] is None else row[3])

    def sessions(self, game: str, reader: str) -> list[OpenSession]:
        """Return the sessions of *reader* in *game*, the latest used first."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT token, way, browser, began, used FROM sessions"
                " WHERE game = ? AND reader = ? AND expires >= ? ORDER BY used DESC, token",
                (game, reader, self._now()),
            ).fetchall()
        return [OpenSession(*row) for row in rows]

    def note_seen(self, session: Session, number: int) -> None:
        """Remember that the reader of *session* was shown everything up to event *number*."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO seen VALUES (?, ?, ?)"
                " ON CONFLICT (game, reader) DO UPDATE SET number = excluded.number",
                (session.game, session.reader, number),
            )

    def leave(self, session: Session, visit: Visit) -> None:
        """End *session*, for whoever is signed in by it."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM sessions WHERE token = ?", (session.id,))
            self._note(connection, session, "signed out", visit)

    def end(self, session: Session, id: str, visit: Visit) -> None:
        """End another session *id* of the reader of *session*."""
        self._end(session, "token = ?", id, visit)

    def end_others(self, session: Session, visit: Visit) -> None:
        """End all sessions of the reader of *session* but this one."""
        self._end(session, "token <> ?", session.id, visit)

    def _end(self, session: Session, condition: str, id: str, visit: Visit) -> None:
        with self._database.transaction() as connection:
            ended = connection.execute(
                f"DELETE FROM sessions WHERE game = ? AND reader = ? AND {condition}"
                " RETURNING token",
                (session.game, session.reader, id),
            ).fetchall()
            for _ in ended:
                self._note(connection, session, "session ended", visit)

    def _note(self, connection: Connection, session: Session, what: str, visit: Visit) -> None:
        self.record.note(connection, session.game, session.reader, what, "", visit, session.id)

    def _note_address(
        self, connection: Connection, game: str, reader: str, email: str | None
    ) -> None:
        connection.execute(
            "INSERT INTO people VALUES (?, ?, ?, ?)"
            " ON CONFLICT (game, reader) DO UPDATE SET email = COALESCE(?, people.email)",
            (game, reader, email or "", self._now(), email),
        )

    def _now(self) -> int:
        return int(self._clock())


def hash_of(token: str) -> str:
    """Return what is stored of *token*."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()
