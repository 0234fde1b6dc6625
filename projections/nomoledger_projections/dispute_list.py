"""disputes: every dispute with its arguments and the ruling that closed it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.evidence import describe_evidence
from nomoledger.game.read_models import Table, View
from nomoledger.game.ruled_events import RuledEvent, ruled_events


class DisputeArgument(msgspec.Struct, frozen=True):
    """An argument of *by* ("engine" for attached evidence). *evidence* is a replay or a what-if."""

    event: int
    by: str
    at: datetime
    text: str
    evidence: dict[str, Any]

    def __str__(self) -> str:
        speaker = "" if self.by == "engine" else f"{self.by}: "
        lines = [f"{self.at:%Y-%m-%d} {speaker}{self.text}", *describe_evidence(self.evidence)]
        return "\n  ".join(lines)


class DisputeRow(msgspec.Struct):
    """A dispute of a *period*, or of the event *about*. *ruling* is the one that closed it.

    *changed* are the events that this ruling changed. They are given for a single dispute only, and
    None if the reader cannot know them.
    """

    number: int
    event: int
    by: str
    period: int
    about: int | None
    text: str
    opened_at: datetime
    arguments: tuple[DisputeArgument, ...] = ()
    closed_at: datetime | None = None
    ruling: int | None = None
    changed: tuple[RuledEvent, ...] | None = ()

    @property
    def of(self) -> str:
        """The disputed period or event."""
        return f"period {self.period}" if self.about is None else f"#{self.about}"

    @property
    def state(self) -> str:
        """The state: open, or closed by a ruling."""
        return "open" if self.ruling is None else f"closed by ruling {self.ruling}"

    def __str__(self) -> str:
        head = f"dispute {self.number} by {self.by} of {self.of}: {self.text} ({self.state})"
        return "\n".join([head, *map(str, self.arguments), *self._otherwise()])

    def _otherwise(self) -> Iterator[str]:
        """Yield what would have been under the ruling, event by event."""
        if self.changed is None:
            yield "what would have been cannot be told from what the reader may see"
            return
        period = None
        for event in self.changed:
            if event.period != period:
                period = event.period
                yield f"what was recorded in period {period} → what it would have been:"
            yield f"  {event}"


class DisputeList(msgspec.Struct, frozen=True):
    """The disputes in the order in which they were opened, or *only* one of them in full."""

    game: str
    period: int
    disputes: tuple[DisputeRow, ...]
    only: int | None = None

    def show(self) -> Iterator[Table | str]:
        """Yield one table, or all arguments of the one dispute."""
        if self.only is not None:
            yield from map(str, self.disputes)
        elif not self.disputes:
            yield "nothing was ever disputed"
        else:
            columns = ("dispute", "by", "of", "opened", "arguments", "state", "text")
            yield Table(columns, tuple(map(_row, self.disputes)))


def _row(dispute: DisputeRow) -> tuple[str, ...]:
    return (
        str(dispute.number),
        dispute.by,
        dispute.of,
        f"{dispute.opened_at:%Y-%m-%d}",
        str(len(dispute.arguments)),
        dispute.state,
        dispute.text,
    )


def disputes(view: View, *, number: int | None = None) -> DisputeList:
    """Return the disputes that the reader of *view* may see, or only dispute *number*.

    Raises:
        UnknownError: There is no dispute with this number.
    """
    rows: dict[int, DisputeRow] = {}
    closed_by: dict[str, DisputeRow] = {}
    entries = list(view.entries())
    for entry in entries:
        _apply(rows, closed_by, entry)
    if number is None:
        return DisputeList(view.game, view.period, tuple(rows.values()))
    if number not in rows:
        numbers = ", ".join(map(str, rows)) or "none"
        raise UnknownError(f"{view.game}: there is no dispute {number}; there is: {numbers}")
    ruling = rows[number].ruling
    rows[number].changed = () if ruling is None else ruled_events(entries, ruling)
    return DisputeList(view.game, view.period, (rows[number],), number)


def _apply(rows: dict[int, DisputeRow], closed_by: dict[str, DisputeRow], entry: e.Entry) -> None:
    body = entry.body
    if isinstance(body, e.DisputeOpened):
        rows[body.number] = DisputeRow(
            number=body.number,
            event=entry.number,
            by=body.by,
            period=body.disputed,
            about=body.about,
            text=body.text,
            opened_at=body.received_at,
        )
    elif isinstance(body, e.DisputeArgued) and body.dispute in rows:
        dispute = rows[body.dispute]
        argument = (entry.number, body.by, body.received_at, body.text, body.evidence)
        dispute.arguments = (*dispute.arguments, DisputeArgument(*argument))
    elif isinstance(body, e.RulingMade) and body.closes in rows:
        dispute = closed_by[body.id] = rows[body.closes]
        dispute.closed_at, dispute.ruling = body.received_at, body.number
    elif isinstance(body, e.AttemptRefused) and body.attempt in closed_by:
        dispute = closed_by[body.attempt]  # The ruling was refused, so the dispute is open again.
        dispute.closed_at = dispute.ruling = None
