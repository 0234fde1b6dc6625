"""Comparison of values in cases, and their text in messages."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

#: The key of a list that is only a part of what is there.
INCLUDES = "includes"


def is_match(actual: Any, expected: Any) -> bool:
    """Return whether the values match; None matches False, and 12.5 matches the text "12.5".

    >>> is_match(None, False), is_match(Decimal("12.5"), "12.5"), is_match(0, False)
    (True, True, False)
    """
    if (part := included(expected)) is not None:
        return _includes(list(actual) if isinstance(actual, list | tuple) else [], part)
    if _is_no(actual) and _is_no(expected):
        return True
    if isinstance(actual, bool) or isinstance(expected, bool):
        return actual is expected
    if isinstance(actual, list | tuple) and isinstance(expected, list | tuple):
        return len(actual) == len(expected) and all(map(is_match, actual, expected))
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        names = {*actual, *expected}
        return all(is_match(actual.get(name), expected.get(name)) for name in names)
    if isinstance(actual, int | Decimal) and isinstance(expected, int | str):
        return _number(expected) == actual
    return bool(actual == expected)


def included(expected: Any) -> list[Any] | None:
    """Return the items that a list must at least have: `{includes: [2, 3]}`; None for a whole list.

    >>> included({"includes": [2]}), included([2])
    ([2], None)
    """
    if not isinstance(expected, Mapping) or set(expected) != {INCLUDES}:
        return None
    part = expected[INCLUDES]
    return part if isinstance(part, list) else [part]


def _includes(actual: list[Any], expected: list[Any]) -> bool:
    """Return whether each of the items *expected* is one of its own in *actual*."""
    for item in expected:
        place = next((i for i, each in enumerate(actual) if is_match(each, item)), None)
        if place is None:
            return False
        del actual[place]
    return True


def _is_no(value: Any) -> bool:
    return value is None or value is False


def _number(value: Any) -> Decimal | None:
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


def format_plain(value: Any) -> str:
    """Return *value* as text for a message."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(format_plain, value))}]"
    if (part := included(value)) is not None:
        return f"among others {format_plain(part)}"
    if isinstance(value, Mapping):
        return (
            ", ".join(f"{name} {format_plain(item)}" for name, item in value.items()) or "nothing"
        )
    return str(value)
