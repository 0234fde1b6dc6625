import time
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
import yaml

from nomoledger import events as e
from nomoledger.cli.parsing import parse_scalar, parse_typed
from nomoledger.errors import RulebookError, UsageError
from nomoledger.game.game import Game
from nomoledger.intake.bounds import REQUEST, Bounds, admitted
from nomoledger.rulebook.cases.format import parse_cases
from nomoledger.rulebook.changes import parse_changes
from nomoledger.rulebook.exact_yaml import load_yaml

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -(2**63) + 1,
        "two\nlines",
        [1, [2]],
        {"a": {"b": []}},
        NOON,
        b"\0",
        nested(31),
    ],
)
def test_plain_values_pass_as_they_are(value: Any) -> None:
    assert admitted(value, "it") is value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (2**63, "it: a number is too large"),
        ({"n": [5, -(2**64)]}, r"it: n\[2\]: a number is too large"),
        (1.5, "it: float 1.5 is not a plain value"),
        (Decimal("1.5"), "it: Decimal .* is not a plain value"),
        ({1, 2}, "it: set .* is not a plain value"),
        ({1: 2}, "it: the name of a field is a text, not 1: write quotes"),
        ({"a": {None: 2}}, "it: a: the name of a field is a text, not None"),
        ({"x" * 201: 2}, "it: a field has a name of over 200 characters"),
        ({"a\nb": 2}, "it: the name of a field cannot hold the control character U\\+000A"),
        ({"Zo\u00eb": 1, "Zoe\u0308": 2}, "it: 'Zo\u00eb' is said twice"),
        (nested(33), "it: more than 32 lists and tables in each other"),
        ([0] * REQUEST.parts, "it: there are more than 20000 parts"),
        ("x" * 100_001, "it: a text has at most 100000 characters"),
        (["x" * 100_000] * 11, "it: the texts have more than 1000000 characters"),
        ({"a": "\x1b[2J"}, "it: a: a text cannot hold the control character U\\+001B"),
        ("\u202eabc", "it: a text cannot hold the invisible character U\\+202E"),
        ("\ud800", "it: a text cannot hold the unusual character U\\+D800"),
    ],
)
def test_other_values_are_errors_that_say_where_and_why(value: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        admitted(value, "it")


def test_a_value_that_holds_itself_is_too_deep() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(UsageError, match="more than 32 lists"):
        admitted(value, "it")


def test_texts_within_events_are_returned_in_normal_form() -> None:
    event = e.VoteCast(
        id="v", period=1, received_at=NOON, recorded_at=NOON, by="Zoe\u0308", proposal=1, choice="a"
    )
    assert admitted(event, "it").by == "Zo\u00eb"
    assert admitted(event, "it", normalizes=False) is event


def test_bounds_can_be_others() -> None:
    assert admitted({1: "x"}, "it", Bounds(numbered=True)) == {1: "x"}
    with pytest.raises(UsageError, match="more than 2 parts"):
        admitted([1, 2], "it", Bounds(parts=2))


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "more than 2000000 parts"),
        ("[" * 100_000, "more than 60 lists"),
        ("- " * 50_000 + "x", "more than 60 lists"),
        ("{a: " * 1_000, "more than 60 lists"),
    ],
    ids=["aliases", "brackets", "dashes", "tables"],
)
def test_yaml_that_is_larger_than_it_looks_is_an_error_at_once(text: str, message: str) -> None:
    begin = time.monotonic()
    with pytest.raises(yaml.YAMLError, match=message):
        load_yaml(text)
    with pytest.raises(RulebookError, match=message):
        parse_changes(text, "bomb.yaml")
    with pytest.raises(RulebookError, match=message):
        parse_cases({"bomb.yaml": text})
    assert isinstance(parse_scalar(text), str)
    assert time.monotonic() - begin < 20


@pytest.mark.parametrize("text", ["\u00b2", "--5", "1e9999999", "9" * 5_000, "0x10", "1_000", "+5"])
def test_what_looks_like_a_number_and_is_none_stays_a_text(text: str) -> None:
    assert parse_typed(text, "Number") == text


def test_a_number_that_is_too_large_is_an_error_on_the_command_line() -> None:
    import click

    with pytest.raises(click.BadParameter, match="too large to be recorded"):
        parse_scalar("9" * 30)


@pytest.mark.parametrize("square", ["\u00b2", "--5", "-", "1e9999999", "9" * 400])
def test_an_argument_that_is_no_number_is_refused_and_no_error(game: Game, square: str) -> None:
    game.join("Ann")
    game.join("Bob")
    with pytest.raises(UsageError, match="there is no player"):
        game.submit("Ann", "hand_over", {"to": square, "amount": 1})
    with pytest.raises(UsageError, match=r"amount (is a number|has at most 18 digits)"):
        game.submit("Ann", "hand_over", {"to": "Bob", "amount": square})
