"""The types of a rule's parameters: what each can be amended to, and how code receives it."""

import re
from typing import Any

from nomoledger.events.rules import Rule
from nomoledger.language.values import INTEGER_MAX

#: A decimal number as parameters hold it: a text, as events hold no fractions.
_DECIMAL = re.compile(r"-?\d{1,15}\.\d{1,12}")
#: The words for the types of values, in messages.
_WORDS = {bool: "yes or no", int: "a number", str: "a text", list: "a list", dict: "a table"}


def is_decimal(value: Any) -> bool:
    """Return whether *value* is the text of a decimal number.

    >>> is_decimal("2.5"), is_decimal("two"), is_decimal(2)
    (True, False, False)
    """
    return isinstance(value, str) and _DECIMAL.fullmatch(value) is not None


def is_number(value: Any) -> bool:
    """Return whether a parameter that is a number can be *value*: a whole or a decimal number.

    >>> is_number(2), is_number("2.5"), is_number(True), is_number("two"), is_number(10**30)
    (True, True, False, False, False)
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) <= INTEGER_MAX
    return is_decimal(value)


def type_of(rule: Rule, name: str) -> type:
    """Return the type of the parameter *name* of *rule*: `bool`, `int`, `str`, `list` or `dict`.

    `int` stands for all numbers. A text that is a number is one if the rule gives its unit.
    """
    value = rule.parameters[name]
    if isinstance(value, bool):
        return bool
    if isinstance(value, int) or (name in rule.units and is_decimal(value)):
        return int
    return list if isinstance(value, tuple) else type(value)


def is_new_decimal(old: Rule, name: str, value: Any) -> bool:
    """Return whether the number *name* of the rule *old* becomes the decimal number *value*."""
    return name in old.parameters and type_of(old, name) is int and is_decimal(value)


def misfit(rule: Rule, name: str, value: Any) -> str:
    """Return why *value* cannot replace the parameter *name* of *rule*; "" if it can."""
    type_ = type_of(rule, name)
    if type_ is int and is_number(value):
        return ""
    found = list if isinstance(value, tuple) else type(value)
    if found is type_ and type_ is not int:
        return ""
    unit = rule.units.get(name)
    measured = f" of {unit}" if unit and type_ is int else ""
    return f"{name} is {_WORDS.get(type_, 'a value')}{measured}, not {value!r:.60}"
