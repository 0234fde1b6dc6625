"""Addresses of draws from level 3 on: nothing in them can be chosen freely.

The address of a draw is made of

- the period, and who may see the draw if not everybody: `3`, `3 for Ann,Bob`;
- the actor: `player 2` for the second player who joined, `admin`, or `nobody` for other names;
- the operation of the attempt, with the players whom the rules pass to it: `go(player 2)`;
- the label of the roll or draw, as the rules give it;
- an ordinal: the first draw at these is `#0`.

Neither the id of a request is part of an address, nor a number of the ledger, the name under which
somebody joins, or what a request says (amounts, texts, targets). All parts except the label follow
from public events, so that anybody can compute them. See `nomoledger.state.draws` for ordinals.
"""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from nomoledger.events import Act
from nomoledger.language.address_part import address_part
from nomoledger.state.draws import next_ordinal, player_number
from nomoledger.state.reducer import ORDER
from nomoledger.state.world import Attempt, World

#: A part of an address that is longer than this may be shortened.
LONG = 64
_SHORTENED = re.compile(r"%[0-9a-f]{8}$")


def draw_address(
    world: World, attempt: Attempt, operation: str, label: str, audience: tuple[str, ...] | None
) -> str:
    """Return the address of the next draw that *attempt* makes in *operation* under *label*."""
    place = draw_place(world, attempt, operation, label, audience)
    return f"{place}#{next_ordinal(world, place, attempt.cause)}"


def draw_place(
    world: World, attempt: Attempt, operation: str, label: str, audience: tuple[str, ...] | None
) -> str:
    """Return the address of a draw without its ordinal."""
    number = player_number(world, label)
    named = _part(label) if number is None else f"player {number}"
    return f"{place_before_label(world, attempt, operation, audience)}/{named}"


def place_before_label(
    world: World, attempt: Attempt, operation: str, audience: tuple[str, ...] | None
) -> str:
    """Return the parts of an address that follow from the attempt, without label and ordinal."""
    readers = "" if audience is None else " for " + ",".join(map(_part, audience))
    actor = _actor(world, attempt.by)
    subjects = ",".join(_subjects(world, attempt))
    return f"{world.period}{readers}/{actor}/{_part(operation)}({subjects})"


def operations_of(attempt: Attempt) -> tuple[str, ...]:
    """Return the operations that draws of *attempt* can belong to.

    The requests of a standing order count as if they were made without the order.
    """
    if attempt.operation != ORDER:
        return (attempt.operation,)
    acts = [act.action for act in attempt.arguments if isinstance(act, Act)]
    return (*dict.fromkeys(acts), ORDER)


def _actor(world: World, by: str) -> str:
    number = player_number(world, by)
    if number is not None:
        return f"player {number}"
    return by if by == "admin" else "nobody"


def _subjects(world: World, attempt: Attempt) -> Iterator[str]:
    arguments = (attempt.by,) if attempt.operation == ORDER else attempt.arguments
    for argument in arguments:
        number = player_number(world, argument)
        if number is not None:
            yield f"player {number}"


def _part(text: str) -> str:
    """Return *text* without the marks that divide an address; long texts end in a hash."""
    return address_part(text).replace("/", "%2F").replace("#", "%23")


def label_in(part: str) -> str | None:
    """Return the label that *part* of an address says; None if it is shortened.

    >>> label_in("heads%2Ftails"), label_in("x" * 64 + "%09ecb6eb")
    ('heads/tails', None)
    """
    if len(part) > LONG and _SHORTENED.search(part):
        return None
    return unquote(part)
