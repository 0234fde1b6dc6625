"""The digest of a state, the same in every process and on every machine."""

import hashlib
from collections.abc import Mapping
from typing import Any

from nomoledger.events import Event
from nomoledger.events.canonical_json import canonical_json
from nomoledger.events.display import without_display_text
from nomoledger.events.levels import LEVELS


def digest_of(tables: Mapping[str, dict[Any, Any]], head: int, level: int) -> str:
    """Return the SHA-256 of the *tables* of a game of *level* after event *head*, in hex.

    Closed periods (the table `past`) are left out, because they have digests of their own.
    """
    hashed = {name: table for name, table in tables.items() if name != "past"} | {"head": head}
    state: Any = _plain(hashed)
    if not LEVELS[level].hashes_display_text:
        state = _without_display_text(state)
    return hashlib.sha256(canonical_json(state)).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items() if item != {}}
    return value


def _without_display_text(value: Any) -> Any:
    """Blank the display text of all events within *value*."""
    if isinstance(value, dict):
        return {key: _without_display_text(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_display_text(item) for item in value]
    return without_display_text(value) if isinstance(value, Event) else value
