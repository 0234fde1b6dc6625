"""Versions of proposals that others suggest to the author. They are no part of the ledger.

Each belongs to a comment of the same id, which says who suggests it, when and why.
"""

import msgspec

from nomoledger.errors import UnknownError, UsageError
from nomoledger.people.comments import note_comment
from nomoledger.people.database import PeopleDatabase
from nomoledger.people.sign_in import Session

#: How many versions of one proposal one person may suggest.
EACH_MAX = 10
#: How many characters of the differences a discussion shows.
EXCERPT_MAX = 1200
#: How long an id may be, in characters. It stands in addresses.
ID_MAX = 64


class Suggestion(msgspec.Struct, frozen=True):
    """A version of a proposal that somebody suggests.

    Attributes:
        text: the proposal in words.
        changes: the changes of rules, in YAML; "" for none.
        differences: the lines of the unified diff from the proposal.
        version: what stands for the text and the changes of the proposal that it differs from.
    """

    text: str
    changes: str
    differences: str
    version: str


class SuggestionExcerpt(msgspec.Struct, frozen=True):
    """The first *lines* of the differences of a suggestion; *is_cut* if there are more.

    *version* is that of the suggestion.
    """

    lines: tuple[str, ...]
    is_cut: bool
    version: str


class Suggestions:
    """The suggestions in the games of a ledger, kept in *database*."""

    def __init__(self, database: PeopleDatabase) -> None:
        """Keep suggestions in *database*."""
        self._database = database

    def add(
        self, session: Session, by: str, proposal: int, suggested: Suggestion, why: str, id: str
    ) -> None:
        """Add what *by* suggested for *proposal* through *session*; twice is once.

        *why* is the comment with that *id*, which may be empty.

        Raises:
            UsageError: the comment is too long, or there are too many suggestions or comments.
        """
        if len(id) > ID_MAX or not id.isalnum():
            raise UsageError("this id cannot be that of a form: open the page anew")
        with self._database.transaction() as connection:
            said = connection.execute(
                "SELECT game, proposal, speaker FROM comments WHERE id = ?", (id,)
            ).fetchone()
            if said is not None:
                if tuple(said) != (session.game, proposal, by):
                    raise UsageError("another comment has the id of this form: open the page anew")
                return
            made = connection.execute(
                "SELECT COUNT(*) FROM comments JOIN suggestions USING (id)"
                " WHERE game = ? AND proposal = ? AND speaker = ?",
                (session.game, proposal, by),
            ).fetchone()[0]
            if made >= EACH_MAX:
                raise UsageError(f"{EACH_MAX} versions of one proposal are enough: say the rest")
            note_comment(connection, session, by, proposal, why.strip(), id)
            connection.execute(
                "INSERT INTO suggestions VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                (id, *msgspec.structs.astuple(suggested)),
            )

    def on(self, game: str, proposal: int) -> dict[str, SuggestionExcerpt]:
        """Return what was suggested for *proposal* of *game*, by the ids of the comments."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT id, substr(differences, 1, ?), length(differences), version"
                " FROM suggestions JOIN comments USING (id) WHERE game = ? AND proposal = ?",
                (EXCERPT_MAX, game, proposal),
            ).fetchall()
        return {
            id: SuggestionExcerpt(tuple(start.split("\n")), length > EXCERPT_MAX, version)
            for id, start, length, version in rows
        }

    def one(self, game: str, proposal: int, id: str) -> Suggestion:
        """Return the suggestion *id* for *proposal* of *game*.

        Raises:
            UnknownError: there is no such suggestion.
        """
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT suggestions.text, changes, differences, version"
                " FROM suggestions JOIN comments USING (id)"
                " WHERE id = ? AND game = ? AND proposal = ?",
                (id, game, proposal),
            ).fetchone()
        if row is None:
            raise UnknownError(f"{game}: nobody suggested {id!r:.40} for proposal {proposal}")
        return Suggestion(*row)
