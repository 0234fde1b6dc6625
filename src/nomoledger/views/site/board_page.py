"""The board of a period: squares where the rules of that period lay them, and all about each."""

from typing import Any

import msgspec

from nomoledger.prose.labels import format_cell
from nomoledger.views.site.figures import Figure, Figures, Person
from nomoledger.views.site.public_view import PublicView, model_of

COLUMNS_MAX = 200


class SquareOnPage(msgspec.Struct, frozen=True):
    """A square: who stands there, its attributes by name, and the *key* it is called by."""

    anchor: str
    called: str
    key: Figure | None
    attributes: dict[str, Figure]
    standing: tuple[tuple[str, Person | None, Figure | None], ...]


class BoardPage(msgspec.Struct, frozen=True):
    """The squares in their order; *grid* is rows from north to south, where they have places.

    *columns* are the attributes that are set for some square; *note* says why nothing is laid out.
    """

    squares: tuple[SquareOnPage, ...]
    grid: tuple[tuple[SquareOnPage | None, ...], ...]
    columns: tuple[str, ...]
    note: str | None = None


def board_of(view: PublicView, facts: Figures) -> BoardPage:
    """The board in *view*."""
    model = model_of("board", view)
    entities = view.world.kinds.get("square", ())
    key = view.world.key_of("square")
    squares = tuple(
        _square(facts, entity, place, each, key)
        for place, (entity, each) in enumerate(zip(entities, model.squares, strict=True))
    )
    names = dict.fromkeys(name for square in squares for name in square.attributes)
    places = [each.place for each in model.squares]
    return BoardPage(squares, _grid(squares, places), tuple(names), model.note)


def _square(facts: Figures, entity: str, place: int, model: Any, key: str) -> SquareOnPage:
    world = facts.public.world
    names = [*world.declared("square"), *world.attributes.get(entity, {})]
    found = {n: facts.attribute(entity, n) for n in dict.fromkeys(names) if n != key}
    return SquareOnPage(
        anchor=f"square-{place + 1}",
        called=format_cell(model.square),
        key=facts.attribute(entity, key),
        attributes={name: fact for name, fact in found.items() if fact is not None},
        standing=tuple(_piece(facts, each) for each in model.standing),
    )


def _piece(facts: Figures, called: str) -> tuple[str, Person | None, Figure | None]:
    """What stands there, who it is where it is a player, and how it came there."""
    world = facts.public.world
    player = world.find("player", called)
    if player is not None:
        return called, facts.person(player), facts.attribute(player, "square")
    piece = world.find("piece", called)
    return called, None, facts.attribute(piece, "square") if piece else None


def _grid(
    squares: tuple[SquareOnPage, ...], places: list[tuple[int, int] | None]
) -> tuple[tuple[SquareOnPage | None, ...], ...]:
    by_place = {place: each for place, each in zip(places, squares, strict=True) if place}
    if not squares or len(by_place) < len(squares):
        return ()
    east = sorted({x for x, _ in by_place})
    north = sorted({y for _, y in by_place}, reverse=True)
    if east[-1] - east[0] >= COLUMNS_MAX:
        return ()
    columns = range(east[0], east[-1] + 1)
    return tuple(tuple(by_place.get((x, y)) for x in columns) for y in north)
