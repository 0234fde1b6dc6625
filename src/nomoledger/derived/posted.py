"""What was posted, read from the roll-up: any period as known in any other, without the events.

It is the money that really changed hands. Where a ruling is settled without (`--settle none`), a
closed period is known to have been another than what was posted for it: see `nomoledger.known`.
"""

from collections.abc import Iterator

from nomoledger.errors import UsageError
from nomoledger.ledger import Ledger

#: Per account, units of each commodity.
Balances = dict[str, dict[str, int]]


def posted(
    ledger: Ledger, game: str, period: int | None = None, known: int | None = None
) -> Balances:
    """What all postings for periods up to *period* come to, of those made up to period *known*.

    None is all of them. The cost is that of the cells, whatever the number of events.

    Raises:
        UsageError: *known* is before *period*.
    """
    if known is not None and (period is None or known < period):
        raise UsageError(f"{game}: period {period} was not over at the close of period {known}")
    ledger.secret(game)
    balances: Balances = {}
    for _, account, commodity, units in ledger.store.deltas(game, period, known):
        _add(balances, account, commodity, units)
    return balances


def posted_by_period(
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
        _add(balances, account, commodity, units)
    if last is not None:
        yield last, balances


def _add(balances: Balances, account: str, commodity: str, units: int) -> None:
    table = balances.setdefault(account, {})
    table[commodity] = table.get(commodity, 0) + units
