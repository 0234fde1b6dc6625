"""balances: the balance of every account at the close of every period."""

from collections.abc import Iterator

from nomoledger.game.read_models import View
from nomoledger.views.sql.table import Column, Readings, Row
from nomoledger_projections.balances import balances


class BalancesTable(Readings):
    """Balances of accounts. The balances of each commodity sum to zero."""

    name = "balances"
    about = "The balance of one account in one commodity."
    own = (
        Column("account", "text", "the name of the account"),
        Column("commodity", "text", "the commodity"),
        Column("amount", "number", "the balance, in whole units of the commodity"),
    )
    key = ("account", "commodity")

    def rows(self, view: View) -> Iterator[Row]:
        """Return a row per account and commodity."""
        for account, held in balances(view).accounts.items():
            for commodity, amount in held.items():
                yield account, commodity, amount
