"""Where two tables of plain values differ, by path."""

from collections.abc import Iterator
from typing import Any

#: Where something stands in the state, and what is to stand there; None is nothing.
Path = tuple[tuple[Any, ...], Any]


def changed_paths(was: Any, to: Any, *path: Any) -> Iterator[Path]:
    """Where *was* has to be changed to be *to*, beginning at *path*.

    >>> list(differing({"a": {"b": 1}, "c": 2}, {"a": {"b": 3}}, "t"))
    [(('t', 'a', 'b'), 3), (('t', 'c'), None)]
    """
    if isinstance(was, dict) or isinstance(to, dict):  # a table that is not there is empty
        one, other = was or {}, to or {}
        for key in dict.fromkeys((*one, *other)):
            if key not in ("rules", "ruled"):  # which stand by themselves
                yield from changed_paths(one.get(key), other.get(key), *path, key)
    elif not is_same_value(was, to):
        yield path, list(to) if isinstance(to, tuple) else to


def is_same_value(one: Any, other: Any) -> bool:
    """Whether two values are the same, also by type: a flag is no number, but a tuple is a list.

    >>> same(1, True), same((1, 2), [1, 2]), same(None, None)
    (False, True, True)
    """
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(is_same_value, one, other))
    return type(one) is type(other) and bool(one == other)
