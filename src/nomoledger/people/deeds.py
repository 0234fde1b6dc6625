"""The record of who did what through which session. The ledger knows only for whom it was done."""

import time

import msgspec

from nomoledger.people.database import PeopleDatabase
from nomoledger.people.sign_in import Session


class Deed(msgspec.Struct, frozen=True):
    """Something that somebody did.

    Attributes:
        at: when, in seconds since 1970.
        reader: who was signed in.
        session: the first characters of the hash of the session.
        what: what was done, in words.
        request: the id of the request in the ledger; "" if there is none.
        acting_for: the player for whom the admin did it; "" if it was done for oneself.
    """

    at: int
    reader: str
    session: str
    what: str
    request: str = ""
    acting_for: str = ""


class Deeds:
    """What was done in the games of a ledger, kept in *database*."""

    def __init__(self, database: PeopleDatabase) -> None:
        """Keep deeds in *database*."""
        self._database = database

    def note(self, session: Session, what: str, request: str = "", acting_for: str = "") -> None:
        """Note that *what* was done in *session*; a *request* is noted once, however often sent."""
        values = (
            int(time.time()), session.game, session.reader, session.id[:12], what, request,
            acting_for,
        )  # fmt: skip
        with self._database.transaction() as connection:
            if (
                request
                and connection.execute(
                    "SELECT 1 FROM deeds WHERE request = ? AND game = ? AND reader = ? LIMIT 1",
                    (request, session.game, session.reader),
                ).fetchone()
            ):
                return
            connection.execute("INSERT INTO deeds VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def done_for(self, game: str, player: str, count: int = 20) -> list[Deed]:
        """Return the latest *count* deeds that the admin did for *player*, the newest first."""
        return self._latest("game = ? AND acting_for = ?", game, player, count)

    def done_by(self, game: str, reader: str, count: int = 500) -> list[Deed]:
        """Return the latest *count* deeds of *reader* in *game*, the newest first."""
        return self._latest("game = ? AND reader = ?", game, reader, count)

    def latest(self, game: str, count: int = 200) -> list[Deed]:
        """Return the latest *count* deeds in *game*, the newest first."""
        return self._latest("game = ?", game, count)

    def _latest(self, condition: str, *values: object) -> list[Deed]:
        """Return the deeds for which *condition* holds; *values* end with how many, at most."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT at, reader, session, what, request, acting_for FROM deeds"
                f" WHERE {condition} ORDER BY at DESC LIMIT ?",
                values,
            ).fetchall()
        return [Deed(*row) for row in rows]
