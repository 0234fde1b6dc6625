"""What a journal is written from: the payments and closes of one game, read one by one."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import NamedTuple

from nomoledger import events as e
from nomoledger.errors import CorruptError
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.public_stream import public_events
from nomoledger.views.journals.chart_of_accounts import ChartOfAccounts


class Dated(NamedTuple):
    """A payment, or the close of a period; days never go back from one to the next."""

    number: int
    day: date
    body: e.Posted | e.PeriodClosed


class JournalSource:
    """The payments of *game*, read anew each time: nothing is kept but the chart of accounts.

    Where it *is_public*, it is made of nothing but what everybody may see.

    Raises:
        UnknownError: there is no such game.
        CorruptError: it is not what was written.
    """

    def __init__(self, ledger: Ledger, game: str, is_public: bool = False) -> None:
        verdict = ledger.verify(game)
        if not verdict.ok:
            raise CorruptError(f"game {game!r} cannot be exported: {verdict.detail}")
        self.game = game
        self.head = verdict.head
        self.is_public = is_public
        self._ledger = ledger
        self.chart = ChartOfAccounts(self._entries())

    def dated(self) -> Iterator[Dated]:
        """The payments and closes, in order."""
        day = date.min
        for entry in self._entries():
            if isinstance(entry.body, e.Posted | e.PeriodClosed):
                day = max(day, entry.body.received_at.date())
                yield Dated(entry.number, day, entry.body)

    def payments(self) -> Iterator[tuple[int, e.Posted]]:
        """The payments alone, each with its number."""
        for each in self.dated():
            if isinstance(each.body, e.Posted):
                yield each.number, each.body

    def first_day(self) -> date:
        """The day of the first payment or close."""
        return next((each.day for each in self.dated()), date.min)

    def _entries(self) -> Iterator[e.Entry]:
        entries = self._ledger.read(self.game, upto=self.head.number)
        return public_events(entries) if self.is_public else entries


class OpeningBalances:
    """What every account holds so far, in smallest units."""

    def __init__(self) -> None:
        self._units: dict[tuple[str, str], int] = {}
        self._touched: dict[tuple[str, str], None] = {}

    def take(self, body: e.Posted) -> None:
        """Take a payment in."""
        for posting in body.postings:
            key = posting.account, posting.commodity
            self._units[key] = self._units.get(key, 0) + posting.amount
            self._touched[key] = None

    def touched(self) -> list[tuple[str, str, int]]:
        """Account, commodity and units of all that was paid or given since this was last asked."""
        found = [(*key, self._units[key]) for key in self._touched]
        self._touched.clear()
        return found


def exact(units: int, places: int) -> str:
    """Smallest *units* as a decimal with all its *places*.

    >>> exact(-5, 2), exact(1250, 2), exact(7, 0), exact(0, 1)
    ('-0.05', '12.50', '7', '0.0')
    """
    digits = str(abs(units)).rjust(places + 1, "0")
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
    return ("-" if units < 0 else "") + (f"{whole}.{part}" if places else whole)


def effective(body: e.Posted) -> int:
    """The period that a payment belongs to: its own, or the earlier one that it puts right."""
    return body.period if body.effective is None else body.effective


def stamp(moment: datetime) -> str:
    """*moment* (UTC) as text."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
