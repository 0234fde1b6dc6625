"""Values: definitions, steps, and exact numbers."""

from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest

from nomoledger import events as e
from nomoledger.errors import RuleFault

from .inline import Play

STEPS = {
    "2": "set_to(10)",
    "3": "add(5)",
    "4": "times(3, 2)",
    "5": "at_most(20)",
    "6": "at_least(21)",
}


def worth(steps: dict[str, str], base: str = "8") -> Play:
    rules = {"1": f"def value_worth(thing): return {base}\n"}
    rules |= {n: f"def adjust_worth(thing): return {step}\n" for n, step in steps.items()}
    return Play(rules)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ("", 8), ("2", 10), ("3", 13), ("4", 12), ("34", Decimal("19.5")), ("23", 15),
        ("234", Decimal("22.5")), ("2345", 20), ("23456", 21), ("456", 21),
    ],
)  # fmt: skip
def test_steps_apply_in_stages(numbers: str, expected: Decimal) -> None:
    steps = {number: STEPS[number] for number in numbers}
    assert worth(steps).value("worth", None) == expected


def test_the_order_of_the_rules_makes_no_difference() -> None:
    for order in permutations("2345"):
        steps = {number: STEPS[old] for number, old in zip("abcd", order, strict=True)}
        assert worth(steps).value("worth", None) == 20


def test_an_adjust_hook_may_return_none() -> None:
    assert worth({"2": "None"}).value("worth", None) == 8


def test_a_value_with_only_steps_starts_at_zero() -> None:
    assert Play({"1": "def adjust_worth(thing): return add(3)\n"}).value("worth", None) == 3


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("divide(1, 4)", Decimal("0.25")),
        ("divide(6, 3)", 2),
        ("divide(2, 3)", Decimal("0.666666666667")),
        ("divide(1, 4) + 1", Decimal("1.25")),
        ("rounded(divide(5, 2))", 3),
        ("rounded(divide(-5, 2))", -3),
        ("7 // 2", 3),
        ("1 << 70", 1 << 70),
    ],
)
def test_numbers_are_exact(code: str, expected: Decimal) -> None:
    play = Play({"1": f"def define_n():\n    x = {code}\n    return x\n"})
    assert play.value("n") == expected
    assert not isinstance(play.value("n"), float)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("1 < half", True),
        ("half >= 1", True),
        ("two <= half", False),
        ("2 - half", Decimal("0.5")),
        ("two - half - (half - 1)", 0),
        ("(two) - 3 * half // 1", -2),
        ("half + half == 3", True),
        ("two != half - -half", True),
        ("max(1, half)", Decimal("1.5")),
        ("min([two, half])", Decimal("1.5")),
        ("sorted([2, half, 1])", [1, Decimal("1.5"), 2]),
        ("max(['a', 'bcd'], key = lambda each: len(each) - half)", "bcd"),
        ("sorted(['b', 'a'], reverse = True)", ["b", "a"]),
        ("[n[1] for n in sorted([(2, 'b'), (half, 'c'), (2, 'a')])]", ["c", "a", "b"]),
        ("sorted([2, half, 1], key = lambda n: (-n, n))", [2, Decimal("1.5"), 1]),
        ("'a' < 'b'", True),
        ("list(range(two - 1))", [0]),
    ],
)  # fmt: skip
def test_whole_numbers_and_decimals_mix(code: str, expected: Any) -> None:
    lines = f"    half, two = divide(3, 2), 2\n    n = {code}\n    n -= 0\n    return n\n"
    if not isinstance(expected, int | Decimal) or isinstance(expected, bool):
        lines = lines.replace("    n -= 0\n", "")
    assert Play({"1": "def define_n():\n" + lines}).value("n") == expected


def test_a_minus_after_parentheses_and_comments_is_rewritten() -> None:
    lines = "    return (divide(3, 2)  # not - this\n        - divide(1, 2)) - '-é'.count('-')\n"
    assert Play({"1": "def define_n():\n" + lines}).value("n") == 0


def test_subtraction_from_a_whole_number_is_exact() -> None:
    lines = "    left = 20\n    left -= divide(1, 2)\n    return left\n"
    assert Play({"1": "def define_n():\n" + lines}).value("n") == Decimal("19.5")


