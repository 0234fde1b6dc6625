"""standings: the players by money at the close of every period."""

from collections.abc import Iterator

from nomoledger.game.read_models import View
from nomoledger.views.sql.table import Column, Readings, Row
from nomoledger_projections.standings import ranked
from nomoledger_projections.tables.cells import as_json


class StandingsTable(Readings):
    """Where a player stands."""

    name = "standings"
    about = "Where one player stands."
    own = (
        Column("place", "integer", "the place in the list, from 1; no two share one"),
        Column("player", "text", "who"),
        Column("rank", "integer", "the rank; the same where money is the same"),
        Column("money", "number", "how much money; null where the rules know none"),
        Column("squares", "integer", "how many squares are theirs"),
        Column("owned", "json", "which: a list of what the squares are called"),
    )
    key = ("place",)

    def rows(self, view: View) -> Iterator[Row]:
        """A row a player, the richest first."""
        for place, each in enumerate(ranked(view.world), 1):
            owned = as_json(each.owned)
            yield place, each.player, each.rank, each.money, each.squares, owned
