"""Comparison of the moves of a case with those that it expects: squares left, passed, reached."""

from collections.abc import Iterator
from typing import Any

from nomoledger import events as e
from nomoledger.rulebook.cases.matching import format_plain, included, is_match
from nomoledger.rulebook.cases.picture import PictureRow
from nomoledger.rulebook.cases.query import labelled
from nomoledger.rulebook.cases.spelling import spelled
from nomoledger.state.world import World

_MOVE = ("piece", "left", "to", "passed", "mode")


def compare_moves(world: World, expected: Any, events: list[e.Event]) -> Iterator[str]:
    """Yield the differences between the moves in *events*, in order, and those *expected*.

    With `{includes: [...]}`, other moves may come between those that are expected.
    """
    made = [_move(world, event) for event in events if isinstance(event, e.Moved)]
    part = included(expected)
    rest = iter(made)
    for number, row in enumerate(expected if part is None else part, 1):
        stated = {spelled(key, _MOVE, "a move has no"): value for key, value in row.items()}
        if part is not None:
            if not any(_fits(move, stated) for move in rest):
                listed = "; ".join(map(format_plain, made)) or "none"
                yield f"there is no such move, in this order: {format_plain(row)}; made: {listed}"
                return
        elif number > len(made):
            yield f"there are {len(made)} moves, expected move {number}: {format_plain(row)}"
            return
        elif not _fits(made[number - 1], stated):
            actual = format_plain(made[number - 1])
            yield f"move {number} is {actual}, expected {format_plain(stated)}"
    if part is None and len(made) > len(expected):
        yield f"there is a move that the case does not name: {format_plain(made[len(expected)])}"


def _fits(move: PictureRow, stated: PictureRow) -> bool:
    return all(is_match(move[name], value) for name, value in stated.items())


def _move(world: World, event: e.Moved) -> PictureRow:
    return {name: labelled(world, getattr(event, name)) for name in _MOVE}
