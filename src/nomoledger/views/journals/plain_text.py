"""A game as a journal of hledger or ledger: one text, but for what they want said at the top.

Both take an assertion at its place in the file. So every close is followed by one for each account
that was touched, also where several periods close on one day.
"""

from collections.abc import Iterator
from json import dumps

from nomoledger import events as e
from nomoledger.views.journals.naming import SIGNS, one_line, symbol
from nomoledger.views.journals.source import (
    Dated,
    JournalSource,
    OpeningBalances,
    effective,
    exact,
    stamp,
)

TAGS = ("cause", "effective", "event", "period", "received_at", "rules")
_TAGGED = str.maketrans(",;[]", " ,()")


def hledger(source: JournalSource) -> Iterator[str]:
    """The journal for hledger, piece by piece."""
    return _PlainTextWriter(source, "decimal-mark .\n").pieces()


def ledger(source: JournalSource) -> Iterator[str]:
    """The journal for ledger, piece by piece."""
    return _PlainTextWriter(source, "".join(f"tag {each}\n" for each in TAGS)).pieces()


class _PlainTextWriter:
    def __init__(self, source: JournalSource, top: str) -> None:
        self.source = source
        self.chart = source.chart
        self.symbols = self.chart.called(symbol)
        self.balances = OpeningBalances()
        self.top = top

    def pieces(self) -> Iterator[str]:
        yield from self._declarations()
        for each in self.source.dated():
            if isinstance(each.body, e.PeriodClosed):
                yield self._close(each)
            elif each.body.postings:
                self.balances.take(each.body)
                yield self._transaction(each, each.body)

    def _declarations(self) -> Iterator[str]:
        yield self.top
        for name, called in self.symbols.items():
            yield f"\n; {dumps(name, ensure_ascii=False)}\ncommodity {called}\n"
        for account in sorted(self.chart.accounts.values(), key=lambda each: each.path):
            label = dumps(account.label, ensure_ascii=False)
            yield f"\n; {label}\naccount {account.path}\n"

    def _transaction(self, dated: Dated, body: e.Posted) -> str:
        cause = "" if body.cause is None else f"    ; cause: {body.cause}\n"
        rules = one_line(" ".join(body.rules)).translate(_TAGGED)
        return (
            f"\n{dated.day} * ({dated.number}) {one_line(body.why).replace(';', ',')}\n"
            f"    ; event: {dated.number}\n"
            f"    ; period: {body.period}\n"
            f"    ; effective: {effective(body)}\n"
            f"    ; received_at: {stamp(body.received_at)}\n"
            f"    ; rules: {rules}\n"
            f"{cause}{''.join(self._posting(*each) for each in _plainly(body))}"
        )

    def _posting(self, account: str, commodity: str, units: int) -> str:
        return f"    {self.chart.accounts[account].path}  {self._amount(commodity, units)}\n"

    def _close(self, closed: Dated) -> str:
        """A transaction that moves nothing, and asserts what was touched."""
        touched = self.balances.touched()
        head = f"\n{closed.day} * ({closed.number}) close of period {closed.body.period}\n"
        return head + "".join(map(self._assertion, touched)) if touched else ""

    def _assertion(self, touched: tuple[str, str, int]) -> str:
        account, commodity, units = touched
        holds = f"{self._amount(commodity, 0)} = {self._amount(commodity, units)}"
        return f"    {self.chart.accounts[account].path}  {holds}\n"

    def _amount(self, commodity: str, units: int) -> str:
        number, called = exact(units, self.chart.commodities[commodity]), self.symbols[commodity]
        return f"{called}{number}" if called in SIGNS else f"{number} {called}"


def _plainly(body: e.Posted) -> Iterator[tuple[str, str, int]]:
    for posting in body.postings:
        yield posting.account, posting.commodity, posting.amount
