"""What was posted, read from the roll-up: any period as known in any other, without the events.

It is the money that really changed hands. Where a ruling is settled without (`--settle none`), a
closed period is known to have been another than what was posted for it: see `nomoledger.state.bitemporal`.
"""

from collections.abc import Iterator

from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.rollup import Balances, add_to
from nomoledger.state.bitemporal import check_times


def posted_balances(
    ledger: Ledger, game: str, period: int | None = None, known: int | None = None
) -> Balances:
    """What all postings for periods up to *period* come to, of those made up to period *known*.

    None is all of them. The cost is that of the cells, whatever the number of events.

    Raises:
        UsageError: *known* is before *period*.
    """
    check_times(game, period, known)
    ledger.secret(game)
    balances: Balances = {}
    for _, account, commodity, units in ledger.store.deltas(game, period, known):
        add_to(balances, account, commodity, units)
    return balances


def posted_balances_by_period(
    ledger: Ledger, game: str, known: int | None = None
) -> Iterator[tuple[int, Balances]]:
    """The same for every period for which something was posted, in one sum over all cells.

    The balances of one period become those of the next: each is to be read before that.
    """
    ledger.secret(game)
    balances: Balances = {}
    last: int | None = None
    for period, account, commodity, units in ledger.store.deltas(game, known, known):
        if last is not None and period != last:
            yield last, balances
        last = period
        add_to(balances, account, commodity, units)
    if last is not None:
        yield last, balances
