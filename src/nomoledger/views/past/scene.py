"""The board and the players at one event of the past, with the event behind each figure."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UnknownError
from nomoledger.game.desk.comparison import Comparison, compare
from nomoledger.game.desk.seen_game import SeenGame, SeenView
from nomoledger.game.game import Game
from nomoledger.game.possible_requests import SOON
from nomoledger.game.read_models import WorldView, ask_rules, projection
from nomoledger.proof.public_stream import apply_public
from nomoledger.prose.labels import format_cell
from nomoledger.sandbox.question_sandbox import QuestionSandbox
from nomoledger.state.world import World
from nomoledger.views.site.public_view import PublicWorld

#: Up to how many columns a board is drawn; wider ones are listed.
COLUMNS_MAX = 60


class FigureThen(msgspec.Struct, frozen=True):
    """A value as *text*, and the number of the *event* that made it so; None if none did."""

    text: str
    event: int | None = None
    player: int | None = None


class SquareThen(msgspec.Struct, frozen=True):
    """A square: what it is *called*, its owner, who stands there, and whether the event is there.

    *player* in a figure is the place of the player in the order of joining, for the color.
    """

    called: str
    name: str
    owner: FigureThen | None
    standing: tuple[FigureThen, ...]
    is_touched: bool


class PlayerThen(msgspec.Struct, frozen=True):
    """A player: rank, money, where the player stands, and how many squares the player owns."""

    name: str
    place: int
    rank: str
    money: FigureThen
    square: FigureThen | None
    owned: int


class Scene(msgspec.Struct, frozen=True):
    """The state right after an event.

    Attributes:
        grid: the rows of squares from north to south; empty if they have no positions.
        squares: the squares in order, if they have no positions.
        money: the name of the first commodity; "" if there is none.
    """

    period: int
    grid: tuple[tuple[SquareThen | None, ...], ...]
    squares: tuple[SquareThen, ...]
    money: str
    players: tuple[PlayerThen, ...]


def scene_at(game: Game, reader: str | None, number: int) -> Scene:
    """Return the state of *game* right after event *number*, as far as *reader* may know.

    Raises:
        UnknownError: *reader* knows no such event.
    """
    seen, entries = _upto(game, reader, number)
    past = _Past(seen.sandbox(SOON))
    for entry in entries:
        past.take(entry)
    return past.scene(entries[-1].body)


def compare_moments(game: Game, reader: str | None, first: int, second: int) -> Comparison:
    """Return the states right after two events side by side, the earlier one first.

    Raises:
        UnknownError: *reader* knows no such event.
    """
    first, second = sorted((first, second))
    before, after = World(), World()
    for entry in _upto(game, reader, second)[1]:
        for world in (before, after) if entry.number <= first else (after,):
            apply_public(world, entry.body)
    return compare(before, after)


def _upto(game: Game, reader: str | None, number: int) -> tuple[SeenGame, list[e.Entry]]:
    """Return what *reader* sees now, and the events of it up to event *number*."""
    seen = SeenView(game, reader).seen
    entries = seen.entries
    if not 0 <= number < len(entries):
        raise UnknownError(f"{game.name}: there is no event #{number}")
    return seen, entries[: number + 1]


class _Past:
    """The state that some events make, and the event behind each value."""

    def __init__(self, sandbox: QuestionSandbox) -> None:
        self._public = PublicWorld()
        self._ask_rules = partial(ask_rules, sandbox=sandbox)
        self._posted: dict[str, int] = {}

    def take(self, entry: e.Entry) -> None:
        """Apply the next event."""
        self._public.refer(entry)
        self._public.teller.follow(entry.body)
        self._public.apply(entry)
        if isinstance(entry.body, e.Posted):
            for posting in entry.body.postings:
                self._posted[posting.account] = entry.number

    def scene(self, last: e.Event) -> Scene:
        """Return the state; the squares that *last* names are marked."""
        world = self._public.world
        players = world.kinds.get("player", ())
        places = {str(world.label(player)): place for place, player in enumerate(players)}
        view: Any = WorldView(world, None, self._ask_rules)
        model: Any = projection("board")(view)
        squares = world.kinds.get("square", ())
        touched = _squares_in(last)
        drawn = [
            self._square(square, row, places, square in touched)
            for square, row in zip(squares, model.squares, strict=True)
        ]
        grid = _grid(drawn, [row.place for row in model.squares])
        return Scene(
            period=world.period,
            grid=grid,
            squares=() if grid else tuple(drawn),
            money=next(iter(world.commodities()), ""),
            players=tuple(self._players(view, places)),
        )

    def _setter(self, *key: str) -> int | None:
        ref = self._public.setters.get(key)
        return None if ref is None else ref.number

    def _square(
        self, square: str, row: Any, places: dict[str, int], is_touched: bool
    ) -> SquareThen:
        owner = None
        if row.owner is not None:
            text = format_cell(row.owner)
            owner = FigureThen(text, self._setter("set", square, "owner"), places.get(text))
        standing = (
            FigureThen(piece, self._moved(piece), places.get(piece)) for piece in row.standing
        )
        called, name = format_cell(row.square), format_cell(row.name)
        return SquareThen(called, name, owner, tuple(standing), is_touched)

    def _moved(self, called: str) -> int | None:
        """Return the event that brought the piece *called* so to where it stands."""
        world = self._public.world
        kinds = (kind for kind in world.kinds if "square" in world.declared(kind))
        found = (world.find(kind, called) for kind in ("player", *kinds))
        piece = next((each for each in found if each is not None), None)
        return None if piece is None else self._setter("set", piece, "square")

    def _players(self, view: Any, places: dict[str, int]) -> Iterator[PlayerThen]:
        world = self._public.world
        model: Any = projection("standings")(view)
        for row in model.standings:
            name = str(row.player)
            player = world.find("player", name) or name
            square = world.get(player, "square")
            stands = None
            if square is not None:
                label = format_cell(world.label(square))
                stands = FigureThen(label, self._setter("set", player, "square"))
            money = FigureThen(format_cell(row.money), self._posted.get(player))
            place = places.get(name, 0)
            yield PlayerThen(name, place, format_cell(row.rank), money, stands, row.squares)


def _squares_in(event: e.Event) -> set[str]:
    """Return the ids of the squares that *event* is about."""
    if isinstance(event, e.Moved):
        return {str(event.to), str(event.left)}
    if isinstance(event, e.AttributeSet | e.EntityCreated):
        values = [event.value] if isinstance(event, e.AttributeSet) else event.attributes.values()
        return {event.entity, *map(str, values)}
    return set()


def _grid(
    squares: Sequence[SquareThen], places: Sequence[tuple[int, int] | None]
) -> tuple[tuple[SquareThen | None, ...], ...]:
    by_place = {place: square for place, square in zip(places, squares, strict=True) if place}
    if not squares or len(by_place) < len(squares):
        return ()
    east = sorted({x for x, _ in by_place})
    if east[-1] - east[0] >= COLUMNS_MAX:
        return ()
    north = sorted({y for _, y in by_place}, reverse=True)
    columns = range(east[0], east[-1] + 1)
    return tuple(tuple(by_place.get((x, y)) for x in columns) for y in north)
