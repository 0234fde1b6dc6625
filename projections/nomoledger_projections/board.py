"""board: every square with its owner and pieces, laid out as the rules define."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nomoledger.errors import RuleFault
from nomoledger.game.read_models import Table, View
from nomoledger.prose.labels import format_cell, label_all
from nomoledger.state.world import World

#: The kinds whose things stand on squares whatever they are called. Others have names.
PIECES = ("player", "piece")
Place = tuple[int, int]


class BoardSquare(msgspec.Struct, frozen=True):
    """A square. *place* is its position, in squares east and north, if the rules define one."""

    square: int | str
    name: str | None
    owner: str | None
    standing: tuple[str, ...]
    place: Place | None

    def lines(self) -> str:
        """Return the text of the square: its key and name, its owner, and the pieces on it."""
        head = f"{self.square} {self.name}" if self.name else str(self.square)
        owner = f"owner {self.owner}" if self.owner else ""
        lines = (head, owner, *(f"> {piece}" for piece in self.standing))
        return "\n".join(line for line in lines if line)


class BoardModel(msgspec.Struct, frozen=True):
    """All squares in order. *note* says why they have no positions, if the rules failed."""

    period: int
    squares: tuple[BoardSquare, ...]
    note: str | None = None

    def show(self) -> Iterator[Table | str]:
        """Yield the board with north at the top, or a list if the rules define no positions."""
        if not self.squares:
            yield "there are no squares"
        elif all(square.place is not None for square in self.squares):
            yield self._grid()
        else:
            yield self._listed()
        if self.note is not None:
            yield self.note

    def _listed(self) -> Table:
        rows = tuple(
            (str(s.square), format_cell(s.name), format_cell(s.owner), format_cell(s.standing))
            for s in self.squares
        )
        return Table(("square", "name", "owner", "standing there"), rows)

    def _grid(self) -> Table:
        places = {s.place: s.lines() for s in self.squares if s.place is not None}
        east = sorted({place[0] for place in places})
        north = sorted({place[1] for place in places}, reverse=True)
        columns = range(east[0], east[-1] + 1)
        rows = tuple(tuple(places.get((x, y), "") for x in columns) for y in north)
        return Table((), rows, grid=True, narrow=self._listed())


def board(view: View) -> BoardModel:
    """Return the board of *view*."""
    world = view.world
    squares = world.kinds.get("square", ())
    places, note = _places(view, squares)
    owners = _owners(view, squares)
    kinds = _standing_kinds(world)
    rows = tuple(
        BoardSquare(
            square=label_all(world, square),
            name=world.get(square, "name"),
            owner=label_all(world, owner),
            standing=_standing(world, kinds, square),
            place=place,
        )
        for square, owner, place in zip(squares, owners, places, strict=True)
    )
    return BoardModel(view.period, rows, note)


def _owners(view: View, squares: Sequence[str]) -> list[Any]:
    """Return the owner of each square: as the rules compute it, if they say that this is shown."""
    world = view.world
    stored = [world.get(square, "owner") for square in squares]
    for rule in world.rules:
        if "square.owner" in rule.shown:
            try:
                shown = view.values(rule.shown["square.owner"], [(square,) for square in squares])
            except RuleFault:
                shown = None
            return stored if shown is None else shown
    return stored


def _standing_kinds(world: World) -> list[str]:
    """Return the kinds of what stands on squares: people, and other things with names."""
    named = [kind for kind in world.kinds if world.declared(kind).get("name") == "Text key"]
    return list(dict.fromkeys((*PIECES, *named)))


def _standing(world: World, kinds: Sequence[str], square: str) -> tuple[str, ...]:
    pieces = [piece for kind in kinds for piece in world.where(kind, "square", square)]
    return tuple(str(world.label(piece)) for piece in pieces)


def _places(view: View, squares: Sequence[str]) -> tuple[list[Place | None], str | None]:
    """Return the position of each square, as the rules compute it, and a note if they fail."""
    nowhere: list[Place | None] = [None] * len(squares)
    try:
        values = view.values("place", [(square,) for square in squares])
    except RuleFault as fault:
        return nowhere, f"the positions of squares cannot be computed: {fault}"
    if values is None:
        return nowhere, None
    places = [_place(value) for value in values]
    known = [place for place in places if place is not None]
    if len(set(known)) < len(squares):
        return nowhere, None
    return places, None


def _place(value: Any) -> Place | None:
    if isinstance(value, list) and len(value) == 2 and all(isinstance(x, int) for x in value):
        return value[0], value[1]
    return None
