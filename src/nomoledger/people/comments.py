"""What people say about proposals before the vote. It is no part of the ledger."""

import time

import msgspec

from nomoledger.errors import UsageError
from nomoledger.people.database import Connection, PeopleDatabase
from nomoledger.people.sign_in import Session

#: How long a comment may be, in characters, and how many are shown.
COMMENT_MAX, SHOWN_MAX = 2000, 40
#: How many comments one person may make on one proposal in an hour.
HOURLY_MAX = 30
#: Times are stored in microseconds, so that comments of one second keep their order.
_SECOND = 1_000_000


class Comment(msgspec.Struct, frozen=True):
    """What somebody said of a proposal.

    Attributes:
        at: when, in seconds since 1970.
        by: the player, or "admin".
        text: what was said.
        entered_by: "admin" if the admin entered it for the player; "" otherwise.
        id: its id.
    """

    at: int
    by: str
    text: str
    entered_by: str = ""
    id: str = ""


class Comments:
    """The comments in the games of a ledger, kept in *database*."""

    def __init__(self, database: PeopleDatabase) -> None:
        """Keep comments in *database*."""
        self._database = database

    def add(self, session: Session, by: str, proposal: int, text: str, id: str) -> None:
        """Add the comment *id* of *by* on *proposal*, sent through *session*; twice is once.

        Raises:
            UsageError: the text is empty or too long, or there are too many comments.
        """
        text = text.strip()
        if not text:
            raise UsageError(f"a comment has 1 to {COMMENT_MAX} characters, not 0")
        with self._database.transaction() as connection:
            note_comment(connection, session, by, proposal, text, id)

    def on(self, game: str, proposal: int) -> list[Comment]:
        """Return the latest comments on *proposal* of *game*, in their order."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT at, speaker, text, entered_by, id FROM comments"
                " WHERE game = ? AND proposal = ? ORDER BY at DESC, id LIMIT ?",
                (game, proposal, SHOWN_MAX),
            ).fetchall()
        return [Comment(at // _SECOND, *others) for at, *others in reversed(rows)]


def note_comment(
    connection: Connection, session: Session, by: str, proposal: int, text: str, id: str
) -> None:
    """Add the comment *id* of *by* on *proposal*, in the transaction of *connection*.

    Raises:
        UsageError: the text is too long, or there are too many comments.
    """
    now = time.time_ns() // 1000
    if len(text) > COMMENT_MAX:
        raise UsageError(f"a comment has 1 to {COMMENT_MAX} characters, not {len(text)}")
    entered_by = session.reader if session.reader != by else ""
    recent = connection.execute(
        "SELECT COUNT(*) FROM comments WHERE game = ? AND speaker = ? AND at > ?",
        (session.game, by, now - 3600 * _SECOND),
    ).fetchone()[0]
    if recent >= HOURLY_MAX:
        raise UsageError("these are many comments in an hour: wait a while")
    connection.execute(
        "INSERT INTO comments VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        (id, now, session.game, proposal, by, entered_by, text),
    )
