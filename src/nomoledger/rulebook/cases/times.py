"""Times in cases: `2002-03-01 12:00`, or `+7d 1s` from the start."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from nomoledger.errors import RulebookError

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
