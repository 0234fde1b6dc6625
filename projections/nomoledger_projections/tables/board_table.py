"""board: every square at the close of every period."""

from collections.abc import Iterator

from nomoledger.game.read_models import View
from nomoledger.views.sql.table import Column, Readings, Row
from nomoledger_projections.board import board
from nomoledger_projections.tables.cells import as_json


class BoardTable(Readings):
    """Squares: the owner, the pieces, and the position if the rules define one."""

    name = "board"
    about = "One square."
    own = (
        Column("place", "integer", "the position in the list of squares, from 1"),
        Column("square", "text", "the key of the square, usually a number"),
        Column("name", "text", "the name, if any"),
        Column("owner", "text", "the owner; null: nobody"),
        Column("standing", "json", "the players and pieces on the square: a list"),
        Column(
            "east", "integer", "the position, in squares to the east; null if no rule defines it"
        ),
        Column(
            "north", "integer", "the position, in squares to the north; null if no rule defines it"
        ),
    )
    key = ("place",)

    def rows(self, view: View) -> Iterator[Row]:
        """Return a row per square."""
        for place, square in enumerate(board(view).squares, 1):
            position = square.place or (None, None)
            texts = (_text(square.square), _text(square.name), _text(square.owner))
            yield place, *texts, as_json(square.standing), *position


def _text(value: object) -> str | None:
    return None if value is None else str(value)
