"""Tokens, with which programs of a player or of the admin use the API.

A token is a secret of 256 random bits. Only its hash (SHA-256) is stored, so it is shown once. It
belongs to one reader of one game, may do what its scopes say, and works until it expires or is
revoked.
"""

import hashlib
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from nomoledger.errors import UnknownError, UsageError
from nomoledger.people.database import PeopleDatabase
from nomoledger.people.sign_in import ADMIN

#: What tokens begin with, so that programs that look for lost secrets know them.
TOKEN_PREFIX = "nomoledger_"
#: What a token may do, by scope.
SCOPES = {
    "public": "read what everybody may see",
    "read": "read what you may see, your own secrets included",
    "play": "ask for actions, try them, vote, answer, place and cancel orders, take back",
    "propose": "check and make proposals",
    "dispute": "open disputes and argue",
    "webhooks": "add webhooks, which send what you may see for as long as they are on; remove them",
    "admin": "do what only the admin may do",
}
#: For how many days a token may work, and how many tokens somebody may have.
DAYS_MAX, TOKENS_MAX = 366, 20
NAME_MAX = 100
#: How often it is noted that a token was used, in seconds.
_USE_SECONDS = 60


class ApiToken(msgspec.Struct, frozen=True):
    """A token, without its secret.

    Attributes:
        id: the first characters of its hash.
        game, reader: the game, and the player or "admin" whose token it is.
        name: what its owner calls it.
        scopes: what it may do; see `SCOPES`.
        made, expires: when it was made, and until when it works, in seconds since 1970.
        used: when it was last used, to the minute; None if never.
    """

    id: str
    game: str
    reader: str
    name: str
    scopes: tuple[str, ...]
    made: int
    expires: int
    used: int | None


class ApiTokens:
    """The tokens of a ledger, kept in *database*; *clock* gives the time in seconds since 1970."""

    def __init__(self, database: PeopleDatabase, clock: Callable[[], float] = time.time) -> None:
        """Keep tokens in *database*."""
        self._database = database
        self._clock = clock

    def make(self, game: str, reader: str, name: str, scopes: Sequence[str], days: int) -> str:
        """Make a token of *reader* in *game* that works for some *days*, and return its secret.

        Raises:
            UsageError: the name, the scopes or the days make no sense, or there are too many.
        """
        name = name.strip()
        if not name or len(name) > NAME_MAX:
            raise UsageError(f"the name of a token has 1 to {NAME_MAX} characters")
        chosen = [scope for scope in SCOPES if scope in scopes]
        if not chosen or len(chosen) != len(set(scopes)):
            raise UsageError(f"choose what the token may do: one or more of {', '.join(SCOPES)}")
        if "admin" in chosen and reader != ADMIN:
            raise UsageError("only the admin's tokens can have the scope 'admin'")
        if not 1 <= days <= DAYS_MAX:
            raise UsageError(f"a token works for 1 to {DAYS_MAX} days, not for {days}")
        secret, now = TOKEN_PREFIX + secrets.token_urlsafe(32), self._now()
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM api_tokens WHERE expires < ?", (now,))
            known = connection.execute(
                "SELECT COUNT(*) FROM api_tokens WHERE game = ? AND reader = ?", (game, reader)
            ).fetchone()[0]
            if known >= TOKENS_MAX:
                raise UsageError(f"you have {known} tokens already: revoke one")
            connection.execute(
                "INSERT INTO api_tokens VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
                (_hash(secret), game, reader, name, " ".join(chosen), now, now + days * 86400),
            )
        return secret

    def find(self, secret: str) -> ApiToken | None:
        """Return the token with that *secret*, and note that it is used; None if it is worthless.

        A token is worthless if nobody made it, if it was revoked, and if it has expired.
        """
        now = self._now()
        with self._database.reading() as connection:
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM api_tokens WHERE token = ? AND expires >= ?",
                (_hash(secret), now),
            ).fetchone()
        if row is not None and now - (row[-1] or 0) >= _USE_SECONDS:
            with self._database.transaction() as connection:
                connection.execute("UPDATE api_tokens SET used = ? WHERE token = ?", (now, row[0]))
        return None if row is None else _token(row)

    def all_of(self, game: str, reader: str) -> list[ApiToken]:
        """Return the tokens of *reader* in *game* that work, the newest first."""
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM api_tokens"
                " WHERE game = ? AND reader = ? AND expires >= ? ORDER BY made DESC, token",
                (game, reader, self._now()),
            ).fetchall()
        return [_token(row) for row in rows]

    def revoke(self, game: str, reader: str, id: str) -> ApiToken:
        """Revoke the token of *reader* in *game* with that *id*, and return it.

        Raises:
            UnknownError: *reader* has no such token.
        """
        token = next((each for each in self.all_of(game, reader) if each.id == id), None)
        if token is None:
            raise UnknownError("there is no such token of yours")
        with self._database.transaction() as connection:
            connection.execute(
                "DELETE FROM api_tokens WHERE game = ? AND reader = ? AND token LIKE ?",
                (game, reader, f"{id}%"),
            )
        return token

    def _now(self) -> int:
        return int(self._clock())


_COLUMNS = "token, game, reader, name, scopes, made, expires, used"


def _token(row: Sequence[Any]) -> ApiToken:
    token, game, reader, name, scopes, *times = row
    return ApiToken(token[:12], game, reader, name, tuple(scopes.split()), *times)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
