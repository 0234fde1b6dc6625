"""The texts in plain values, such as those that an event is written as."""

from collections.abc import Iterator
from typing import Any


def texts_in(value: Any) -> Iterator[str]:
    """Yield all texts in *value*, in order: in lists, and in the values of tables.

    >>> list(texts_in({"a": ["x", 1, {"b": "y"}]}))
    ['x', 'y']
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_in(item)
