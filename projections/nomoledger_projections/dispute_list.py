"""disputes: what is or was disputed, what was said on it, and which ruling closed it."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.evidence import describe_evidence
from nomoledger.game.read_models import Table, View


class DisputeArgument(msgspec.Struct, frozen=True):
    """What *by* says ("engine": what was attached); *evidence* is a replay or a what-if."""

    event: int
    by: str
    at: datetime
    text: str
    evidence: dict[str, Any]

    def __str__(self) -> str:
        who = "" if self.by == "engine" else f"{self.by}: "
        lines = [f"{self.at:%Y-%m-%d} {who}{self.text}", *describe_evidence(self.evidence)]
        return "\n  ".join(lines)


class DisputeRow(msgspec.Struct):
    """A dispute: *by* whom, of which *period* or event *about*, and the *ruling* that closed it."""

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

    @property
    def of(self) -> str:
        """What is disputed."""
        return f"period {self.period}" if self.about is None else f"#{self.about}"

    @property
    def state(self) -> str:
        """Whether it is open, or what closed it."""
        return "open" if self.ruling is None else f"closed by ruling {self.ruling}"

    def __str__(self) -> str:
        head = f"dispute {self.number} by {self.by} of {self.of}: {self.text} ({self.state})"
        return "\n".join([head, *map(str, self.arguments)])


class DisputeList(msgspec.Struct, frozen=True):
    """The disputes in the order in which they were opened; or *only* one, in full."""

    game: str
    period: int
    disputes: tuple[DisputeRow, ...]
    only: int | None = None

    def show(self) -> Iterator[Table | str]:
        """One table; or all that was said on the one."""
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
    """The disputes that the reader of *view* may know of; with *number*, that one alone.

    Raises:
        UnknownError: there is no dispute of that number.
    """
    found: dict[int, DisputeRow] = {}
    closed: dict[str, DisputeRow] = {}
    for entry in view.entries():
        _take(found, closed, entry)
    if number is None:
        return DisputeList(view.game, view.period, tuple(found.values()))
    if number not in found:
        there = ", ".join(map(str, found)) or "none"
        raise UnknownError(f"{view.game}: there is no dispute {number}; there is: {there}")
    return DisputeList(view.game, view.period, (found[number],), number)


def _take(found: dict[int, DisputeRow], closed: dict[str, DisputeRow], entry: e.Entry) -> None:
    body = entry.body
    if isinstance(body, e.DisputeOpened):
        found[body.number] = DisputeRow(
            number=body.number,
            event=entry.number,
            by=body.by,
            period=body.disputed,
            about=body.about,
            text=body.text,
            opened_at=body.received_at,
        )
    elif isinstance(body, e.DisputeArgued) and body.dispute in found:
        said = DisputeArgument(entry.number, body.by, body.received_at, body.text, body.evidence)
        found[body.dispute].arguments = (*found[body.dispute].arguments, said)
    elif isinstance(body, e.RulingMade) and body.closes in found:
        dispute = closed[body.id] = found[body.closes]
        dispute.closed_at, dispute.ruling = body.received_at, body.number
    elif isinstance(body, e.AttemptRefused) and body.attempt in closed:
        dispute = closed[body.attempt]  # by a ruling that could not be carried out
        dispute.closed_at = dispute.ruling = None
