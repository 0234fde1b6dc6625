"""balances: what is in every account, by commodity."""

from collections.abc import Iterator

import msgspec

from nomoledger.projecting import Table, View, holding
from nomoledger.rules.values import Number


class Balances(msgspec.Struct, frozen=True):
    """The amount of each commodity in each account; over all accounts each sums to zero."""

    period: int
    commodities: tuple[str, ...]
    accounts: dict[str, dict[str, Number]]

    def show(self) -> Iterator[Table | str]:
        """One table: an account a row, a commodity a column."""
        if not self.commodities:
            yield "the rules declare nothing that can be owned in quantity"
            return
        yield self.sheet()

    def sheet(self) -> Table:
        """A row an account, a column a commodity."""
        rows = tuple(
            (account, *(str(held[each]) for each in self.commodities))
            for account, held in self.accounts.items()
        )
        return Table(("account", *self.commodities), rows)


def balances(view: View) -> Balances:
    """All accounts of *view*: the players in the order they joined, then the others by name."""
    world = view.world
    commodities = tuple(world.commodities())
    players = world.kinds.get("player", ())
    others = sorted(set(world.balances) - set(players))
    accounts = {
        str(world.label(account)): {each: holding(world, account, each) for each in commodities}
        for account in (*players, *others)
    }
    return Balances(view.period, commodities, accounts)
