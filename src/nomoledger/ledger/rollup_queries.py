"""Posted balances from the roll-up: any period as known at the close of any other.

These balances are the money that really changed hands. A ruling with `--settle none` changes what
is known of a closed period without posting anything: see `nomoledger.state.bitemporal`.
"""

from collections.abc import Iterator

from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.rollup import Balances, add_to
from nomoledger.state.bitemporal import check_times


def posted_balances(
    ledger: Ledger, game: str, period: int | None = None, known: int | None = None
) -> Balances:
    """Return the sum of all postings for periods up to *period* made up to period *known*.

    None means all periods. The cost depends on the number of cells, not of events.

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
    """Yield every period that has postings, and its balances, in one pass over all cells.

    The iterator reuses one table of balances: finish with each period before advancing.
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
