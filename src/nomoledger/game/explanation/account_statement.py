"""Account statements: every posting of an account, and the balance."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.events.rules import Commodity
from nomoledger.game.explanation.causes import Explanation, explain_event
from nomoledger.game.explanation.recorded_past import RecordedPast
from nomoledger.language.values import Number, from_units
from nomoledger.sandbox.limits import Limits

#: The number of postings of one period that a statement lists singly, unless all are requested.
SINGLE_MAX = 40
MONEY = "money"


class BalanceChange(NamedTuple):
    """The effect of one event on an account.

    Attributes:
        event: number of the event.
        body: the event.
        units: the change in smallest units.
        balance: the balance after the event, in smallest units.
        others: the accounts on the other side.
    """

    event: int
    body: e.Posted
    units: int
    balance: int
    others: tuple[str, ...]


class StatementRow(msgspec.Struct, frozen=True):
    """A posting of an account, or the sum of several.

    Attributes:
        period: the period of the posting.
        event: number of the event; None for a sum.
        count: number of postings.
        amount: the change.
        balance: the balance afterwards.
        others: the accounts on the other side.
        why: the reason that players see.
        rules: the rules behind it.
        because: number of the input that led to it.
        because_told: that input in words.
    """

    period: int
    event: int | None
    count: int
    amount: Number
    balance: Number
    others: tuple[str, ...] = ()
    why: str = ""
    rules: tuple[str, ...] = ()
    because: int | None = None
    because_told: str = ""


class AccountStatement(msgspec.Struct, frozen=True):
    """The statement of one account in one commodity.

    Attributes:
        subject: the owner of the account.
        commodity: the commodity.
        period: the period at whose end it is made.
        balance: the balance then: the sum of the amounts of *rows*.
        rows: the postings, from the first one on.
        why: the explanation of one posting.
    """

    subject: str
    commodity: str
    period: int
    balance: Number
    rows: tuple[StatementRow, ...]
    why: Explanation | None


class AccountHistory:
    """The changes of all accounts."""

    def __init__(self) -> None:
        """Begin with empty accounts."""
        self.changes: dict[tuple[str, str], list[BalanceChange]] = {}

    def take(self, number: int, body: e.Event) -> None:
        """Record event *number*, if it is a posting."""
        if not isinstance(body, e.Posted):
            return
        units: dict[tuple[str, str], int] = {}
        for posting in body.postings:
            key = posting.account, posting.commodity
            units[key] = units.get(key, 0) + posting.amount
        for key, change in units.items():
            account_changes = self.changes.setdefault(key, [])
            balance = (account_changes[-1].balance if account_changes else 0) + change
            others = tuple(_opposite(units, key))
            account_changes.append(BalanceChange(number, body, change, balance, others))


def _opposite(units: dict[tuple[str, str], int], key: tuple[str, str]) -> Iterator[str]:
    """Yield the accounts on the other side."""
    for other, change in units.items():
        if other[1] == key[1] and other != key and change * units[key] <= 0:
            yield other[0]


def commodity_of(past: RecordedPast, thing: str, what: str) -> str | None:
    """Return the commodity that *what* means; None if it is an attribute of *thing*."""
    commodities = past.world.commodities()
    if what == MONEY and past.world.get(thing, what) is None:
        return next(iter(commodities), None)
    return what if what in commodities else None


def explain_account(
    past: RecordedPast,
    subject: str,
    commodity: str,
    *,
    event: int | None = None,
    whole: bool = False,
    limits: Limits | None = None,
) -> AccountStatement:
    """Return the statement of an account, and explain one posting: the last, or that of *event*.

    The period of that posting is listed posting by posting, other periods as sums; with *whole*,
    all postings are listed.

    Raises:
        UnknownError: there is no such account, or the event did not change it.
        RuleFault: rule code failed when it was run again.
    """
    thing, books = past.find(subject), AccountHistory()
    for number, body in enumerate(past.bodies):
        books.take(number, body)
    changes = books.changes.get((thing, commodity), [])
    explained = next((change for change in changes[::-1] if event in (None, change.event)), None)
    if explained is None and event is not None:
        raise UnknownError(f"{past.game}: #{event} did not change {commodity} of {subject}")
    places = past.world.commodities().get(commodity, Commodity()).places
    return AccountStatement(
        subject=str(past.names.label(thing)),
        commodity=commodity,
        period=past.period,
        balance=from_units(changes[-1].balance if changes else 0, places),
        rows=tuple(_rows(past, changes, places, None if whole else explained)),
        why=None if explained is None else explain_event(past, explained.event, limits),
    )


def _rows(
    past: RecordedPast,
    changes: Iterable[BalanceChange],
    places: int,
    explained: BalanceChange | None,
) -> Iterator[StatementRow]:
    """Yield *changes* as rows; if one is *explained*, those far from it as sums."""
    for period, group in groupby(changes, lambda change: change.body.period):
        period_changes = list(group)
        if explained is not None and explained.body.period != period:
            yield from _sum(past, period_changes, places)
            continue
        before, single, after = _around(period_changes, explained)
        yield from _sum(past, before, places)
        yield from (_row(past, change, places) for change in single)
        yield from _sum(past, after, places)


def _around(
    changes: list[BalanceChange], explained: BalanceChange | None
) -> tuple[list[BalanceChange], list[BalanceChange], list[BalanceChange]]:
    """Return the changes before, those listed singly, and those after.

    All are listed singly if none is *explained*.
    """
    if explained is None:
        return [], changes, []
    start = max(0, changes.index(explained) - SINGLE_MAX + 1)
    end = start + SINGLE_MAX
    return changes[:start], changes[start:end], changes[end:]


def _sum(
    past: RecordedPast, changes: Sequence[BalanceChange], places: int
) -> Iterator[StatementRow]:
    """Yield one row for all *changes*, if there are several."""
    if len(changes) < 2:
        yield from (_row(past, change, places) for change in changes)
        return
    yield StatementRow(
        period=changes[-1].body.period,
        event=None,
        count=len(changes),
        amount=from_units(sum(change.units for change in changes), places),
        balance=from_units(changes[-1].balance, places),
    )


def _row(past: RecordedPast, change: BalanceChange, places: int) -> StatementRow:
    because = next(iter(reversed(list(past.causes(change.event)))), None)
    return StatementRow(
        period=change.body.period,
        event=change.event,
        count=1,
        amount=from_units(change.units, places),
        balance=from_units(change.balance, places),
        others=tuple(map(past.names.phrase, change.others)),
        why=past.names.without_identifiers(change.body.why),
        rules=change.body.rules,
        because=because,
        because_told="" if because is None else past.names.tell(past.bodies[because]),
    )
