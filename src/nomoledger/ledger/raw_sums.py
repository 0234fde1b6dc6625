"""Sums of all postings of a game in one pass over its raw rows, without the roll-up.

The pass decodes only the fields that are summed, so it takes little longer than reading alone.
`nomoledger.ledger.rollup_queries` answers the same questions at once from the roll-up. These
functions check the roll-up, or work without it.
"""

from collections.abc import Iterator

import msgspec

from nomoledger.errors import CorruptError
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.rollup import POSTED, Balances, Sums, add_postings, add_to, decode_posted
from nomoledger.state.bitemporal import check_times


def sum_postings(ledger: Ledger, game: str) -> Sums:
    """Return what all records of *game* post, by effective and recorded period.

    Raises:
        UnknownError: there is no such game.
        CorruptError: a record is missing or cannot be read.
    """
    last, totals = ledger.head(game).number, Sums()
    try:
        add_postings(totals, map(decode_posted, ledger.store.states(game, POSTED, last)))
        if ledger.store.count(game, last) == last + 1:
            return totals
        why = "records are missing, or there are too many"
    except (msgspec.MsgspecError, TypeError) as error:
        why = f"unreadable posting: {error}"
    for _ in ledger.read(game, upto=last):  # raises an error that names the record
        pass
    raise CorruptError(f"game {game!r}: {why}: verify it")


def summed_balances_by_period(
    ledger: Ledger, game: str, known: int | None = None
) -> Iterator[tuple[int, Balances]]:
    """Yield every period that has postings, and the balances at its close.

    With *known*, only periods up to that one, as known at its close. The iterator reuses one table
    of balances: finish with each period before advancing.

    Raises:
        UnknownError, CorruptError: as in `sum_postings`.
    """
    return cumulated(sum_postings(ledger, game), known)


def cumulated(totals: Sums, known: int | None = None) -> Iterator[tuple[int, Balances]]:
    """Yield the same as `summed_balances_by_period`, from *totals*.

    >>> later = {(1, 1): {"Ann": {"$": 5}}, (1, 2): {"Ann": {"$": 2}}}
    >>> [balances for _, balances in cumulated(later, known=1)]
    [{'Ann': {'$': 5}}]
    """
    balances: Balances = {}
    cells = sorted(cell for cell in totals if known is None or max(cell) <= known)
    for index, cell in enumerate(cells):
        for account, table in totals[cell].items():
            for commodity, units in table.items():
                add_to(balances, account, commodity, units)
        if cells[index + 1 : index + 2] == [] or cells[index + 1][0] != cell[0]:
            yield cell[0], balances


def summed_balances(ledger: Ledger, game: str, period: int, known: int | None = None) -> Balances:
    """Return the balances at the close of *period*, as known at the close of *known*, or now.

    Raises:
        UnknownError, CorruptError: as in `sum_postings`.
        UsageError: *known* is before *period*.
    """
    check_times(game, period, known)
    upto = {cell: table for cell, table in sum_postings(ledger, game).items() if cell[0] <= period}
    tables = [balances for _, balances in cumulated(upto, known)]
    return tables[-1] if tables else {}
