"""The record of sign-ins: who signed in where and how, who was refused, and what keys were made."""

import time
from collections.abc import Callable

import msgspec

from nomoledger.people.database import Connection, PeopleDatabase
from nomoledger.people.visit import Visit

#: For how many seconds it is kept from which network somebody came.
NETWORK_SECONDS = 90 * 24 * 3600
#: How many entries are listed.
LISTED_MAX = 200
#: What holds for the entries whose network is to be removed.
_OLD = "network <> '' AND at < ?"


class SignInEntry(msgspec.Struct, frozen=True):
    """Something that happened to the ways in which somebody signs in.

    Attributes:
        at: when, in seconds since 1970.
        reader: of whom: the player, or "admin".
        what: what happened, such as "signed in" or "refused".
        way: by what: "link", "mail", "passkey" or "".
        browser, network: as in `Visit`. The network is removed after `NETWORK_SECONDS`.
        session: the first characters of the hash of the session; "" if there is none.
    """

    at: int
    reader: str
    what: str
    way: str
    browser: str
    network: str
    session: str = ""


class SignInRecord:
    """The record of sign-ins in the games of a ledger, kept in *database*.

    *clock* gives the time in seconds since 1970.
    """

    def __init__(self, database: PeopleDatabase, clock: Callable[[], float] = time.time) -> None:
        """Keep the record in *database*, and remove from it what is too old."""
        self._database = database
        self._clock = clock
        with database.transaction() as connection:
            self._forget(connection)

    def note(
        self, connection: Connection, game: str, reader: str, what: str, way: str, visit: Visit,
        session: str = "",
    ) -> None:  # fmt: skip
        """Note in the transaction of *connection* that *what* happened; see `SignInEntry`."""
        self._forget(connection)
        connection.execute(
            "INSERT INTO sign_ins VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                int(self._clock()), game, reader, what, way, visit.browser, visit.network,
                session[:12],
            ),
        )  # fmt: skip

    def in_game(self, game: str) -> list[SignInEntry]:
        """Return the latest entries of everybody in *game*, the newest first."""
        return self._latest("game = ?", game)

    def of(self, game: str, reader: str) -> list[SignInEntry]:
        """Return the latest entries of *reader* in *game*, the newest first."""
        return self._latest("game = ? AND reader = ?", game, reader)

    def _latest(self, condition: str, *values: str) -> list[SignInEntry]:
        with self._database.reading() as connection:
            old = connection.execute(f"SELECT 1 FROM sign_ins WHERE {_OLD} LIMIT 1", self._age())
            has_old = old.fetchone() is not None
        if has_old:
            with self._database.transaction() as connection:
                self._forget(connection)
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT at, reader, what, way, browser, network, session FROM sign_ins"
                f" WHERE {condition} ORDER BY at DESC, reader, what LIMIT ?",
                (*values, LISTED_MAX),
            ).fetchall()
        return [SignInEntry(*row) for row in rows]

    def _forget(self, connection: Connection) -> None:
        """Remove the networks of long ago."""
        connection.execute(f"UPDATE sign_ins SET network = '' WHERE {_OLD}", self._age())

    def _age(self) -> tuple[int]:
        """Return the time before which networks are removed."""
        return (int(self._clock()) - NETWORK_SECONDS,)
