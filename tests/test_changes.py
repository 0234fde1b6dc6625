"""Changes as people write them."""

import pytest

from nomoledger.errors import RulebookError
from nomoledger.events.rules import Amend, Do, Enact, Post, Renumber, Repeal, Set
from nomoledger.rulebook.changes import read_changes


def test_every_sort_of_change_is_read() -> None:
    assert read_changes(
        [
            {"do": "paint", "with": {"square": 1, "color": "red"}},
            {"do": "add_square"},
            {"set": {"square": 1, "color": "red", "name": None}},
            {"amend": "V.1", "parameters": {"price": 20}, "title": "Price"},
            {"repeal": "V.1", "state": "drop"},
            {"renumber": "V.1", "to": "V.2"},
            {"post": {"Ann": 5, "Bob": -2.5, "admin": "-2.50"}, "commodity": "$", "why": "sorry"},
        ]
    ) == (
        Do("paint", {"square": 1, "color": "red"}),
        Do("add_square"),
        Set("square", 1, "color", "red"),
        Set("square", 1, "name", None),
        Amend(number="V.1", title="Price", parameters={"price": 20}),
        Repeal("V.1", "drop"),
        Renumber("V.1", "V.2"),
        Post({"Ann": 5, "Bob": "-2.5", "admin": "-2.50"}, "$", "sorry"),
    )


def test_a_rule_is_enacted() -> None:
    (change,) = read_changes(
        {"enact": {"number": "X.1", "title": "Tax", "code": "def after_land(p, s): pass\n"}}
    )
    assert isinstance(change, Enact)
    assert (change.rule.number, change.rule.title, change.rule.version) == ("X.1", "Tax", 1)


def test_an_empty_file_contains_no_changes() -> None:
    assert read_changes(None) == read_changes([]) == ()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("paint", "a change says one of"),
        ({"pain": 1}, "a change says one of do, set"),
        ({"do": "x", "repeal": "V.1"}, "a change says one of"),
        ({"do": "x", "wiht": {}}, "no 'wiht'; do takes do, with"),
        ({"do": "x", "with": [1]}, "with must be"),
        ({"set": {"square": 1}}, "needs a thing and an attribute"),
        ({"amend": "V.1"}, "says nothing new"),
        ({"amend": "V.1", "title": 3}, "amend V.1: Expected"),
        ({"amend": "V.1", "code": "import os\n"}, "not part of the language"),
        ({"enact": {"title": "Tax"}}, "needs a number"),
        ({"enact": {"number": "X.1", "line": 3}}, "a rule has no 'line'"),
        ({"enact": {"number": "X.1", "code": "while True: pass\n"}}, "rule X.1: while is not"),
        ({"repeal": "V.1", "state": "burn"}, "keep, freeze or drop"),
        ({"renumber": "V.1"}, "to what"),
        ({"post": {"Ann": 5, "admin": -4}}, "post Ann 5, admin -4: that would break the sum"),
        ({"post": {}}, "post nothing: that would break the sum"),
        ({"post": {"Ann": "much"}}, "what Ann gets is a number, not 'much'"),
        ({"post": {"Ann": True}}, "what Ann gets is a number, not True"),
    ],
)
def test_a_malformed_change_is_refused_with_its_place(data: object, says: str) -> None:
    with pytest.raises(RulebookError, match=says):
        read_changes(data)
