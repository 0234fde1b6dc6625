"""Account statements: the postings of each account in a period, and its balance."""

from collections.abc import Mapping

import msgspec

from nomoledger import events as e
from nomoledger.game.explanation.account_statement import AccountHistory, BalanceChange
from nomoledger.language.values import from_units
from nomoledger.prose.labels import format_cell
from nomoledger.prose.teller import Teller
from nomoledger.state.world import World
from nomoledger.views.site.corrections import CorrectedPeriod, Holding
from nomoledger.views.site.rule_pages import Link, RulePages
from nomoledger.views.site.site_paths import Ref, Slugs, folder_of


class StatementItem(msgspec.Struct, frozen=True):
    """A posting: its amount, the balance after it, and the input that led to it."""

    ref: Ref
    change: str
    balance: str
    what: str
    rules: tuple[Link, ...]
    because: Ref | None


class LateCorrection(msgspec.Struct, frozen=True):
    """How much a later *ruling* added to the closing balance of a statement."""

    ruling: int
    change: str


class StatementPage(msgspec.Struct, frozen=True):
    """The statement of an account for a period: opening balance, postings, closing balance.

    They are as published.

    Attributes:
        path: The path of the statement.
        earlier: The path of the statement that it continues.
        late: What later rulings added.
        known: The closing balance as it is known now.
    """

    account: str
    commodity: str
    anchor: str
    path: str
    before: str
    earlier: str | None
    items: tuple[StatementItem, ...]
    after: str
    late: tuple[LateCorrection, ...] = ()
    known: str = ""


class StatementPages:
    """The statements of all accounts, from public events.

    Attributes:
        is_told: Whether the postings of the period are shown, and not only balances.
    """

    is_told = True

    def __init__(self, ruleset: RulePages, teller: Teller) -> None:
        self.ruleset = ruleset
        self.teller = teller
        self.books = AccountHistory()
        self._slugs = Slugs()
        self._behind: dict[int, Ref | None] = {}
        self._items: dict[Holding, list[tuple[BalanceChange, StatementItem | None]]] = {}
        self._paths: dict[Holding, str] = {}

    def apply(self, entry: e.Entry, world: World, refs: Mapping[int, Ref]) -> None:
        """Apply the next event. *world* must hold the things that the event names."""
        number, body = entry.number, entry.body
        self._behind[number] = self._input_behind(body, refs)
        if not isinstance(body, e.Posted):
            return
        self.books.take(number, body)
        for key in {(posting.account, posting.commodity): None for posting in body.postings}:
            change = self.books.changes[key][-1]
            del self.books.changes[key][:-1]  # Only the balance is needed from now on.
            item = self._item(change, key, world, refs) if self.is_told else None
            self._items.setdefault(key, []).append((change, item))

    def _item(
        self, change: BalanceChange, key: Holding, world: World, refs: Mapping[int, Ref]
    ) -> StatementItem:
        others = ", ".join(map(self.teller.phrase, change.others))
        sides = f"{'from' if change.units > 0 else 'to'} {others}" if others else ""
        why = self.teller.without_identifiers(change.body.why)
        return StatementItem(
            ref=refs[change.event],
            change=_signed(change.units, key[1], world),
            balance=_units(change.balance, key[1], world),
            what=": ".join(part for part in (sides, why) if part),
            rules=self.ruleset.cited(change.body.rules),
            because=self._behind[change.event],
        )

    def _input_behind(self, body: e.Event, refs: Mapping[int, Ref]) -> Ref | None:
        """Return the input that led to an event, or the earliest public event before it."""
        if body.cause is None or body.cause not in refs:
            return None
        return self._behind.get(body.cause) or refs[body.cause]

    def close(
        self, period: int, world: World, corrected: CorrectedPeriod | None
    ) -> dict[Holding, StatementPage]:
        """Return the statements of *period*, and begin the next period with their balances.

        *world* is the state as published, and *corrected* how later rulings corrected it.
        """
        declared = world.commodities()
        corrected = corrected or CorrectedPeriod()
        statements = {key: self._statement(key, period, world, corrected) for key in self._items}
        self._items = {key: items[-1:] for key, items in self._items.items()}
        self._paths |= {key: statement.path for key, statement in statements.items()}
        return {key: page for key, page in statements.items() if key[1] in declared}

    def _statement(
        self, key: Holding, period: int, world: World, corrected: CorrectedPeriod
    ) -> StatementPage:
        account, commodity = key
        items = self._items[key]
        changes = [(change, item) for change, item in items if change.body.period == period]
        last = items[-1][0]
        first = changes[0][0] if changes else None
        before = last.balance if first is None else first.balance - first.units
        name = str(world.label(account))
        late = corrected.units_by(account, commodity)
        known = last.balance + sum(late.values())
        anchor = "a-" + self._slugs.of(key, f"{name}-{commodity}")
        return StatementPage(
            account=name,
            commodity=commodity,
            anchor=anchor,
            path=f"{folder_of(period)}accounts.html#{anchor}",
            before=_units(before, commodity, world),
            earlier=self._paths.get(key),
            items=tuple(item for _, item in changes if item is not None),
            after=_units(last.balance, commodity, world),
            late=tuple(
                LateCorrection(ruling, _signed(units, commodity, world))
                for ruling, units in late.items()
            ),
            known=_units(known, commodity, world),
        )


def _units(units: int, commodity: str, world: World) -> str:
    declared = world.commodities().get(commodity)
    return format_cell(from_units(units, 0 if declared is None else declared.places))


def _signed(units: int, commodity: str, world: World) -> str:
    return f"{'+' if units > 0 else ''}{_units(units, commodity, world)}"
