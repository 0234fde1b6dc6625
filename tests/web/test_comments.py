"""Comments on proposals, kept in a file and in PostgreSQL."""

from collections.abc import Iterator

import pytest

from nomoledger.errors import UsageError
from nomoledger.people.comments import COMMENT_MAX, HOURLY_MAX, Comments
from nomoledger.people.database import open_people
from nomoledger.people.sign_in import Session

ANN, ADMIN = Session("1" * 64, "game", "Ann"), Session("2" * 64, "game", "admin")

BOB, HOST = Session("3" * 64, "other", "Bob"), Session("4" * 64, "other", "admin")


@pytest.fixture
def comments(location: str) -> Iterator[Comments]:
    database = open_people(location)
    yield Comments(database)
    database.close()


def test_a_comment_is_kept_once_with_who_entered_it(comments: Comments) -> None:
    for _ in range(2):
        comments.add(ANN, "Ann", 1, " Good ", "a")
    comments.add(ADMIN, "Bob", 1, "Bad", "b")
    comments.add(ANN, "Ann", 2, "Elsewhere", "c")
    said = [(each.by, each.text, each.entered_by) for each in comments.on("game", 1)]
    assert said == [("Ann", "Good", ""), ("Bob", "Bad", "admin")]
    assert comments.on("another", 1) == []


def test_comments_are_short_and_not_too_many(comments: Comments) -> None:
    for text in (" ", "x" * (COMMENT_MAX + 1)):
        with pytest.raises(UsageError, match="a comment has 1 to"):
            comments.add(BOB, "Bob", 1, text, "long")
    for number in range(HOURLY_MAX):
        comments.add(BOB, "Bob", 1, "Again", str(number))
    with pytest.raises(UsageError, match="many comments in an hour"):
        comments.add(BOB, "Bob", 1, "Again", "last")
    comments.add(HOST, "admin", 1, "Enough", "admin")
    assert comments.on("other", 1)[-1].by == "admin"
