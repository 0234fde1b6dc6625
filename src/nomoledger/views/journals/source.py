"""The source of a journal: the payments and closes of one game, read one by one."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import NamedTuple

from nomoledger import events as e
from nomoledger.errors import CorruptError
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.public_stream import public_events
from nomoledger.views.journals.chart_of_accounts import ChartOfAccounts


class Dated(NamedTuple):
    """A payment or the close of a period. Days never decrease from one to the next."""

    number: int
    day: date
    body: e.Posted | e.PeriodClosed


class JournalSource:
    """The payments of *game*. Only the chart of accounts is in memory: each use reads the game.

    If *is_public*, the source has public events only.

    Raises:
        UnknownError: The ledger has no such game.
        CorruptError: The game does not verify.
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
        """Yield the payments and closes in order."""
        day = date.min
        for entry in self._entries():
            if isinstance(entry.body, e.Posted | e.PeriodClosed):
                day = max(day, entry.body.received_at.date())
                yield Dated(entry.number, day, entry.body)

    def payments(self) -> Iterator[tuple[int, e.Posted]]:
        """Yield the payments, each with its event number."""
        for dated in self.dated():
            if isinstance(dated.body, e.Posted):
                yield dated.number, dated.body

    def first_day(self) -> date:
        """Return the day of the first payment or close."""
        return next((dated.day for dated in self.dated()), date.min)

    def _entries(self) -> Iterator[e.Entry]:
        entries = self._ledger.read(self.game, upto=self.head.number)
        return public_events(entries) if self.is_public else entries


class RunningBalances:
    """The balances of all accounts so far, in the smallest units."""

    def __init__(self) -> None:
        self._units: dict[tuple[str, str], int] = {}
        self._changed: dict[tuple[str, str], None] = {}

    def add(self, body: e.Posted) -> None:
        """Add a payment to the balances."""
        for posting in body.postings:
            key = posting.account, posting.commodity
            self._units[key] = self._units.get(key, 0) + posting.amount
            self._changed[key] = None

    def pop_changed(self) -> list[tuple[str, str, int]]:
        """Return account, commodity and units of the balances that changed since the last call."""
        balances = [(*key, self._units[key]) for key in self._changed]
        self._changed.clear()
        return balances


def exact(units: int, places: int) -> str:
    """Return *units* of the smallest size as a decimal number with all its *places*.

    >>> exact(-5, 2), exact(1250, 2), exact(7, 0), exact(0, 1)
    ('-0.05', '12.50', '7', '0.0')
    """
    digits = str(abs(units)).rjust(places + 1, "0")
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
    return ("-" if units < 0 else "") + (f"{whole}.{part}" if places else whole)


def effective(body: e.Posted) -> int:
    """Return the period of a payment: its own, or the earlier one that it corrects."""
    return body.period if body.effective is None else body.effective


def stamp(moment: datetime) -> str:
    """Return *moment* (in UTC) as ISO 8601 text."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
