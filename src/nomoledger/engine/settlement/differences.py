"""Differences between two tables of plain values, by path."""

from collections.abc import Iterator
from typing import Any

#: A path in the state, and the new value at this path; None removes the value.
Path = tuple[tuple[Any, ...], Any]


def changed_paths(old: Any, new: Any, *path: Any) -> Iterator[Path]:
    """Yield the changes below *path* that turn *old* into *new*.

    >>> list(changed_paths({"a": {"b": 1}, "c": 2}, {"a": {"b": 3}}, "t"))
    [(('t', 'a', 'b'), 3), (('t', 'c'), None)]
    """
    if isinstance(old, dict) or isinstance(new, dict):  # a missing table counts as empty
        old_table, new_table = old or {}, new or {}
        for key in dict.fromkeys((*old_table, *new_table)):
            if key not in ("rules", "ruled", "former", "money"):  # settled apart from the tables
                yield from changed_paths(old_table.get(key), new_table.get(key), *path, key)
    elif not is_same_value(old, new):
        yield path, list(new) if isinstance(new, tuple) else new


def is_same_value(left: Any, right: Any) -> bool:
    """Return whether two values and their types are equal; a tuple equals a list.

    >>> is_same_value(1, True), is_same_value((1, 2), [1, 2]), is_same_value(None, None)
    (False, True, True)
    """
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(is_same_value, left, right))
    return type(left) is type(right) and bool(left == right)
