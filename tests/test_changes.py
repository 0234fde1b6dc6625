"""Changes as people write them."""

import pytest

from nomoledger.errors import RulebookError
from nomoledger.events.rules import Amend, Do, Enact, Post, Renumber, Repeal, Set
from nomoledger.rulebook.changes import parse_changes, read_changes


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
        ({"amend": "V.1", "title": 3}, "amend V.1: title must be a text, not a whole number"),
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
        ({"post": {"A": "1e999999999", "B": "-1e999999999"}}, "A gets 1e999999999, .* too large"),
        ({"post": {"A": "1e-99999", "B": "-1e-99999"}}, "A gets 1e-99999, .* far too small"),
        ({"amend": "V.1", "parameters": {1: 2}}, "a name in parameters must be a text"),
        ({"amend": "V.1", "functions": {"f": 5}}, "what is in functions must be a text, not"),
        ({"amend": "V.1", "parameters": [1]}, "must be `name: value` pairs, not a list"),
        ({"enact": {"number": "X.1", "facts": {"a": {"does": 1}}}}, "facts: unknown field 'does'"),
    ],
)
def test_a_malformed_change_is_refused_with_its_place(data: object, says: str) -> None:
    with pytest.raises(RulebookError, match=says):
        read_changes(data)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "there is no change in it: write one"),
        ("  \n\n", "there is no change in it"),
        ("null", "there is no change in it"),
        ("[]", "there is no change in it"),
        ("- {repeal: '3'}\n- {repeal: '3', repeal: '4'}", "'repeal' is said twice"),
        ("-\n- amend: '3'\n  parameters: {a: 1, b: 2, a: 3}", "'a' is said twice"),
        ("- ? [a, b]\n  : 3", "a name is a word or a number, and this is a list"),
        ("- ? {a: b}\n  : 3", "a name is a word or a number, and this is a table"),
        ("- {repeal: 3", "not YAML: did not find expected ',' or '}'"),
        (f"- {{amend: '4', parameters: {{most: {'9' * 5000}}}}}", "a number is too large"),
        ("- {amend: '4', parameters: {most: 2026-13-45}}", "month must be in 1..12"),
    ],
)
def test_a_file_that_says_no_change_is_refused(text: str, says: str) -> None:
    with pytest.raises(RulebookError) as refusal:
        parse_changes(text, "new.yaml")
    message = str(refusal.value)
    line = message.removeprefix("new.yaml:").partition(":")[0]
    assert says in message
    assert "\n" not in message
    assert len(message) < 300
    assert line == " there is no change in it" or 1 <= int(line) <= text.count("\n") + 2


def test_what_is_merged_may_be_said_again() -> None:
    text = (
        "- &a {amend: '4', title: Old, prose: Text}\n- {<<: *a, title: New}\n- {<<: *a, amend: '5'}"
    )
    changes = [change for change in parse_changes(text, "f") if isinstance(change, Amend)]
    assert [(one.number, one.title) for one in changes] == [
        ("4", "Old"), ("4", "New"), ("5", "Old"),
    ]  # fmt: skip
