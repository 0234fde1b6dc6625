"""The clock of a game: its times as whole seconds."""

from datetime import UTC, datetime

_FIRST = int(datetime.min.replace(tzinfo=UTC).timestamp())
_LAST = int(datetime.max.replace(tzinfo=UTC, microsecond=0).timestamp())


def to_seconds(time: datetime) -> int:
    """Return *time* as whole seconds since 1970 (UTC)."""
    return int(time.timestamp())


def from_seconds(at: int) -> datetime:
    """Return *at*, in seconds since 1970, as a time (UTC).

    A moment before the year 1 or after the year 9999 becomes the first or the last there is.
    """
    return datetime.fromtimestamp(min(max(at, _FIRST), _LAST), UTC)
