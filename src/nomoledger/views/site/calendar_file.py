"""The calendar of deadlines (iCalendar, RFC 5545): what falls due, and when periods closed.

The same ledger gives the same bytes: ids come from the opening of the game and from timers, and the
stamp of each event is the present time of the game.
"""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from nomoledger.views.site.history_page import HistoryPage
from nomoledger.views.site.text import harmless

PATH = "deadlines.ics"
#: RFC 5545, section 3.1: a line has at most 75 bytes, without its end.
_LINE_BYTES_MAX = 75


class CalendarEvent(msgspec.Struct, frozen=True):
    """Something that happens *at* a time. *key* names it for ever."""

    key: str
    at: datetime
    title: str


def calendar_of(history: HistoryPage) -> str:
    """Return the calendar of *history*: the deadlines that are set now, and the closes so far."""
    outline, stamp = history.outline, _time(history.moment.now)
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//nomoledger//site//EN",
        f"X-WR-CALNAME:{_escaped(outline.game)}",
    ]
    for event in sorted(_events(history), key=lambda event: (event.at, event.key)):
        lines += [
            "BEGIN:VEVENT",
            f"UID:{outline.id_of(event.key).removeprefix('urn:uuid:')}",
            f"DTSTAMP:{stamp}",
            f"DTSTART:{_time(event.at)}",
            f"SUMMARY:{_escaped(event.title)}",
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
        ]
    lines.append("END:VCALENDAR")
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _events(history: HistoryPage) -> Iterator[CalendarEvent]:
    for past in history.upto:
        if past.is_open:
            begins = past.began or past.now
            yield CalendarEvent(f"open {past.period}", begins, f"Period {past.period} is open")
        else:
            yield CalendarEvent(f"close {past.period}", past.now, f"Period {past.period} closes")
    for timer in history.moment.due:
        about = f"{timer.about}: " if timer.about else ""
        yield CalendarEvent(f"timer {timer.id}", timer.at, f"{about}{timer.what}")


def _time(at: datetime) -> str:
    return f"{at:%Y%m%dT%H%M%SZ}"


def _escaped(text: str) -> str:
    r"""Return *text* as a value of the type TEXT (RFC 5545, section 3.3.11).

    >>> print(_escaped("a, b; c\\d"))
    a\, b\; c\\d
    """
    escaped = harmless(text).replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return escaped.replace("\n", "\\n")


def _folded(line: str) -> str:
    r"""Return *line* folded between characters, so that no part has more than 75 bytes.

    >>> [len(part.encode()) for part in _folded("é" * 60).split("\r\n")]
    [74, 47]
    """
    parts, size = [""], 0
    for character in line:
        bytes_ = len(character.encode())
        if size + bytes_ > _LINE_BYTES_MAX:
            parts.append(" ")
            size = 1
        parts[-1] += character
        size += bytes_
    return "\r\n".join(parts)
