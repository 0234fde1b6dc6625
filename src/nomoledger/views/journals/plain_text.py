"""Writes a game as a journal of hledger or ledger. The two differ at the top of the file only.

Both tools check an assertion at its place in the file. So every close is followed by an assertion
for each changed account, even if several periods close on one day.
"""

from collections.abc import Iterator
from json import dumps

from nomoledger import events as e
from nomoledger.views.journals.naming import SIGNS, one_line, symbol
from nomoledger.views.journals.source import (
    Dated,
    JournalSource,
    RunningBalances,
    effective,
    exact,
    stamp,
)

TAGS = ("cause", "effective", "event", "period", "received_at", "rules")
_TAGGED = str.maketrans(",;[]", " ,()")


def hledger(source: JournalSource) -> Iterator[str]:
    """Yield the text of the journal for hledger in pieces."""
    return _PlainTextWriter(source, "decimal-mark .\n").pieces()


def ledger(source: JournalSource) -> Iterator[str]:
    """Yield the text of the journal for ledger in pieces."""
    return _PlainTextWriter(source, "".join(f"tag {tag}\n" for tag in TAGS)).pieces()


class _PlainTextWriter:
    def __init__(self, source: JournalSource, top: str) -> None:
        self.source = source
        self.chart = source.chart
        self.symbols = self.chart.commodity_names(symbol)
        self.balances = RunningBalances()
        self.top = top

    def pieces(self) -> Iterator[str]:
        yield from self._declarations()
        for dated in self.source.dated():
            if isinstance(dated.body, e.PeriodClosed):
                yield self._close(dated)
            elif dated.body.postings:
                self.balances.add(dated.body)
                yield self._transaction(dated, dated.body)

    def _declarations(self) -> Iterator[str]:
        yield self.top
        for name, symbol_name in self.symbols.items():
            yield f"\n; {dumps(name, ensure_ascii=False)}\ncommodity {symbol_name}\n"
        for account in sorted(self.chart.accounts.values(), key=lambda account: account.path):
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
            f"{cause}{''.join(self._posting(*posting) for posting in _postings(body))}"
        )

    def _posting(self, account: str, commodity: str, units: int) -> str:
        return f"    {self.chart.accounts[account].path}  {self._amount(commodity, units)}\n"

    def _close(self, closed: Dated) -> str:
        """Return a transaction of zero amounts that asserts the changed balances."""
        changed = self.balances.pop_changed()
        head = f"\n{closed.day} * ({closed.number}) close of period {closed.body.period}\n"
        return head + "".join(map(self._assertion, changed)) if changed else ""

    def _assertion(self, balance: tuple[str, str, int]) -> str:
        account, commodity, units = balance
        assertion = f"{self._amount(commodity, 0)} = {self._amount(commodity, units)}"
        return f"    {self.chart.accounts[account].path}  {assertion}\n"

    def _amount(self, commodity: str, units: int) -> str:
        number, name = exact(units, self.chart.commodities[commodity]), self.symbols[commodity]
        return f"{name}{number}" if name in SIGNS else f"{number} {name}"


def _postings(body: e.Posted) -> Iterator[tuple[str, str, int]]:
    for posting in body.postings:
        yield posting.account, posting.commodity, posting.amount
