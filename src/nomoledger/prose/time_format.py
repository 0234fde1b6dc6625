"""Times and durations in words."""

from datetime import UTC, datetime, timedelta

#: The units of a duration in words, the largest first, in seconds.
_UNITS = (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def format_time(seconds: int, near: datetime | None = None) -> str:
    """Return a time, in seconds since 1970, in words.

    A time in the same week as *near* is a day of the week. Other times have their date.

    >>> format_time(1767621600), format_time(1767621600, datetime(2026, 1, 10, tzinfo=UTC))
    ('2026-01-05 14:00', 'Monday 14:00')
    >>> format_time(1767621600, datetime(2026, 1, 12, tzinfo=UTC))
    'Monday 5 January 14:00'
    """
    try:
        time = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return "the end of time"
    clock = f"{time:%H:%M:%S}" if time.second else f"{time:%H:%M}"
    if near is None:
        return f"{time:%Y-%m-%d} {clock}"
    if time.isocalendar()[:2] == near.isocalendar()[:2]:
        return f"{time:%A} {clock}"
    year = "" if time.year == near.year else f" {time.year}"
    return f"{time:%A} {time.day} {time:%B}{year} {clock}"


def format_minute(seconds: int) -> str:
    """Return the minute of a time, in seconds since 1970, with its zone.

    >>> format_minute(1767621630)
    '2026-01-05 14:00 UTC'
    """
    return f"{format_time(seconds // 60 * 60)} UTC"


def format_duration(seconds: int) -> str:
    """Return a duration in words.

    >>> format_duration(90_000), format_duration(0)
    ('1 day 1 hour', '0 seconds')
    """
    rest, words = abs(seconds), []
    for unit, length in _UNITS:
        count, rest = divmod(rest, length)
        if count:
            words.append(f"{count} {unit}{'s' if count > 1 else ''}")
    return ("-" if seconds < 0 else "") + (" ".join(words) or "0 seconds")
