"""How far each reader has been told what happens: the place in the events of a game, and more."""

from collections.abc import Callable

import msgspec

from nomoledger.people.database import Connection, PeopleDatabase


class MailProgress(msgspec.Struct, frozen=True):
    """What one reader was told, or needs not be told any more.

    Attributes:
        told: the last event that the reader was told of, numbered as the reader knows it.
        known: the keys of what waits for the reader, as far as the reader knows of it.
        reminded: the reminders that were sent, or are not needed any more.
        pending: the keys of the reader's proposals and disputes that were not decided.
        wrote: when the last mail was posted, in seconds since 1970.
        day: the last day with a mail of the day, in days since 1970.
    """

    told: int
    known: tuple[str, ...] = ()
    reminded: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    wrote: int = 0
    day: int = 0


class ProgressBook:
    """The progress of the readers of all games, kept in *database*.

    Several servers may write into it: of two that go on from the same progress, only one succeeds.
    """

    def __init__(self, database: PeopleDatabase) -> None:
        """Keep progress in *database*."""
        self._database = database

    def of(self, game: str) -> dict[str, tuple[int, MailProgress]]:
        """Return the progress of the readers of *game*, and its version, by reader."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT reader, version, state FROM mail_progress WHERE game = ?", (game,)
            ).fetchall()
        return {
            reader: (version, msgspec.json.decode(state, type=MailProgress))
            for reader, version, state in rows
        }

    def begin(self, game: str, reader: str, progress: MailProgress) -> None:
        """Note the first *progress* of *reader* in *game*, unless there is one."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO mail_progress VALUES (?, ?, 0, ?) ON CONFLICT DO NOTHING",
                (game, reader, _written(progress)),
            )

    def go_on(
        self, game: str, reader: str, version: int, progress: MailProgress,
        post: Callable[[Connection], object] | None = None,
    ) -> bool:  # fmt: skip
        """Note *progress* after that with the *version*, and *post* what comes with it, or neither.

        The result is whether no other server was faster.
        """
        with self._database.transaction() as connection:
            row = connection.execute(
                "UPDATE mail_progress SET version = ?, state = ?"
                " WHERE game = ? AND reader = ? AND version = ? RETURNING version",
                (version + 1, _written(progress), game, reader, version),
            ).fetchone()
            if row is not None and post is not None:
                post(connection)
        return row is not None


def _written(progress: MailProgress) -> str:
    return msgspec.json.encode(progress).decode()
