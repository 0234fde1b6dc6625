"""Exact numbers of the rules: how they cross into the host, are bent by steps, and are rounded."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

Number = int | Decimal
PLACES_MAX = 12
#: The largest amount that can be posted, in smallest units.
UNITS_MAX = 10**15
#: The largest number that can be kept, how many letters or things at once, and lists in lists.
INTEGER_MAX = 2**63 - 1
KEPT_MAX = 10_000
NESTED_MAX = 8


class NotExact(ValueError):
    """A value that is not an exact number."""


def fraction(value: Any) -> Fraction:
    """*value* as an exact fraction.

    Raises:
        NotExact: it is a float, a truth value or no number at all.
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise NotExact(f"{value!r} is not an exact number (for a share, write divide(a, b))")
    return Fraction(value)


def number(value: Fraction) -> Number:
    """An int where whole, else a Decimal; what has no end is rounded half up at 12 places."""
    if value.denominator == 1:
        return value.numerator
    digits, places = round_half_up(value * 10**PLACES_MAX), PLACES_MAX
    while digits % 10 == 0 and places:
        digits, places = digits // 10, places - 1
    return Decimal(f"{digits}e-{places}") if places else digits


def round_half_up(value: Fraction) -> int:
    """The nearest whole number, halves away from zero.

    >>> half_up(Fraction(5, 2)), half_up(Fraction(-5, 2)), half_up(Fraction(1, 3))
    (3, -3, 0)
    """
    size = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return size if value >= 0 else -size


def keepable(value: Any) -> bool:
    """Whether *value* can be kept: whole numbers, text, flags and lists of them, of bounded size.

    >>> keepable(["a", [1, None]]), keepable(Decimal("1.5")), keepable("x" * 20_000)
    (True, False, False)
    """
    if not isinstance(value, list):
        return _is_plain(value)
    size, depth, rest = 0, 0, [value]
    while rest and size <= KEPT_MAX and depth <= NESTED_MAX:
        depth += 1
        lists = [each for each in rest if isinstance(each, list)]
        size += sum(len(each) for each in rest if isinstance(each, list | str))
        if not all(isinstance(each, list) or _is_plain(each) for each in rest):
            return False
        rest = [inner for each in lists for inner in each]
    return not rest and size <= KEPT_MAX


def _is_plain(value: Any) -> bool:
    if isinstance(value, int):
        return abs(value) <= INTEGER_MAX
    return value is None or (isinstance(value, str) and len(value) <= KEPT_MAX)


def to_units(amount: Any, places: int) -> int:
    """*amount* in smallest units of a commodity with *places* decimals, rounded half up once."""
    scale: int = 10**places
    return amount * scale if type(amount) is int else round_half_up(fraction(amount) * scale)


def from_units(units: int, places: int) -> Number:
    """Smallest *units* as the amount that people speak of."""
    return units if places == 0 else number(Fraction(units, 10**places))


Step = Sequence[Any]
Decide = Callable[[list[str], list[Any]], str]


def combine(base: Any, steps: list[tuple[str, Step]], decide: Decide) -> Number:
    """*base* after the *steps*, each with its rule, in stages: set, add, times, bounds.

    Within a stage the order of the rules makes no difference, but for two `set_to` with
    different figures: then *decide* names the rule that prevails, given rules and figures.

    >>> combine(10, [("A", ["times", 2, ""]), ("B", ["add", 5, ""])], lambda rules, values: "")
    30
    """
    result = fraction(base)
    settings = [(rule, step) for rule, step in steps if step[0] == "set"]
    if settings:
        figures = [fraction(step[1]) for _, step in settings]
        rules = [rule for rule, _ in settings]
        same = len(set(figures)) == 1
        winner = rules[0] if same else decide(rules, [number(each) for each in figures])
        result = figures[rules.index(winner)]
    for _, step in steps:
        if step[0] == "add":
            result += fraction(step[1])
    for _, step in steps:
        if step[0] == "times":
            result *= fraction(step[1]) / fraction(step[3] if len(step) > 3 else 1)
    bounds = {"at_most": min, "at_least": max}
    for _, step in steps:
        if step[0] in bounds:
            result = bounds[step[0]](result, fraction(step[1]))
    return number(result)


def format_value(value: Any) -> str:
    """A plain value in a sentence.

    >>> said(None), said(True), said(["Ann", "Bob"]), said([])
    ('nothing', 'yes', 'Ann, Bob', 'nothing')
    """
    if value is None or value == []:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(format_value, value)) if isinstance(value, list | tuple) else str(value)
