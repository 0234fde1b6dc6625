"""board: every square at the close of every period."""

from collections.abc import Iterator

from nomoledger.game.read_models import View
from nomoledger.views.sql.table import Column, Readings, Row
from nomoledger_projections.board import board
from nomoledger_projections.tables.cells import as_json


class BoardTable(Readings):
    """A square: whose it is, who stands there, and where it lies if the rules say so."""

    name = "board"
    about = "One square."
    own = (
        Column("place", "integer", "the place in the order of the squares, from 1"),
        Column("square", "text", "what it is called: mostly a number"),
        Column("name", "text", "its name, where it has one"),
        Column("owner", "text", "whose it is; null: nobody's"),
        Column("standing", "json", "who stands there: a list"),
        Column("east", "integer", "how many squares east it lies; null where no rule says so"),
        Column("north", "integer", "how many squares north it lies; null where no rule says so"),
    )
    key = ("place",)

    def rows(self, view: View) -> Iterator[Row]:
        """A row a square."""
        for place, each in enumerate(board(view).squares, 1):
            lies = each.place or (None, None)
            texts = (_text(each.square), _text(each.name), _text(each.owner))
            yield place, *texts, as_json(each.standing), *lies


def _text(value: object) -> str | None:
    return None if value is None else str(value)
