"""How words typed on the command line become values."""

import re
from datetime import UTC, datetime
from typing import Any

import click


def parse_time(text: str) -> datetime:
    """Return the time written as *text*, in UTC unless *text* names another zone.

    >>> str(parse_time("2026-01-31T12:00:00"))
    '2026-01-31 12:00:00+00:00'
    """
    try:
        time = datetime.fromisoformat(text)
        return (time.replace(tzinfo=UTC) if time.tzinfo is None else time).astimezone(UTC)
    except (ValueError, OverflowError):
        message = f"{text!r} is not a time: write it as 2026-01-31T12:00:00"
        raise click.BadParameter(message) from None


def parse_pair(text: str) -> tuple[str, str]:
    """Return the two parts of `KEY=VALUE`."""
    key, separator, value = text.partition("=")
    if not separator or not key.strip():
        raise click.BadParameter(f"{text!r} is not of the form KEY=VALUE")
    return key.strip(), value


def parse_event(text: str) -> str:
    """Return *text*, which must be written as an event, such as #116 or public:264.

    Which event that is can only be said once the game is open: see `find_event`.
    """
    from nomoledger.game.event_numbers import FORMS, is_event_reference

    if not is_event_reference(text):
        raise click.BadParameter(f"{text!r:.60} is not an event: write {FORMS}")
    return text.strip()


def parse_scalar(text: str) -> Any:
    """Return the value of *text* in YAML if it is a number, a flag, a list or a map; else *text*.

    >>> parse_scalar("20"), parse_scalar("[2, 3]"), parse_scalar("12.50"), parse_scalar("a: [")
    (20, [2, 3], '12.50', 'a: [')
    """
    from nomoledger.errors import UsageError
    from nomoledger.game.written_values import written_value

    try:
        return written_value(text)
    except UsageError as error:
        raise click.BadParameter(str(error)) from None


def parse_typed(text: str, type_: str) -> Any:
    """Return *text* as a value for a parameter of *type_*; the rules resolve names and other text.

    >>> parse_typed("7", "Text"), parse_typed("7", "Number"), parse_typed("no", "Flag")
    ('7', 7, False)
    >>> parse_typed("no", "Player")
    'no'
    """
    if type_ in ("Number", "Money"):
        return parse_scalar(text) if re.fullmatch(r"\s*-?[0-9]+\s*", text) else text
    return parse_scalar(text) if type_ in ("", "Flag", "List") else text
