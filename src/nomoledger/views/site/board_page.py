"""The page of the board: its squares, laid out as the rules of the period define."""

from typing import Any

import msgspec

from nomoledger.prose.labels import format_cell
from nomoledger.views.site.figures import Figure, Figures, PlayerLink
from nomoledger.views.site.public_view import PublicView, model_of

COLUMNS_MAX = 200


class SquareOnPage(msgspec.Struct, frozen=True):
    """A square with its *key*, its attributes by name, and the players and pieces on it."""

    anchor: str
    called: str
    key: Figure | None
    attributes: dict[str, Figure]
    standing: tuple[tuple[str, PlayerLink | None, Figure | None], ...]


class BoardPage(msgspec.Struct, frozen=True):
    """The squares in order.

    Attributes:
        grid: The rows of squares from north to south; empty if the squares have no positions.
        columns: The attributes that at least one square has.
        note: Why the squares have no positions, if the rules failed.
    """

    squares: tuple[SquareOnPage, ...]
    grid: tuple[tuple[SquareOnPage | None, ...], ...]
    columns: tuple[str, ...]
    note: str | None = None


def board_of(view: PublicView, figures: Figures) -> BoardPage:
    """Return the board in *view*."""
    model = model_of("board", view)
    entities = view.world.kinds.get("square", ())
    key = view.world.key_of("square")
    squares = tuple(
        _square(figures, entity, place, square, key)
        for place, (entity, square) in enumerate(zip(entities, model.squares, strict=True))
    )
    names = dict.fromkeys(name for square in squares for name in square.attributes)
    places = [square.place for square in model.squares]
    return BoardPage(squares, _grid(squares, places), tuple(names), model.note)


def _square(figures: Figures, entity: str, place: int, model: Any, key: str) -> SquareOnPage:
    world = figures.world
    names = [*world.declared("square"), *world.attributes.get(entity, {})]
    attributes = {n: figures.attribute(entity, n) for n in dict.fromkeys(names) if n != key}
    return SquareOnPage(
        anchor=f"square-{place + 1}",
        called=format_cell(model.square),
        key=figures.attribute(entity, key),
        attributes={name: figure for name, figure in attributes.items() if figure is not None},
        standing=tuple(_piece(figures, name) for name in model.standing),
    )


def _piece(figures: Figures, name: str) -> tuple[str, PlayerLink | None, Figure | None]:
    """Return the name of a player or piece, the player if any, and the figure of its square."""
    world = figures.world
    player = world.find("player", name)
    if player is not None:
        return name, figures.person(player), figures.attribute(player, "square")
    found = (world.find(kind, name) for kind in world.kinds if "square" in world.declared(kind))
    piece = next((each for each in found if each is not None), None)
    return name, None, figures.attribute(piece, "square") if piece else None


def _grid(
    squares: tuple[SquareOnPage, ...], places: list[tuple[int, int] | None]
) -> tuple[tuple[SquareOnPage | None, ...], ...]:
    by_place = {place: square for place, square in zip(places, squares, strict=True) if place}
    if not squares or len(by_place) < len(squares):
        return ()
    east = sorted({x for x, _ in by_place})
    north = sorted({y for _, y in by_place}, reverse=True)
    if east[-1] - east[0] >= COLUMNS_MAX:
        return ()
    columns = range(east[0], east[-1] + 1)
    return tuple(tuple(by_place.get((x, y)) for x in columns) for y in north)
