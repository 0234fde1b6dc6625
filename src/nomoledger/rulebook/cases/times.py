"""Times in cases: `2002-03-01 12:00`, or `+7d 1s` from the start."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from nomoledger.errors import RulebookError
from nomoledger.state.clock import to_seconds
from nomoledger.state.world import World

#: The default start of a case.
DEFAULT_START = datetime(2002, 3, 1, 12, tzinfo=UTC)
_SECONDS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_PART = re.compile(r"(\d+)\s*(w|d|h|m|s)[a-z]*", re.IGNORECASE)
_SPAN = re.compile(rf"([+-])\s*((?:{_PART.pattern}[\s,]*)+)", re.IGNORECASE)


def read_time(value: Any, start: datetime = DEFAULT_START) -> datetime:
    """Return *value* as a time in UTC; a span with a sign counts from *start*.

    >>> read_time("+7d 1s").isoformat()
    '2002-03-08T12:00:01+00:00'
    >>> read_time("2002-03-02 08:30").isoformat()
    '2002-03-02T08:30:00+00:00'

    Raises:
        RulebookError: *value* is not a valid time.
    """
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    text = str(value).strip()
    span = _SPAN.fullmatch(text)
    if span is not None:
        length = sum(int(n) * _SECONDS[unit.lower()] for n, unit in _PART.findall(span[2]))
        try:
            return start + timedelta(seconds=length if span[1] == "+" else -length)
        except OverflowError:
            raise RulebookError(f"{value!r:.80} is too far away") from None
    try:
        return read_time(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        raise RulebookError(
            f"{value!r} is no time: write 2002-03-01 12:00, or +7d 1s from the start"
        ) from None


def times_read(world: World, kind: str, row: dict[str, Any], start: datetime) -> dict[str, Any]:
    """Return *row* with times and durations that are written as such, in seconds.

    They are the attributes of *kind* that are declared as `Time` or `Duration`.
    """
    declared = world.declared(kind)
    readers = {"Time": _seconds_at, "Duration": _seconds_of}
    read = {}
    for name, value in row.items():
        reader = readers.get(declared.get(name, ""))
        is_written = isinstance(value, str | date)
        read[name] = reader(value, start) if reader is not None and is_written else value
    return read


def _seconds_at(value: Any, start: datetime) -> int:
    return to_seconds(read_time(value, start))


def _seconds_of(value: Any, start: datetime) -> int:
    """Return the length of a duration, such as `80h`, in seconds."""
    text = str(value).strip()
    end = read_time(text if text[:1] in "+-" else f"+{text}", start)
    return to_seconds(end) - to_seconds(start)
