"""The chart of accounts: every account and commodity that is posted to, and what it is called."""

from collections.abc import Callable, Iterable

import msgspec

from nomoledger import events as e
from nomoledger.state.reducer import apply
from nomoledger.state.world import World
from nomoledger.views.journals.naming import component, numbered

#: What names things, and says how many decimal places a commodity has.
_NAMING = (
    *(e.EntityCreated, e.AttributeSet),
    *(e.RuleEnacted, e.RuleAmended, e.RuleRepealed, e.RuleRenumbered),
)


class JournalAccount(msgspec.Struct, frozen=True):
    """An account that is posted to.

    Attributes:
        label: what people call it, as no other account of the game.
        path: its name in journals: what a thing owns is among the assets, all else is equity.
    """

    label: str
    path: str


class ChartOfAccounts:
    """What the postings of a game speak of: as large as the game's state, not as its history.

    Attributes:
        accounts: by id, in the order in which they were first posted to.
        commodities: those posted, with the decimal places that each has now; money comes first.
        postings: how many there are. payments: events that hold them.
    """

    def __init__(self, entries: Iterable[e.Entry]) -> None:
        self.accounts: dict[str, JournalAccount] = {}
        self.commodities: dict[str, int] = {}
        self.postings = self.payments = 0
        self._world = World()
        self._places: dict[str, int] = {}
        self._gone: dict[str, tuple[str, str]] = {}
        for entry in entries:
            self._take(entry.body)
        self._keep_places()
        posted = {each: self._places.get(each, 0) for each in self.commodities}
        self.commodities = {
            name: places for name, places in (self._places | posted).items() if name in posted
        }
        self._call(tuple(self.accounts))

    def called(self, name: Callable[[str], str], length: int | None = None) -> dict[str, str]:
        """What *name* makes of each commodity, none like another."""
        found: dict[str, str] = {}
        for each in self.commodities:
            found[each] = numbered(name(each), {*found.values()}, length)
        return found

    def _take(self, body: e.Event) -> None:
        if isinstance(body, e.Posted):
            self._count(body)
        elif isinstance(body, _NAMING):
            if isinstance(body, e.RuleRepealed | e.RuleAmended):
                self._keep_places()
            apply(self._world, body)
        elif isinstance(body, e.EntityDestroyed) and body.entity in self._world.entities:
            self._gone[body.entity] = self._named(body.entity)
            apply(self._world, body)

    def _count(self, body: e.Posted) -> None:
        self.payments += 1
        self.postings += len(body.postings)
        for posting in body.postings:
            self.accounts.setdefault(posting.account, JournalAccount("", ""))
            self.commodities.setdefault(posting.commodity, 0)

    def _keep_places(self) -> None:
        """A commodity that no rule speaks of any more keeps its decimal places."""
        for name, each in self._world.commodities().items():
            self._places[name] = each.places

    def _named(self, account: str) -> tuple[str, str]:
        """What kind of thing it is (nothing: a mere account), and what people call it."""
        kind = self._world.entities.get(account)
        if kind is None:
            return self._gone.get(account, ("", account))
        return kind, str(self._world.label(account))

    def _call(self, accounts: Iterable[str]) -> None:
        labels: set[str] = set()
        paths: set[str] = set()
        for each in accounts:
            kind, label = self._named(each)
            root = f"Assets:{component(kind)}" if kind else "Equity"
            path = numbered(f"{root}:{component(label)}", paths)
            label = numbered(label, labels)
            labels.add(label)
            paths.add(path)
            self.accounts[each] = JournalAccount(label, path)
