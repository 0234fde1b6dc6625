"""Exact numbers, amounts and values that events can store; steps on a value; rounding."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

Number = int | Decimal
PLACES_MAX = 12
#: The largest amount that can be posted, in smallest units.
UNITS_MAX = 10**15
#: The largest number that events can store.
INTEGER_MAX = 2**63 - 1
#: How many characters and items a stored value may have.
STORED_MAX = 10_000
#: How deep the lists of a stored value may be nested.
NESTED_MAX = 8


class NotExact(ValueError):
    """A value that is not an exact number."""


def to_fraction(value: Any) -> Fraction:
    """Return *value* as an exact fraction.

    Raises:
        NotExact: *value* is a float, a truth value or not a number.
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise NotExact(f"{value!r} is not an exact number (for a share, write divide(a, b))")
    return Fraction(value)


def from_fraction(value: Fraction) -> Number:
    """Return *value* as an int, or as a Decimal: an endless one is rounded half up at 12 places."""
    if value.denominator == 1:
        return value.numerator
    digits, places = round_half_up(value * 10**PLACES_MAX), PLACES_MAX
    while digits % 10 == 0 and places:
        digits, places = digits // 10, places - 1
    return Decimal(f"{digits}e-{places}") if places else digits


def round_half_up(value: Fraction) -> int:
    """Return the nearest whole number; halves are rounded away from zero.

    >>> round_half_up(Fraction(5, 2)), round_half_up(Fraction(-5, 2)), round_half_up(Fraction(1, 3))
    (3, -3, 0)
    """
    size = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return size if value >= 0 else -size


def is_storable(value: Any) -> bool:
    """Return whether events can store *value*: a whole number, text, flag, None, or a list of such.

    >>> is_storable(["a", [1, None]]), is_storable(Decimal("1.5")), is_storable("x" * 20_000)
    (True, False, False)
    """
    if not isinstance(value, list):
        return _is_plain(value)
    size, depth, items = 0, 0, [value]
    while items and size <= STORED_MAX and depth <= NESTED_MAX:
        depth += 1
        size += sum(len(item) for item in items if isinstance(item, list | str))
        if not all(isinstance(item, list) or _is_plain(item) for item in items):
            return False
        items = [inner for item in items if isinstance(item, list) for inner in item]
    return not items and size <= STORED_MAX


def _is_plain(value: Any) -> bool:
    if isinstance(value, int):
        return abs(value) <= INTEGER_MAX
    return value is None or (isinstance(value, str) and len(value) <= STORED_MAX)


def to_units(amount: Any, places: int) -> int:
    """Return *amount* in smallest units of a commodity with *places* decimals, rounded half up.

    Raises:
        NotExact: *amount* is not an exact number.
    """
    scale: int = 10**places
    return amount * scale if type(amount) is int else round_half_up(to_fraction(amount) * scale)


def from_units(units: int, places: int) -> Number:
    """Return the amount of so many smallest *units* of a commodity with *places* decimals."""
    return units if places == 0 else from_fraction(Fraction(units, 10**places))


#: A step on a value, as the prelude builds it: ["add", 5, "why"].
Step = Sequence[Any]
#: Returns the rule that prevails among rules with different figures.
Decide = Callable[[list[str], list[Any]], str]


def apply_steps(base: Any, steps: list[tuple[str, Step]], decide: Decide) -> Number:
    """Return *base* after *steps*, pairs of rule and step, in stages: set, add, times, bounds.

    Within a stage the order does not matter, except for two `set_to` with different figures:
    then *decide* receives the rules and the figures, and returns the rule that prevails.

    >>> apply_steps(10, [("A", ["times", 2, ""]), ("B", ["add", 5, ""])], lambda rules, values: "")
    30
    """
    result = to_fraction(base)
    settings = [(rule, step) for rule, step in steps if step[0] == "set"]
    if settings:
        figures = [to_fraction(step[1]) for _, step in settings]
        rules = [rule for rule, _ in settings]
        all_equal = len(set(figures)) == 1
        winner = (
            rules[0] if all_equal else decide(rules, [from_fraction(figure) for figure in figures])
        )
        result = figures[rules.index(winner)]
    for _, step in steps:
        if step[0] == "add":
            result += to_fraction(step[1])
    for _, step in steps:
        if step[0] == "times":
            result *= to_fraction(step[1]) / to_fraction(step[3] if len(step) > 3 else 1)
    bounds = {"at_most": min, "at_least": max}
    for _, step in steps:
        if step[0] in bounds:
            result = bounds[step[0]](result, to_fraction(step[1]))
    return from_fraction(result)


def format_value(value: Any) -> str:
    """Return *value* as words in a sentence.

    >>> format_value(None), format_value(True), format_value(["Ann", "Bob"]), format_value([])
    ('nothing', 'yes', 'Ann, Bob', 'nothing')
    """
    if value is None or value == []:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(format_value, value)) if isinstance(value, list | tuple) else str(value)
