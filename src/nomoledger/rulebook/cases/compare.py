"""The first difference between the state of the game and what a case expects."""

from collections.abc import Iterator
from typing import Any

from nomoledger import events as e
from nomoledger.events.rules import Rule
from nomoledger.rulebook.cases.case_start import attributes_of, items_apart
from nomoledger.rulebook.cases.format import Then, ValueQuery
from nomoledger.rulebook.cases.matching import format_plain, is_match
from nomoledger.rulebook.cases.moves import compare_moves
from nomoledger.rulebook.cases.payments import compare_accounts, compare_payments
from nomoledger.rulebook.cases.picture import Picture, picture
from nomoledger.rulebook.cases.query import ask_value
from nomoledger.rulebook.cases.rows import compare_rows
from nomoledger.rulebook.cases.standing import (
    compare_game,
    compare_pending,
    compare_rules,
    compare_things,
)
from nomoledger.rulebook.cases.unnamed import Unnamed, compare_unnamed
from nomoledger.state.world import World

Before = tuple[Picture, tuple[Rule, ...], Unnamed]


def compare(
    world: World,
    then: Then,
    events: list[e.Event],
    before: Before | None = None,
    judged: set[int] | None = None,
) -> str | None:
    """Return the first difference between *world* and *then*; None if there is none.

    With *before* (the state at the start), players and squares must be unchanged where *then* does
    not name them. *events* are the events since; *judged* are the proposals that have a verdict.
    """
    return next(_differences(world, then, events, before, judged or set()), None)


def _differences(
    world: World, then: Then, events: list[e.Event], before: Before | None, judged: set[int]
) -> Iterator[str]:
    now, was = picture(world), before[0] if before else None
    known, old = attributes_of(world, "player"), was.players if was else None
    players = {name: items_apart(world, row) for name, row in then.players.items()}
    yield from compare_rows("player", now.players, players, old, known)
    if then.board is not None and len(now.squares) != then.board:
        yield f"the board has {len(now.squares)} squares, expected {then.board}"
    known, old = attributes_of(world, "square"), was.squares if was else None
    yield from compare_rows("square", now.squares, _squares(then, now, was), old, known)
    yield from compare_accounts(world, then.accounts)
    if then.payments is not None:
        yield from compare_payments(world, then.payments, events)
    if then.moves is not None:
        yield from compare_moves(world, then.moves, events)
    for value in then.values:
        yield from _value(world, value)
    yield from compare_rules(world, then.rules, before[1] if before else None)
    yield from compare_game(world, then.game, whole=before is not None)
    yield from compare_things(world, then.things)
    if then.pending is not None:
        yield from compare_pending(world, then.pending, judged)
    if then.whole and before is not None:
        yield from compare_unnamed(world, then, before[2])


def _squares(then: Then, now: Picture, was: Picture | None) -> dict[Any, Any]:
    """Return the expected squares; with `board`, new and removed squares need not be named."""
    if then.board is None or was is None:
        return then.squares
    fresh: dict[Any, Any] = {name: {} for name in now.squares if name not in was.squares}
    gone = {name: "absent" for name in was.squares if name not in now.squares}
    return fresh | gone | {str(name): row for name, row in then.squares.items()}


def _value(world: World, value: ValueQuery) -> Iterator[str]:
    actual = ask_value(world, value.value, value.with_)
    if not is_match(actual, value.is_):
        arguments = ", ".join(f"{name} {format_plain(x)}" for name, x in value.with_.items())
        of = f" ({arguments})" if arguments else ""
        yield f"{value.value}{of} is {format_plain(actual)}, expected {format_plain(value.is_)}"
