"""The chart of accounts: every account and commodity with postings, and their names."""

from collections.abc import Callable, Iterable

import msgspec

from nomoledger import events as e
from nomoledger.state.reducer import apply
from nomoledger.state.world import World
from nomoledger.views.journals.naming import component, numbered

#: The events that set names, or the decimal places of a commodity.
_NAMING = e.EntityCreated | e.AttributeSet | e.RuleEvent


class JournalAccount(msgspec.Struct, frozen=True):
    """An account with postings.

    Attributes:
        label: The account's name in the game, made unique.
        path: The account's name in journals: an asset if a thing owns the account, else equity.
    """

    label: str
    path: str


class ChartOfAccounts:
    """The accounts and commodities of a game's postings. Its size does not grow with history.

    Attributes:
        accounts: The accounts by id, in the order of their first postings.
        commodities: The posted commodities with their current decimal places, money first.
        postings: The number of postings.
        payments: The number of events with postings.
    """

    def __init__(self, entries: Iterable[e.Entry]) -> None:
        self.accounts: dict[str, JournalAccount] = {}
        self.commodities: dict[str, int] = {}
        self.postings = self.payments = 0
        self._world = World()
        self._places: dict[str, int] = {}
        self._destroyed: dict[str, tuple[str, str]] = {}
        for entry in entries:
            self._apply(entry.body)
        self._remember_places()
        posted = {name: self._places.get(name, 0) for name in self.commodities}
        self.commodities = {
            name: places for name, places in (self._places | posted).items() if name in posted
        }
        self._name_accounts(tuple(self.accounts))

    def commodity_names(
        self, convert: Callable[[str], str], length: int | None = None
    ) -> dict[str, str]:
        """Return a unique name for each commodity, as *convert* makes it from the original."""
        names: dict[str, str] = {}
        for commodity in self.commodities:
            names[commodity] = numbered(convert(commodity), {*names.values()}, length)
        return names

    def _apply(self, body: e.Event) -> None:
        if isinstance(body, e.Posted):
            self._count(body)
        elif isinstance(body, _NAMING):
            if isinstance(body, e.RuleRepealed | e.RuleAmended):
                self._remember_places()
            apply(self._world, body)
        elif isinstance(body, e.EntityDestroyed) and body.entity in self._world.entities:
            self._destroyed[body.entity] = self._kind_and_label(body.entity)
            apply(self._world, body)

    def _count(self, body: e.Posted) -> None:
        self.payments += 1
        self.postings += len(body.postings)
        for posting in body.postings:
            self.accounts.setdefault(posting.account, JournalAccount("", ""))
            self.commodities.setdefault(posting.commodity, 0)

    def _remember_places(self) -> None:
        """Remember the decimal places of commodities, for when no rule declares them any more."""
        for name, commodity in self._world.commodities().items():
            self._places[name] = commodity.places

    def _kind_and_label(self, account: str) -> tuple[str, str]:
        """Return the kind of the account's owner (empty for none), and the label."""
        kind = self._world.entities.get(account)
        if kind is None:
            return self._destroyed.get(account, ("", account))
        return kind, str(self._world.label(account))

    def _name_accounts(self, accounts: Iterable[str]) -> None:
        labels: set[str] = set()
        paths: set[str] = set()
        for account in accounts:
            kind, label = self._kind_and_label(account)
            root = f"Assets:{component(kind)}" if kind else "Equity"
            path = numbered(f"{root}:{component(label)}", paths)
            label = numbered(label, labels)
            labels.add(label)
            paths.add(path)
            self.accounts[account] = JournalAccount(label, path)
