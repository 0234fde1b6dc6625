"""standings: the players in order of money at the close of every period."""

from collections.abc import Iterator

from nomoledger.game.read_models import View
from nomoledger.views.sql.table import Column, Readings, Row
from nomoledger_projections.standings import ranked
from nomoledger_projections.tables.cells import as_json


class StandingsTable(Readings):
    """Standings of players."""

    name = "standings"
    about = "The standing of one player."
    own = (
        Column("place", "integer", "the position in the list, from 1; no two players share one"),
        Column("player", "text", "the player"),
        Column("rank", "integer", "the rank; players with equal money share one"),
        Column("money", "number", "the player's money; null if the rules declare none"),
        Column("squares", "integer", "the number of squares that the player owns"),
        Column("owned", "json", "the squares that the player owns: a list of their keys"),
    )
    key = ("place",)

    def rows(self, view: View) -> Iterator[Row]:
        """Return a row per player, the richest first."""
        for place, row in enumerate(ranked(view.world), 1):
            yield place, row.player, row.rank, row.money, row.squares, as_json(row.owned)
