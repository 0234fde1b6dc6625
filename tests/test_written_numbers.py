"""Numbers as people write them: odd and giant ones are refused at once, and harm nothing."""

import time
from decimal import Decimal
from typing import Any

import pytest
from language.inline import Play

from nomoledger import events as e
from nomoledger.language.code import Parameter
from nomoledger.language.host import Refused
from nomoledger.language.resolve import resolve

CODE = """
def on_enact(): create("square", {"number": 1})
def action_buy(player: Player, square: Square, price: Money): pay(player, "admin", price, "x")
"""
DATA = {"1": "declares: {square: {number: Number key}}"}


@pytest.mark.parametrize(
    "price",
    ["1e9999999", "-1e9999999", "1e-9999999", "1E+400", "9" * 5_000, "0." + "3" * 5_000, "nan"],
)
def test_a_price_beyond_all_measure_is_refused_at_once(price: str) -> None:
    play = Play({"1": CODE}, DATA)
    began = time.perf_counter()
    fields: dict[str, Any] = {"square": 1, "price": price}
    events = play.take(e.SubmissionReceived, by="Ann", action="buy", arguments=fields)
    (refusal,) = [event for event in events if isinstance(event, e.AttemptRefused)]
    assert refusal.reasons[0].text.startswith("price is a number")
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize("square", ["²", "--5", "-", "½", "9" * 5_000, "1e1", "१२"])
def test_a_number_of_a_square_that_is_none_names_no_square(square: str) -> None:
    play = Play({"1": CODE}, DATA)
    fields: dict[str, Any] = {"square": square, "price": 1}
    events = play.take(e.SubmissionReceived, by="Ann", action="buy", arguments=fields)
    (refusal,) = [event for event in events if isinstance(event, e.AttemptRefused)]
    assert "there is no square" in refusal.reasons[0].text


@pytest.mark.parametrize(
    ("written", "value"),
    [("12", 12), ("-3", -3), ("1e3", 1_000), ("2.50", Decimal("2.5")), ("0.000", 0), (7, 7)],
)
def test_ordinary_numbers_are_what_they_were(written: Any, value: Any) -> None:
    assert resolve(Play({}).world, Parameter("n", "Number"), written) == value


def test_a_number_with_many_digits_is_refused() -> None:
    with pytest.raises(Refused, match="at most 40 digits"):
        resolve(Play({}).world, Parameter("n", "Number"), "1" * 50)
