"""board: every square, who owns it and who stands there, laid out where the rules say it lies."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nomoledger.errors import RuleFault
from nomoledger.game.read_models import Table, View
from nomoledger.prose.labels import format_cell, label_all

PIECES = ("player", "piece")
Place = tuple[int, int]


class BoardSquare(msgspec.Struct, frozen=True):
    """A square: *place* is how many squares east and north it lies, if the rules say so."""

    square: int | str
    name: str | None
    owner: str | None
    standing: tuple[str, ...]
    place: Place | None

    def lines(self) -> str:
        """What is written on it: its number and name, its owner, and who stands there."""
        head = f"{self.square} {self.name}" if self.name else str(self.square)
        owner = f"owner {self.owner}" if self.owner else ""
        lines = (head, owner, *(f"> {each}" for each in self.standing))
        return "\n".join(line for line in lines if line)


class BoardModel(msgspec.Struct, frozen=True):
    """All squares in their order; *note* says why they have no place, where they have none."""

    period: int
    squares: tuple[BoardSquare, ...]
    note: str | None = None

    def show(self) -> Iterator[Table | str]:
        """The board as it lies, north above; a list where the rules do not say how it lies."""
        if not self.squares:
            yield "there are no squares"
        elif all(each.place is not None for each in self.squares):
            yield self._grid()
        else:
            rows = tuple(
                (str(s.square), format_cell(s.name), format_cell(s.owner), format_cell(s.standing))
                for s in self.squares
            )
            yield Table(("square", "name", "owner", "standing there"), rows)
        if self.note is not None:
            yield self.note

    def _grid(self) -> Table:
        places = {each.place: each.lines() for each in self.squares if each.place is not None}
        east = sorted({place[0] for place in places})
        north = sorted({place[1] for place in places}, reverse=True)
        columns = range(east[0], east[-1] + 1)
        rows = tuple(tuple(places.get((x, y), "") for x in columns) for y in north)
        return Table((), rows, grid=True)


def board(view: View) -> BoardModel:
    """The board of *view*."""
    world = view.world
    squares = world.kinds.get("square", ())
    places, note = _places(view, squares)
    found = tuple(
        BoardSquare(
            square=label_all(world, square),
            name=world.get(square, "name"),
            owner=label_all(world, world.get(square, "owner")),
            standing=_standing(view, square),
            place=place,
        )
        for square, place in zip(squares, places, strict=True)
    )
    return BoardModel(view.period, found, note)


def _standing(view: View, square: str) -> tuple[str, ...]:
    there = [each for kind in PIECES for each in view.world.where(kind, "square", square)]
    return tuple(str(view.world.label(each)) for each in there)


def _places(view: View, squares: Sequence[str]) -> tuple[list[Place | None], str | None]:
    """Where each square lies: asked of the rules, which alone know."""
    nowhere: list[Place | None] = [None] * len(squares)
    try:
        found = view.values("place", [(square,) for square in squares])
    except RuleFault as fault:
        return nowhere, f"where squares lie cannot be told: {fault}"
    if found is None:
        return nowhere, None
    places = [_place(each) for each in found]
    known = [place for place in places if place is not None]
    if len(set(known)) < len(squares):
        return nowhere, None
    return places, None


def _place(value: Any) -> Place | None:
    if isinstance(value, list) and len(value) == 2 and all(isinstance(x, int) for x in value):
        return value[0], value[1]
    return None
