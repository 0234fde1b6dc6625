"""balances: what is in every account, by commodity."""

from collections.abc import Iterator

import msgspec

from nomoledger.game.read_models import Table, View
from nomoledger.language.values import Number, from_units


class BalanceSheet(msgspec.Struct, frozen=True):
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


def balances(view: View, posted: bool = False) -> BalanceSheet:
    """All accounts of *view*: the players in the order they joined, then the others by name.

    Where *posted*, what really changed hands: a correction that nobody paid for is left out.
    """
    world = view.world
    held = view.posted() if posted else world.balances
    declared = world.commodities()
    players = world.kinds.get("player", ())
    accounts = {
        str(world.label(account)): {
            name: from_units(held.get(account, {}).get(name, 0), each.places)
            for name, each in declared.items()
        }
        for account in (*players, *sorted(held.keys() - set(players)))
    }
    return BalanceSheet(view.period, tuple(declared), accounts)
