"""Converts values of the game for the cells of SQL tables."""

import json
from typing import Any


def as_json(value: Any) -> str:
    """Return *value* as JSON. Equal values give equal text.

    >>> as_json({"b": [1, None], "a": "ä"})
    '{"a": "ä", "b": [1, null]}'
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
