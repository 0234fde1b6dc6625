"""The bitemporal roll-up: postings summed by the period they are for and the period they came in.

The transaction that appends postings also updates the roll-up. A ruling of period 9 about period 3
adds to the cells of (3, 9) and to no others. The balances of period 3, as known at the close of
period 5, are the sum of all cells up to (3, 5).
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import msgspec

from nomoledger.events import Event, Posted, Posting
from nomoledger.events.codec import EVENTS

#: The key of a roll-up cell: effective period, recorded period, account, commodity.
Cell = tuple[int, int, str, str]
NO_UNITS: Mapping[Cell, int] = MappingProxyType({})
#: A roll-up cell as found, unchecked: its key and its units.
RawCell = tuple[object, object, bytes, bytes, object]
#: Units posted for a period: effective period, account, commodity, units.
Delta = tuple[int, str, str, int]
#: The tags of events that have postings.
POSTED = frozenset(tag for tag, kind in EVENTS.items() if kind is Posted)
#: Posted units (smallest units) by effective and recorded period, account, commodity.
Sums = dict[tuple[int, int], dict[str, dict[str, int]]]
#: Units by account and commodity.
Balances = dict[str, dict[str, int]]


class PostedUnits(msgspec.Struct, gc=False):
    """The fields of a `Posted` that are summed; skipping the others is much faster."""

    period: int
    postings: tuple[Posting, ...]
    effective: int | None = None


#: Decodes these fields from the stored bytes of a `Posted`; raises MsgspecError.
decode_posted = msgspec.msgpack.Decoder(PostedUnits).decode


def add_postings(sums: Sums, posted: Iterable[Posted | PostedUnits]) -> None:
    """Add *posted* to *sums*, in one loop without calls, because there may be millions."""
    recorded: int | None = None
    effective: int | None = None
    table: dict[str, dict[str, int]] = {}
    for event in posted:
        if event.period != recorded or event.effective != effective:
            recorded, effective = event.period, event.effective
            cell = recorded if effective is None else effective, recorded
            table = sums.setdefault(cell, {})
        for posting in event.postings:
            account, commodity = posting.account, posting.commodity
            try:
                table[account][commodity] += posting.amount
            except KeyError:
                table.setdefault(account, {})[commodity] = posting.amount


def add_to(balances: Balances, account: str, commodity: str, units: int) -> None:
    """Add *units* to the balance of *account*."""
    table = balances.setdefault(account, {})
    table[commodity] = table.get(commodity, 0) + units


def units_by_cell(sums: Sums) -> dict[Cell, int]:
    """Return *sums* by roll-up cell."""
    return {
        (*times, account, commodity): units
        for times, table in sums.items()
        for account, balances in table.items()
        for commodity, units in balances.items()
    }


def units_of(events: Iterable[Event]) -> dict[Cell, int]:
    """Return what *events* add to each roll-up cell, in smallest units."""
    sums: Sums = {}
    add_postings(sums, [event for event in events if isinstance(event, Posted)])
    return units_by_cell(sums)


def units_of_encoded(records: Iterable[tuple[str, bytes]]) -> dict[Cell, int]:
    """Return what encoded events (tags and bytes) add to each roll-up cell, in smallest units.

    An unreadable event adds nothing; `nomoledger.ledger.verification` reports it.
    """
    sums: Sums = {}
    for tag, state in records:
        if tag in POSTED:
            with suppress(msgspec.MsgspecError, TypeError):
                add_postings(sums, (decode_posted(state),))
    return units_by_cell(sums)


def find_wrong_cell(units: dict[Cell, int], stored_cells: Iterator[RawCell]) -> str | None:
    """Describe the first of *stored_cells* that differs from *units*; None if there is none.

    *units* are the sums of all events; this function empties the dictionary.
    """
    for effective, recorded, account, commodity, stored in stored_cells:
        cell: Any = effective, recorded, *(_text(name) for name in (account, commodity))
        right = units.pop(cell, None)
        if right is None:
            return f"{_describe(cell)} it says {stored!r}, but nothing was posted there"
        if isinstance(stored, float) or str(right) != str(stored):
            return f"{_describe(cell)} it says {stored!r}, but the postings come to {right}"
    if not units:
        return None
    cell = min(units)
    return f"{_describe(cell)} it says nothing, but the postings come to {units[cell]}"


def _text(name: bytes) -> str:
    return name.decode(errors="replace")


def _describe(cell: Cell) -> str:
    effective, recorded, account, commodity = cell
    return f"for {commodity} in {account!r}, period {effective} as of period {recorded},"
