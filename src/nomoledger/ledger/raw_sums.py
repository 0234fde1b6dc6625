"""Sums up what the records of a game post in one pass over their raw rows, with nothing prepared.

No event is made: of each payment only what is summed is decoded, into the table of its period. So
it takes little longer than reading alone. `nomoledger.ledger.rollup_queries` answers the same at once,
from the roll-up; this is for ledgers that have none, and for checking one.
"""

from collections.abc import Iterator

import msgspec

from nomoledger.errors import CorruptError
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.rollup import POSTED, Balances, Sums, add, add_to, paid
from nomoledger.state.bitemporal import check_times


def sums(ledger: Ledger, game: str) -> Sums:
    """What all records of *game* post, by the period it is for and the one it was posted in.

    Raises:
        UnknownError: there is no such game.
        CorruptError: a record is missing or cannot be read.
    """
    last, found = ledger.head(game).number, Sums()
    try:
        add(found, map(paid, ledger.store.states(game, POSTED, last)))
        if ledger.store.count(game, last) == last + 1:
            return found
        why = "records are missing, or there are too many"
    except (msgspec.MsgspecError, TypeError) as error:
        why = f"unreadable posting: {error}"
    for _ in ledger.read(game, upto=last):  # says which record it is
        pass
    raise CorruptError(f"game {game!r}: {why}: verify it")


def summed_by_period(
    ledger: Ledger, game: str, known: int | None = None
) -> Iterator[tuple[int, Balances]]:
    """The balances at the close of every period for which something was posted.

    With *known*, those up to that period, as known at its close. The balances of one period become
    those of the next: each is to be read before that. Raises as `sums`.
    """
    return cumulated(sums(ledger, game), known)


def cumulated(found: Sums, known: int | None = None) -> Iterator[tuple[int, Balances]]:
    """As `summed_by_period`, of the sums that were *found*.

    >>> later = {(1, 1): {"Ann": {"$": 5}}, (1, 2): {"Ann": {"$": 2}}}
    >>> [balances for _, balances in cumulated(later, known=1)]
    [{'Ann': {'$': 5}}]
    """
    balances: Balances = {}
    cells = sorted(cell for cell in found if known is None or max(cell) <= known)
    for place, cell in enumerate(cells):
        for account, held in found[cell].items():
            for commodity, units in held.items():
                add_to(balances, account, commodity, units)
        if cells[place + 1 : place + 2] == [] or cells[place + 1][0] != cell[0]:
            yield cell[0], balances


def summed(ledger: Ledger, game: str, period: int, known: int | None = None) -> Balances:
    """The balances at the close of *period*, as known at the close of period *known*, or now.

    Raises as `sums`, and:
        UsageError: *known* is before *period*.
    """
    check_times(game, period, known)
    upto = {cell: held for cell, held in sums(ledger, game).items() if cell[0] <= period}
    all_told = [balances for _, balances in cumulated(upto, known)]
    return all_told[-1] if all_told else {}
