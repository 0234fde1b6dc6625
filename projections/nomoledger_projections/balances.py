"""balances: the balance of every account, by commodity."""

from collections.abc import Iterator

import msgspec

from nomoledger.game.read_models import Table, View
from nomoledger.language.values import Number, from_units


class BalanceSheet(msgspec.Struct, frozen=True):
    """The amount of each commodity in each account. The amounts of a commodity sum to zero."""

    period: int
    commodities: tuple[str, ...]
    accounts: dict[str, dict[str, Number]]

    def show(self) -> Iterator[Table | str]:
        """Yield one table with a row per account and a column per commodity."""
        if not self.commodities:
            yield "the rules declare nothing that can be owned in quantity"
            return
        yield self.sheet()

    def sheet(self) -> Table:
        """Return a row per account, with a column per commodity."""
        rows = tuple(
            (account, *(str(held[commodity]) for commodity in self.commodities))
            for account, held in self.accounts.items()
        )
        return Table(("account", *self.commodities), rows)


def balances(view: View, posted: bool = False) -> BalanceSheet:
    """Return all accounts of *view*: the players in the order of joining, then the others by name.

    With *posted*, the balances are sums of postings, without corrections that nobody paid.
    """
    world = view.world
    held = view.posted() if posted else world.balances
    declared = world.commodities()
    players = world.kinds.get("player", ())
    accounts = {
        str(world.label(account)): {
            name: from_units(held.get(account, {}).get(name, 0), commodity.places)
            for name, commodity in declared.items()
        }
        for account in (*players, *sorted(held.keys() - set(players)))
    }
    return BalanceSheet(view.period, tuple(declared), accounts)