@pytest.mark.parametrize(
    "use", ["pay(player, 'admin', 7 / 2)", "rounded(7 / 2)", "divide(7 / 2, 1)"]
)
def test_floats_are_refused_as_amounts(use: str) -> None:
    play = Play({"1": f"def after_go_on(player): {use}\n"}).go()
    assert "not an exact number" in play.refused


def test_a_step_must_be_exact() -> None:
    with pytest.raises(RuleFault, match="not an exact number"):
        worth({"2": "times(1 / 2)"}).value("worth", None)


@pytest.mark.parametrize(
    ("amount", "units"), [("divide(1, 3)", 33), ("divide(1, 8)", 13), ("2", 200)]
)
def test_amounts_are_rounded_once_half_up(amount: str, units: int) -> None:
    play = Play({"1": f"def after_go_on(player): mint(player, {amount}, commodity = 'paint')\n"})
    assert play.go().money("Ann", "paint") == units
    assert play.money("mint", "paint") == -units


def test_a_balance_is_in_the_unit_that_people_use() -> None:
    play = Play({
        "1": "def after_go_on(player):\n    mint(player, divide(3, 2), commodity = 'paint')\n"
        "    set(player, 'mark', str(balance(player, 'paint')))\n"
    })  # fmt: skip
    assert play.go().get("mark") == "1.5"


def test_a_split_names_the_receiver_of_the_remainder() -> None:
    play = Play({
        "1": "def after_go_on(player):\n"
        "    split(player, [['Bob', 1], ['admin', 2]], 100, 'mint')\n"
    })  # fmt: skip
    play.go()
    balances = [play.money(account) for account in ("Ann", "Bob", "admin", "mint")]
    assert balances == [0, 133, 66, -199]


def test_a_value_may_not_change_the_game_even_indirectly() -> None:
    play = Play({
        "1": "def value_worth(thing):\n    gift()\n    return 1\n"
        "def define_gift(): mint('Ann', 1)\ndef after_go_on(player): worth(player)\n"
    })  # fmt: skip
    assert "may not mint" in play.go().refused


def test_own_parameters_are_names_and_others_need_param() -> None:
    rules = {
        "1": "def value_fee(): return fee_base * 2\n",
        "2": "def after_go_on(player): pay(player, 'admin', fee() + param('1', 'fee_base'))\n",
    }
    play = Play(rules, {"1": "parameters: {fee_base: 7}"})
    assert play.go().money() == 79


def test_a_list_is_changed_with_instead() -> None:
    rules = {
        "1": "def value_who(thing): return [thing]\n",
        "2": "def instead_who(proceed, thing): return proceed(thing) + ['Bob']\n",
        "3": "def instead_who(proceed, thing): return proceed(thing) + ['Cy']\n",
    }
    assert sorted(Play(rules).value("who", "Ann")) == ["Ann", "Bob", "Cy"]


def test_holdings_lists_commodities_with_a_balance() -> None:
    play = Play({"1": "def value_held(account): return holdings(account)\n"})
    assert (play.value("held", "Ann"), play.value("held", "admin")) == (["$"], [])
    spend = "def after_go_on(player):\n    burn(player, 100)\n    burn(player, 1, '', 'paint')\n"
    play = Play({"1": spend + "def value_held(account): return holdings(account)\n"}).go()
    assert play.value("held", "Ann") == ["paint"]


ISLANDS = {
    "1": """
def on_enact():
    for n in [1, 2]:
        create("square", {"number": n})
        create("island", {"number": -n})

def action_sail(player: Player, to: Square | Island):
    set(player, "place", to)
"""
}
ISLAND_DATA = """
declares:
  square: {number: Number key}
  island: {number: Number key}
  player: {place: Square | Island}
"""


@pytest.mark.parametrize(
    ("to", "place"), [(2, "square:2"), ("1", "square:1"), (-1, "island:-1"), ("-2", "island:-2")]
)
def test_an_argument_may_be_one_of_several_kinds(to: int | str, place: str) -> None:
    play = Play(ISLANDS, {"1": ISLAND_DATA})
    play.take(e.SubmissionReceived, by="Ann", action="sail", arguments={"to": to})
    assert (play.refused, play.get("place")) == ("", place)


def test_an_argument_of_none_of_its_kinds_is_refused() -> None:
    play = Play(ISLANDS, {"1": ISLAND_DATA})
    play.take(e.SubmissionReceived, by="Ann", action="sail", arguments={"to": 3})
    assert play.refused == "engine: there is no square and no island 3"
