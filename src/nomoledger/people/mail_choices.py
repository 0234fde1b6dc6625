"""What each reader wants to be told by mail, and how often."""

import secrets
from collections.abc import Iterable

import msgspec

from nomoledger.errors import UsageError
from nomoledger.people.database import Connection, PeopleDatabase

#: How often somebody wants mail.
AT_ONCE, DAILY, NEVER = "at once", "daily", "never"
PACES = (AT_ONCE, DAILY, NEVER)
#: How long before a deadline somebody can be reminded, in seconds.
REMINDERS = (1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 48 * 3600, 72 * 3600)


class MailChoice(msgspec.Struct, frozen=True):
    """What one reader wants.

    Attributes:
        pace: "at once", "daily" (one mail a day) or "never".
        hour: at which hour of UTC the mail of the day is sent.
        reminders: how long before a deadline the reader is reminded, in seconds.
        stop: a token that stops the mails; whoever has it can do nothing else with it.
    """

    pace: str = AT_ONCE
    hour: int = 6
    reminders: tuple[int, ...] = (24 * 3600, 3600)
    stop: str = ""


class MailChoices:
    """The choices of the readers of all games, kept in *database*."""

    def __init__(self, database: PeopleDatabase) -> None:
        """Keep choices in *database*."""
        self._database = database

    def of(self, game: str, reader: str) -> MailChoice:
        """Return the choice of *reader* in *game*; who has not chosen yet gets the usual one."""
        with self._database.reading() as connection:
            row = self._row(connection, game, reader)
        if row is None:
            with self._database.transaction() as connection:
                self._insert(connection, game, reader, MailChoice())
                row = self._row(connection, game, reader)
        assert row is not None
        return _choice(*row)

    def choose(
        self, game: str, reader: str, pace: str, hour: int, reminders: Iterable[int]
    ) -> None:
        """Note what *reader* wants in *game*. See `MailChoice`.

        Raises:
            UsageError: that cannot be chosen.
        """
        chosen = tuple(sorted(set(reminders), reverse=True))
        if pace not in PACES or not 0 <= hour <= 23 or not set(chosen) <= set(REMINDERS):
            raise UsageError("that cannot be chosen: go back, and choose from the lists")
        written = ",".join(map(str, chosen))
        with self._database.transaction() as connection:
            self._insert(connection, game, reader, MailChoice())
            connection.execute(
                "UPDATE mail_choices SET pace = ?, hour = ?, reminders = ?"
                " WHERE game = ? AND reader = ?",
                (pace, hour, written, game, reader),
            )

    def whose(self, stop: str) -> tuple[str, str] | None:
        """Return the game and reader whose mails the token *stop* stops; None if it stops none."""
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT game, reader FROM mail_choices WHERE stop = ?", (stop,)
            ).fetchone()
        return None if row is None else (row[0], row[1])

    def stop(self, stop: str) -> tuple[str, str] | None:
        """Stop the mails of the token *stop*; return what `whose` returns."""
        whose = self.whose(stop)
        if whose is not None:
            with self._database.transaction() as connection:
                connection.execute("UPDATE mail_choices SET pace = ? WHERE stop = ?", (NEVER, stop))
        return whose

    def _row(
        self, connection: Connection, game: str, reader: str
    ) -> tuple[str, int, str, str] | None:
        row: tuple[str, int, str, str] | None = connection.execute(
            "SELECT pace, hour, reminders, stop FROM mail_choices WHERE game = ? AND reader = ?",
            (game, reader),
        ).fetchone()
        return row

    def _insert(self, connection: Connection, game: str, reader: str, choice: MailChoice) -> None:
        written = ",".join(map(str, choice.reminders))
        connection.execute(
            "INSERT INTO mail_choices VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (game, reader, choice.pace, choice.hour, written, secrets.token_urlsafe(18)),
        )


def _choice(pace: str, hour: int, reminders: str, stop: str) -> MailChoice:
    seconds = tuple(int(each) for each in reminders.split(",") if each)
    return MailChoice(pace, hour, seconds, stop)
