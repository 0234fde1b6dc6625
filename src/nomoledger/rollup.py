"""The two-time roll-up: what was posted, by the period it is for and the period it was posted in.

It is added to in the transaction that appends the postings. A ruling of period 9 about period 3
adds to the cells of (3, 9), and to no others, whatever its age. How period 3 stood, as known in
period 5, is the sum of all cells up to (3, 5).
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, cast

from nomoledger.codec import EVENTS, decode
from nomoledger.errors import CorruptError
from nomoledger.events import Event, Posted
from nomoledger.store import Cell, FoundCell

#: Tags of the events that have postings.
POSTED = frozenset(tag for tag, kind in EVENTS.items() if kind is Posted)


def units_of(events: Iterable[Event]) -> dict[Cell, int]:
    """What *events* add to each cell of the roll-up, in smallest units."""
    units: dict[Cell, int] = {}
    for event in events:
        if isinstance(event, Posted):
            add(units, event)
    return units


def units_of_encoded(records: Iterable[tuple[str, bytes]]) -> dict[Cell, int]:
    """The same for events that are encoded: their tags and bytes.

    One that cannot be read adds nothing: verifying names it.
    """
    units: dict[Cell, int] = {}
    for tag, state in records:
        if tag in POSTED:
            with suppress(CorruptError, TypeError):
                add(units, cast(Posted, decode(tag, state)))
    return units


def add(units: dict[Cell, int], event: Posted) -> None:
    """Add what *event* posts to *units*."""
    recorded = event.period
    effective = recorded if event.effective is None else event.effective
    for posting in event.postings:
        cell = effective, recorded, posting.account, posting.commodity
        units[cell] = units.get(cell, 0) + posting.amount


def wrong_cell(units: dict[Cell, int], found: Iterator[FoundCell]) -> str | None:
    """The first cell that was *found* to hold something else than *units*, in a sentence.

    *units* is what all events come to; it is used up.
    """
    for effective, recorded, account, commodity, stored in found:
        cell: Any = effective, recorded, *(_text(each) for each in (account, commodity))
        right = units.pop(cell, None)
        if right is None:
            return f"{_said(cell)} it says {stored!r}, but nothing was posted there"
        if isinstance(stored, float) or str(right) != str(stored):
            return f"{_said(cell)} it says {stored!r}, but the postings come to {right}"
    if not units:
        return None
    cell = min(units)
    return f"{_said(cell)} it says nothing, but the postings come to {units[cell]}"


def _text(name: bytes) -> str:
    return name.decode(errors="replace")


def _said(cell: Cell) -> str:
    effective, recorded, account, commodity = cell
    return f"for {commodity} in {account!r}, period {effective} as of period {recorded},"
