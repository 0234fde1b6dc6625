"""What came into each account and went out of it in a period, and what that adds up to."""

from collections.abc import Iterator, Mapping

import msgspec

from nomoledger import events as e
from nomoledger.game.explanation.account_statement import BalanceChange, Books
from nomoledger.language.values import from_units
from nomoledger.prose.labels import describe_thing, format_cell
from nomoledger.state.world import World
from nomoledger.views.site.names import Ref, Slugs, folder_of
from nomoledger.views.site.rule_pages import Link, RulePages

#: An account, and the commodity in it.
Holding = tuple[str, str]


class Item(msgspec.Struct, frozen=True):
    """A posting: how much came (or went), what there was then, and the input that led to it."""

    ref: Ref
    change: str
    balance: str
    what: str
    rules: tuple[Link, ...]
    because: Ref | None


class StatementPage(msgspec.Struct, frozen=True):
    """An account in a period: *before* it, posting by posting, and *after*.

    *path* leads to it, and *earlier* to the statement that it goes on from.
    """

    account: str
    commodity: str
    anchor: str
    path: str
    before: str
    earlier: str | None
    items: tuple[Item, ...]
    after: str


class StatementPages:
    """All accounts, from the public events."""

    def __init__(self, ruleset: RulePages) -> None:
        self.ruleset = ruleset
        self.books = Books()
        self._slugs = Slugs()
        self._causes: dict[int, int | None] = {}
        self._items: dict[Holding, list[tuple[BalanceChange, Item]]] = {}
        self._paths: dict[Holding, str] = {}

    def take(self, entry: e.Entry, world: World, refs: Mapping[int, Ref]) -> None:
        """Take in the next event, in a *world* in which what it speaks of has its name."""
        number, body = entry.number, entry.body
        self._causes[number] = body.cause
        self.books.take(number, body)
        if not isinstance(body, e.Posted):
            return
        for key in {(each.account, each.commodity): None for each in body.postings}:
            change = self.books.changes[key][-1]
            self._items.setdefault(key, []).append((change, self._item(change, key, world, refs)))

    def _item(
        self, change: BalanceChange, key: Holding, world: World, refs: Mapping[int, Ref]
    ) -> Item:
        told = _units(change.units, key[1], world)
        others = ", ".join(str(describe_thing(world, each)) for each in change.others)
        sides = f"{'from' if change.units > 0 else 'to'} {others}" if others else ""
        return Item(
            ref=refs[change.event],
            change=f"+{told}" if change.units > 0 else told,
            balance=_units(change.balance, key[1], world),
            what=": ".join(each for each in (sides, change.body.why) if each),
            rules=self.ruleset.cited(change.body.rules),
            because=self._input_behind(change.event, refs),
        )

    def _input_behind(self, number: int, refs: Mapping[int, Ref]) -> Ref | None:
        """The input that led to an event, or as far back as everybody may see."""
        found = None
        cause = self._causes[number]
        while cause is not None and cause in refs:
            found, cause = refs[cause], self._causes[cause]
        return found

    def close(self, period: int, world: World) -> dict[Holding, StatementPage]:
        """The statements of *period*, by account and commodity, which the next begin from."""
        declared = world.commodities()
        found = {key: self._statement(key, period, world) for key in self._items}
        self._items = {key: items[-1:] for key, items in self._items.items()}
        self._paths |= {key: each.path for key, each in found.items()}
        return {key: each for key, each in found.items() if key[1] in declared}

    def _statement(self, key: Holding, period: int, world: World) -> StatementPage:
        account, commodity = key
        known = self._items[key]
        changes = [(change, item) for change, item in known if change.body.period == period]
        last = known[-1][0]
        first = changes[0][0] if changes else None
        before = last.balance if first is None else first.balance - first.units
        name = str(world.label(account))
        anchor = "a-" + self._slugs.of(key, f"{name}-{commodity}")
        return StatementPage(
            account=name,
            commodity=commodity,
            anchor=anchor,
            path=f"{folder_of(period)}accounts.html#{anchor}",
            before=_units(before, commodity, world),
            earlier=self._paths.get(key),
            items=tuple(item for _, item in changes),
            after=_units(last.balance, commodity, world),
        )


def _units(units: int, commodity: str, world: World) -> str:
    declared = world.commodities().get(commodity)
    return format_cell(from_units(units, 0 if declared is None else declared.places))


def by_account(
    statements: Mapping[Holding, StatementPage], accounts: list[str]
) -> Iterator[StatementPage]:
    """*statements* in the order of the accounts."""
    for account in accounts:
        yield from (each for key, each in statements.items() if key[0] == account)
