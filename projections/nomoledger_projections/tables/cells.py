"""How values of the game stand in the cells of tables."""

import json
from typing import Any


def as_json(value: Any) -> str:
    """*value* as JSON, the same at all times.

    >>> as_json({"b": [1, None], "a": "ä"})
    '{"a": "ä", "b": [1, null]}'
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
