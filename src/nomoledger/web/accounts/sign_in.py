"""Signing in: links that a person opens, short codes, and the sessions that they begin.

A link is worth something only together with a request by POST: programs that look at mail follow
links. A link that somebody asked for works in the browser that asked; in another browser, the code
of the same mail is needed. Everything is stored as a hash (SHA-256 of 256 random bits).
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable

import msgspec

from nomoledger.errors import UsageError
from nomoledger.web.accounts.database import AccountDatabase, Connection

#: How long a link works, in seconds: one that somebody asked for, and an invitation.
LINK_SECONDS, INVITATION_SECONDS = 20 * 60, 14 * 24 * 3600
#: How long a session lasts, in seconds.
SESSION_SECONDS = 30 * 24 * 3600
#: How often a code may be wrong before its link is worth nothing.
TRIES_MAX = 5
#: The reader who sees all.
ADMIN = "admin"


class NewLink(msgspec.Struct, frozen=True):
    """A link that was made: its *token*, and the *code* that stands for it in another browser."""

    token: str
    code: str


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
    """Links and sessions, kept in *accounts*; *clock* gives the time in seconds since 1970."""

    def __init__(self, accounts: AccountDatabase, clock: Callable[[], float] = time.time) -> None:
        """Keep links and sessions in *accounts*."""
        self._accounts = accounts
        self._clock = clock

    # --- people

    def invite(self, game: str, reader: str, email: str = "") -> NewLink:
        """Invite *reader* to *game*, at the address *email*, and return a link for any browser."""
        with self._accounts.transaction() as connection:
            connection.execute(
                "INSERT INTO people VALUES (?, ?, ?, ?)"
                " ON CONFLICT (game, reader) DO UPDATE SET email = excluded.email",
                (game, reader, email, self._now()),
            )
        return self._new_link(game, reader, "", INVITATION_SECONDS)

    def people(self, game: str) -> dict[str, str]:
        """Return the addresses of the people who were invited to *game*, by reader."""
        with self._accounts.transaction() as connection:
            rows = connection.execute(
                "SELECT reader, email FROM people WHERE game = ? ORDER BY reader", (game,)
            ).fetchall()
        return dict(rows)

    def reader_with(self, game: str, email: str) -> str | None:
        """Return the reader of *game* who has the address *email*; None if nobody has."""
        wanted = email.strip().casefold()
        for reader, address in self.people(game).items():
            if wanted and address.casefold() == wanted:
                return reader
        return None

    # --- links

    def ask_for_link(self, game: str, reader: str, browser: str) -> NewLink:
        """Return a link for *reader*, which works in *browser* (a value that only it knows)."""
        return self._new_link(game, reader, _hash(browser), LINK_SECONDS)

    def _new_link(self, game: str, reader: str, browser: str, seconds: int) -> NewLink:
        link = NewLink(secrets.token_urlsafe(32), f"{secrets.randbelow(10**8):08}")
        with self._accounts.transaction() as connection:
            connection.execute("DELETE FROM links WHERE expires < ?", (self._now(),))
            connection.execute(
                "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, 0)",
                (
                    _hash(link.token), _hash(link.code), game, reader, browser,
                    self._now() + seconds,
                ),
            )  # fmt: skip
        return link

    def whose(self, token: str) -> tuple[str, str] | None:
        """Return the game and reader of the link *token*; None if it is worth nothing."""
        with self._accounts.transaction() as connection:
            row = connection.execute(
                "SELECT game, reader FROM links WHERE token = ? AND expires >= ?",
                (_hash(token), self._now()),
            ).fetchone()
        return None if row is None else (row[0], row[1])

    def enter(self, token: str, browser: str, code: str, agent: str) -> str:
        """Use up the link *token*, begin a session, and return the token of the session.

        Raises:
            UsageError: the link is worth nothing, or the code is needed and is wrong.
        """
        with self._accounts.transaction() as connection:
            row = connection.execute(
                "SELECT code, game, reader, browser, tries FROM links"
                " WHERE token = ? AND expires >= ?",
                (_hash(token), self._now()),
            ).fetchone()
            if row is None:
                raise UsageError("this link is used up, or too old: ask for another one")
            stored_code, game, reader, bound, tries = row
            is_same = not bound or hmac.compare_digest(bound, _hash(browser))
            if not is_same and not hmac.compare_digest(stored_code, _hash(code.strip())):
                is_spent = tries + 1 >= TRIES_MAX
                statement = (
                    "DELETE FROM links" if is_spent else "UPDATE links SET tries = tries + 1"
                )
                connection.execute(f"{statement} WHERE token = ?", (_hash(token),))
                problem = (
                    "this browser did not ask for the link: enter the code of the same mail"
                    if not code
                    else "the code is wrong, and the link is worth nothing now: ask for another"
                    if is_spent
                    else "the code is wrong: look at the same mail"
                )
            else:
                connection.execute("DELETE FROM links WHERE token = ?", (_hash(token),))
                return self._begin(connection, game, reader, agent)
        raise UsageError(problem)

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
        with self._accounts.transaction() as connection:
            row = connection.execute(
                "SELECT token, game, reader, seen FROM sessions WHERE token = ? AND expires >= ?",
                (_hash(token), self._now()),
            ).fetchone()
        return None if row is None else Session(*row)

    def note_seen(self, session: Session, number: int) -> None:
        """Remember that the reader of *session* was shown everything up to event *number*."""
        with self._accounts.transaction() as connection:
            connection.execute("UPDATE sessions SET seen = ? WHERE token = ?", (number, session.id))

    def leave(self, session: Session) -> None:
        """End *session*."""
        with self._accounts.transaction() as connection:
            connection.execute("DELETE FROM sessions WHERE token = ?", (session.id,))

    def _now(self) -> int:
        return int(self._clock())


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
