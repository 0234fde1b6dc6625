"""The two-time roll-up: what was posted, by the period it is for and the period it was posted in.

It is added to in the transaction that appends the postings. A ruling of period 9 about period 3
adds to the cells of (3, 9), and to no others, whatever its age. How period 3 stood, as known in
period 5, is the sum of all cells up to (3, 5).
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import msgspec

from nomoledger.events import Event, Posted, Posting
from nomoledger.events.codec import EVENTS

#: What a cell of the roll-up is of: effective period, recorded period, account, commodity.
Cell = tuple[int, int, str, str]
NO_UNITS: Mapping[Cell, int] = MappingProxyType({})
#: A row of the roll-up as it is found, whatever is in it: the cell, and its units.
FoundCell = tuple[object, object, bytes, bytes, object]
#: What was posted for a period: effective period, account, commodity, units.
Delta = tuple[int, str, str, int]
#: Tags of the events that have postings.
POSTED = frozenset(tag for tag, kind in EVENTS.items() if kind is Posted)
#: What is posted, in smallest units: by effective and recorded period, account, commodity.
Sums = dict[tuple[int, int], dict[str, dict[str, int]]]
#: Per account, units of each commodity.
Balances = dict[str, dict[str, int]]


class Paid(msgspec.Struct, gc=False):
    """What is summed of a `Posted`; its other fields are passed over, which is much faster."""

    period: int
    postings: tuple[Posting, ...]
    effective: int | None = None


#: What is summed of the `Posted` stored as these bytes; MsgspecError where they are none.
paid = msgspec.msgpack.Decoder(Paid).decode


def add(sums: Sums, posted: Iterable[Posted | Paid]) -> None:
    """Add all that was *posted* to *sums*: in one loop with no calls, as there may be millions."""
    recorded: int | None = None
    effective: int | None = None
    table: dict[str, dict[str, int]] = {}
    for each in posted:
        if each.period != recorded or each.effective != effective:
            recorded, effective = each.period, each.effective
            cell = recorded if effective is None else effective, recorded
            table = sums.setdefault(cell, {})
        for posting in each.postings:
            account, commodity = posting.account, posting.commodity
            try:
                table[account][commodity] += posting.amount
            except KeyError:
                table.setdefault(account, {})[commodity] = posting.amount


def add_to(balances: Balances, account: str, commodity: str, units: int) -> None:
    """Add *units* to what *balances* say of *account*."""
    table = balances.setdefault(account, {})
    table[commodity] = table.get(commodity, 0) + units


def cells(sums: Sums) -> dict[Cell, int]:
    """*sums* by cell of the roll-up."""
    return {
        (*times, account, commodity): units
        for times, table in sums.items()
        for account, held in table.items()
        for commodity, units in held.items()
    }


def units_of(events: Iterable[Event]) -> dict[Cell, int]:
    """What *events* add to each cell of the roll-up, in smallest units."""
    sums: Sums = {}
    add(sums, [event for event in events if isinstance(event, Posted)])
    return cells(sums)


def units_of_encoded(records: Iterable[tuple[str, bytes]]) -> dict[Cell, int]:
    """The same for events that are encoded: their tags and bytes.

    One that cannot be read adds nothing: verifying names it.
    """
    sums: Sums = {}
    for tag, state in records:
        if tag in POSTED:
            with suppress(msgspec.MsgspecError, TypeError):
                add(sums, (paid(state),))
    return cells(sums)


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
