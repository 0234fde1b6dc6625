"""Suggested versions of proposals, kept in a file and in PostgreSQL."""

from collections.abc import Iterator

import pytest

from nomoledger.errors import UnknownError, UsageError
from nomoledger.people.comments import Comments
from nomoledger.people.database import PeopleDatabase, open_people
from nomoledger.people.sign_in import Session
from nomoledger.people.suggestions import EACH_MAX, EXCERPT_MAX, Suggestion, Suggestions

ANN, BOB = Session("1" * 64, "game", "Ann"), Session("2" * 64, "game", "Bob")
VERSION = Suggestion("Rents fall", "", "-Rents rise\n+Rents fall", "v1")


@pytest.fixture
def database(location: str) -> Iterator[PeopleDatabase]:
    opened = open_people(location)
    yield opened
    opened.close()


def test_a_suggestion_is_kept_once_and_stays_that_of_who_made_it(database: PeopleDatabase) -> None:
    suggestions, comments = Suggestions(database), Comments(database)
    long = Suggestion("Long", "", "+" + "x" * EXCERPT_MAX, "v1")
    for _ in range(2):
        suggestions.add(BOB, "Bob", 1, VERSION, "", "b1")
    suggestions.add(BOB, "Bob", 1, long, "Better", "b2")
    comments.add(ANN, "Ann", 1, "No", "a1")
    for id in ("a1", "b1"):  # Nobody puts a version under what somebody else said.
        with pytest.raises(UsageError, match="another comment has the id"):
            suggestions.add(ANN, "Ann", 2, VERSION, "", id)
    said = comments.on("game", 1)
    assert [(x.id, x.by, x.text) for x in said] == [
        ("b1", "Bob", ""), ("b2", "Bob", "Better"), ("a1", "Ann", "No"),
    ]  # fmt: skip
    excerpts = suggestions.on("game", 1)
    assert list(excerpts) == ["b1", "b2"]
    assert excerpts["b1"].lines == ("-Rents rise", "+Rents fall")
    assert (excerpts["b1"].is_cut, excerpts["b2"].is_cut) == (False, True)
    assert suggestions.one("game", 1, "b1") == VERSION
    for game, number, id in (("game", 2, "b1"), ("other", 1, "b1"), ("game", 1, "a1")):
        with pytest.raises(UnknownError):
            suggestions.one(game, number, id)


def test_nobody_floods_a_proposal_with_suggestions(database: PeopleDatabase) -> None:
    suggestions = Suggestions(database)
    for number in range(EACH_MAX):
        suggestions.add(ANN, "Ann", 7, VERSION, "", f"flood{number}")
    with pytest.raises(UsageError, match="10 versions of one proposal are enough"):
        suggestions.add(ANN, "Ann", 7, VERSION, "", "last")
    for id in ("x" * 65, "a/b", ""):
        with pytest.raises(UsageError, match="id"):
            suggestions.add(ANN, "Ann", 8, VERSION, "", id)
    assert suggestions.on("game", 8) == {}
