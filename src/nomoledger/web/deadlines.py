"""Deadlines in words: until when, and how much time is left."""

import time
from datetime import UTC, datetime

from nomoledger.prose.time_format import format_duration, format_time

#: Of what is left, only the largest unit is said, if there are two of it: in seconds.
_UNITS = (86_400, 3600, 60)


def deadline_in_words(until: int, now: float | None = None) -> str:
    """Return the last minute before the time *until*, in seconds since 1970, as UTC.

    *now* is the time, that of this computer by default: a day of its week has no date.

    >>> deadline_in_words(1767621600, 1767600000)
    'Monday 13:59 UTC'
    >>> deadline_in_words(1767621600, 1767000000)
    'Monday 5 January 2026 13:59 UTC'
    """
    near = datetime.fromtimestamp(time.time() if now is None else now, UTC)
    minute = (until - 1) // 60 * 60
    return f"{format_time(minute, near)} UTC"


def time_left(until: int, now: float | None = None) -> str:
    """Return how much time is left before *until*, roughly; "" if none is.

    >>> time_left(90_000, 0), time_left(7300, 0), time_left(30, 0), time_left(0, 0)
    ('25 hours', '2 hours', 'less than a minute', '')
    >>> time_left(172_800, 0)
    '2 days'
    """
    left = int(until - (time.time() if now is None else now))
    if left <= 0:
        return ""
    unit = next((length for length in _UNITS if left >= 2 * length), 60)
    count = left // unit
    if not count:
        return "less than a minute"
    if unit == 3600:  # A day and a few hours are so many hours.
        return f"{count} hours"
    return format_duration(count * unit)
