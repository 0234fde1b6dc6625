"""The page of the board: its squares, laid out as the rules of the period define."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nomoledger.errors import RuleFault
from nomoledger.prose.labels import format_cell
from nomoledger.views.site.figures import Figure, Figures, PlayerLink
from nomoledger.views.site.public_view import PublicView, model_of
from nomoledger.views.site.site_paths import Ref

COLUMNS_MAX = 200


#: The value of the rules that is the price of a square: `value_square_price(square)`.
PRICE = "square_price"


class SquareOnPage(msgspec.Struct, frozen=True):
    """A square with its *key*, its attributes by name, and the players and pieces on it.

    *price* is what the rules ask for it, if they say.
    """

    anchor: str
    called: str
    key: Figure | None
    attributes: dict[str, Figure]
    standing: tuple[tuple[str, PlayerLink | None, Figure | None], ...]
    price: Figure | None = None


class MoveOnPage(msgspec.Struct, frozen=True):
    """The last move of a player or piece: from one square to another, and over others."""

    piece: str
    player: PlayerLink | None
    left: str
    to: str
    over: tuple[str, ...]
    ref: Ref


class BoardPage(msgspec.Struct, frozen=True):
    """The squares in order.

    Attributes:
        grid: The rows of squares from north to south; empty if the squares have no positions.
        columns: The attributes that at least one square has.
        moves: The last move of each player and piece that has moved, the newest first.
        has_prices: Whether the rules say what squares cost.
        note: Why the squares have no positions, if the rules failed.
    """

    squares: tuple[SquareOnPage, ...]
    grid: tuple[tuple[SquareOnPage | None, ...], ...]
    columns: tuple[str, ...]
    moves: tuple[MoveOnPage, ...] = ()
    has_prices: bool = False
    note: str | None = None


def board_of(view: PublicView, figures: Figures) -> BoardPage:
    """Return the board in *view*."""
    model = model_of("board", view)
    entities = view.world.kinds.get("square", ())
    key = view.world.key_of("square")
    prices = _prices(view, figures, entities)
    rows = zip(entities, model.squares, prices, strict=True)
    squares = tuple(
        _square(figures, entity, place, square, key, price)
        for place, (entity, square, price) in enumerate(rows)
    )
    names = dict.fromkeys(name for square in squares for name in square.attributes)
    places = [square.place for square in model.squares]
    return BoardPage(
        squares=squares,
        grid=_grid(squares, places),
        columns=tuple(names),
        moves=tuple(_moves(figures)),
        has_prices=any(price is not None for price in prices),
        note=model.note,
    )


def _prices(view: PublicView, figures: Figures, squares: Sequence[str]) -> list[Figure | None]:
    """Return the price of each of *squares* by the rules; None where they name none."""
    nothing: list[Figure | None] = [None] * len(squares)
    try:
        values = view.values(PRICE, [(square,) for square in squares])
    except RuleFault:
        return nothing
    if values is None:
        return nothing
    return [None if value is None else figures.value(PRICE, value) for value in values]


def _moves(figures: Figures) -> Iterator[MoveOnPage]:
    world, label = figures.world, figures.teller.label
    for piece, (body, ref) in reversed(figures.public.moves.items()):
        if piece in world.entities:
            is_player = world.entities[piece] == "player"
            yield MoveOnPage(
                piece=str(label(piece)),
                player=figures.person(piece) if is_player else None,
                left="" if body.left is None else str(label(body.left)),
                to=str(label(body.to)),
                over=tuple(str(label(square)) for square in body.passed),
                ref=ref,
            )


def _square(
    figures: Figures, entity: str, place: int, model: Any, key: str, price: Figure | None
) -> SquareOnPage:
    world = figures.world
    names = [*world.declared("square"), *world.attributes.get(entity, {})]
    attributes = {n: figures.attribute(entity, n) for n in dict.fromkeys(names) if n != key}
    return SquareOnPage(
        anchor=f"square-{place + 1}",
        called=format_cell(model.square),
        key=figures.attribute(entity, key),
        attributes={name: figure for name, figure in attributes.items() if figure is not None},
        standing=tuple(_piece(figures, name) for name in model.standing),
        price=price,
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
