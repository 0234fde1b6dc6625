"""Whether two values are the same to a reader, and how they are shown."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any


def is_match(found: Any, expected: Any) -> bool:
    """Whether they are the same; nothing and "no" are, and so are 12.5 and the text 12.5.

    >>> same(None, False), same(Decimal("12.5"), "12.5"), same(0, False), same(1, True)
    (True, True, False, False)
    """
    if _is_no(found) and _is_no(expected):
        return True
    if isinstance(found, bool) or isinstance(expected, bool):
        return found is expected
    if isinstance(found, list | tuple) and isinstance(expected, list | tuple):
        return len(found) == len(expected) and all(map(is_match, found, expected))
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        names = {*found, *expected}
        return all(is_match(found.get(name), expected.get(name)) for name in names)
    if isinstance(found, int | Decimal) and isinstance(expected, int | str):
        return _number(expected) == found
    return bool(found == expected)


def _is_no(value: Any) -> bool:
    return value is None or value is False


def _number(value: Any) -> Decimal | None:
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


def format_plain(value: Any) -> str:
    """*value* as it stands in a message."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(format_plain, value))}]"
    if isinstance(value, Mapping):
        return (
            ", ".join(f"{name} {format_plain(each)}" for name, each in value.items()) or "nothing"
        )
    return str(value)
