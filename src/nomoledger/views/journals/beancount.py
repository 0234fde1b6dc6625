"""Writes a game as a beancount file.

Beancount checks a balance at the beginning of a day. So a balance assertion is dated the day after
a close, and states the balance at the end of the day of the close, including later payments of
that day.
"""

from collections.abc import Iterator
from datetime import date, timedelta

from nomoledger import events as e
from nomoledger.views.journals.naming import (
    CURRENCY_LENGTH_MAX,
    RESERVED,
    currency,
    numbered,
    quoted,
)
from nomoledger.views.journals.source import (
    Dated,
    JournalSource,
    RunningBalances,
    effective,
    exact,
    stamp,
)


def lines(source: JournalSource) -> Iterator[str]:
    """Yield the text of the file in pieces."""
    return _BeancountWriter(source).pieces()


class _BeancountWriter:
    def __init__(self, source: JournalSource) -> None:
        self.source = source
        self.chart = source.chart
        self.currencies = self.chart.commodity_names(_currency, CURRENCY_LENGTH_MAX)
        self.balances = RunningBalances()

    def pieces(self) -> Iterator[str]:
        yield from self._declarations()
        closed: Dated | None = None
        for dated in self.source.dated():
            if closed is not None and dated.day > closed.day:
                yield from self._assertions(closed)
                closed = None
            if isinstance(dated.body, e.PeriodClosed):
                closed = dated
            elif dated.body.postings:
                self.balances.add(dated.body)
                yield self._transaction(dated, dated.body)
        if closed is not None:
            yield from self._assertions(closed)

    def _declarations(self) -> Iterator[str]:
        day = self.source.first_day()
        yield f'option "title" {quoted(self.source.game)}\n'
        for name in self.chart.commodities:
            yield f'option "operating_currency" "{self.currencies[name]}"\n'
            break
        for name, currency_name in self.currencies.items():
            yield f"\n{day} commodity {currency_name}\n  name: {quoted(name)}\n"
        for account in sorted(self.chart.accounts.values(), key=lambda account: account.path):
            yield f"\n{day} open {account.path}\n  name: {quoted(account.label)}\n"

    def _transaction(self, dated: Dated, body: e.Posted) -> str:
        cause = "" if body.cause is None else f"  cause: {body.cause}\n"
        return (
            f"\n{dated.day} * {quoted(body.why)}\n"
            f"  event: {dated.number}\n"
            f"  period: {body.period}\n"
            f"  effective: {effective(body)}\n"
            f'  received_at: "{stamp(body.received_at)}"\n'
            f"  rules: {quoted(' '.join(body.rules))}\n"
            f"{cause}{''.join(map(self._posting, body.postings))}"
        )

    def _posting(self, posting: e.Posting) -> str:
        number = exact(posting.amount, self.chart.commodities[posting.commodity])
        path = self.chart.accounts[posting.account].path
        return f"  {path}  {number} {self.currencies[posting.commodity]}\n"

    def _assertions(self, closed: Dated) -> Iterator[str]:
        """Assert the balances that changed. `~ 0` makes beancount check them exactly."""
        if closed.day == date.max:  # a balance is asserted on the next day, and there is none
            return
        day, period = closed.day + timedelta(days=1), closed.body.period
        yield f"\n; what there was at the end of {closed.day}, when period {period} closed\n"
        for account, commodity, units in self.balances.pop_changed():
            number = exact(units, self.chart.commodities[commodity])
            path, name = self.chart.accounts[account].path, self.currencies[commodity]
            yield f"{day} balance {path}  {number} ~ 0 {name}\n  closed: {period}\n"


def _currency(name: str) -> str:
    return numbered(currency(name), RESERVED)
