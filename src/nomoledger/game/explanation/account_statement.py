"""Accounts as statements: what came and went, posting by posting, and what that adds up to."""

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
from nomoledger.sandbox.child import Limits

#: As many postings of one period stand in a statement singly, unless all are asked for.
SINGLE_MAX = 40
MONEY = "money"


class BalanceChange(NamedTuple):
    """What one event did to an account, in smallest units; *others* are on the other side."""

    event: int
    body: e.Posted
    units: int
    balance: int
    others: tuple[str, ...]


class StatementRow(msgspec.Struct, frozen=True):
    """A posting (or, where *event* is None, *count* of them in sum), and the balance after it.

    *others* are the accounts on the other side, *because* the input that led to it.
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
    """How much of *commodity* there was in the account of *subject* at the end of *period*.

    It begins with nothing; the amounts of *rows* add up to *balance*. *why* tells of one posting.
    """

    subject: str
    commodity: str
    period: int
    balance: Number
    rows: tuple[StatementRow, ...]
    why: Explanation | None


class Books:
    """Keeps all accounts, change by change."""

    def __init__(self) -> None:
        self.changes: dict[tuple[str, str], list[BalanceChange]] = {}

    def take(self, number: int, body: e.Event) -> None:
        """Take event *number* in, where it posts something."""
        if not isinstance(body, e.Posted):
            return
        units: dict[tuple[str, str], int] = {}
        for posting in body.postings:
            key = posting.account, posting.commodity
            units[key] = units.get(key, 0) + posting.amount
        for key, change in units.items():
            known = self.changes.setdefault(key, [])
            balance = (known[-1].balance if known else 0) + change
            others = tuple(_opposite(units, key))
            known.append(BalanceChange(number, body, change, balance, others))


def _opposite(units: dict[tuple[str, str], int], key: tuple[str, str]) -> Iterator[str]:
    """Where it went, or came from."""
    for other, change in units.items():
        if other[1] == key[1] and other != key and change * units[key] <= 0:
            yield other[0]


def commodity_of(past: RecordedPast, thing: str, what: str) -> str | None:
    """The commodity that *what* means, where it is not an attribute of *thing*."""
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
    """The statement of an account, with one posting explained: the last, or that of *event*.

    The period of that posting stands in it posting by posting, the others in sum, unless the
    *whole* is asked for.

    Raises:
        UnknownError: there is no such account, or the event did nothing to it.
        RuleFault: rule code failed when it was run again.
    """
    thing, books = past.find(subject), Books()
    for number, body in enumerate(past.bodies):
        books.take(number, body)
    changes = books.changes.get((thing, commodity), [])
    told = next((c for c in changes[::-1] if event in (None, c.event)), None)
    if told is None and event is not None:
        raise UnknownError(f"{past.game}: #{event} did nothing to {commodity} of {subject}")
    places = past.world.commodities().get(commodity, Commodity()).places
    return AccountStatement(
        subject=str(past.names.label(thing)),
        commodity=commodity,
        period=past.period,
        balance=from_units(changes[-1].balance if changes else 0, places),
        rows=tuple(_rows(past, changes, places, None if whole else told)),
        why=None if told is None else explain_event(past, told.event, limits),
    )


def _rows(
    past: RecordedPast, changes: Iterable[BalanceChange], places: int, told: BalanceChange | None
) -> Iterator[StatementRow]:
    """*changes* as rows; where one is *told*, those far from it in sum."""
    for period, group in groupby(changes, lambda change: change.body.period):
        found = list(group)
        if told is not None and told.body.period != period:
            yield from _sum(past, found, places)
            continue
        before, single, after = _around(found, told)
        yield from _sum(past, before, places)
        yield from (_row(past, change, places) for change in single)
        yield from _sum(past, after, places)


def _around(
    changes: list[BalanceChange], told: BalanceChange | None
) -> tuple[list[BalanceChange], list[BalanceChange], list[BalanceChange]]:
    """Those that stand singly (*told* among them, else all), and what is before and after them."""
    if told is None:
        return [], changes, []
    start = max(0, changes.index(told) - SINGLE_MAX + 1)
    end = start + SINGLE_MAX
    return changes[:start], changes[start:end], changes[end:]


def _sum(
    past: RecordedPast, changes: Sequence[BalanceChange], places: int
) -> Iterator[StatementRow]:
    """One row for all *changes*, where there are several."""
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
        others=tuple(str(past.names.label(each)) for each in change.others),
        why=change.body.why,
        rules=change.body.rules,
        because=because,
        because_told="" if because is None else past.names.said(past.bodies[because]),
    )
