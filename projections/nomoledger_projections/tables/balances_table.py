"""balances: what is in every account at the close of every period."""

from collections.abc import Iterator

from nomoledger.game.read_models import View
from nomoledger.views.sql.table import Column, Readings, Row
from nomoledger_projections.balances import balances


class BalancesTable(Readings):
    """What is in an account, of one commodity; over all accounts each comes to zero."""

    name = "balances"
    about = "What is in one account, of one commodity."
    own = (
        Column("account", "text", "whose account, as people call it"),
        Column("commodity", "text", "what is in it"),
        Column("amount", "number", "how much, as people write it"),
    )
    key = ("account", "commodity")

    def rows(self, view: View) -> Iterator[Row]:
        """A row an account and commodity."""
        for account, held in balances(view).accounts.items():
            for commodity, amount in held.items():
                yield account, commodity, amount
