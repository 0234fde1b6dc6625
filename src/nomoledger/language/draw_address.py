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

from collections.abc import Iterator

from nomoledger.events import Act
from nomoledger.language.address_part import address_part
from nomoledger.state.draws import next_ordinal, player_number
from nomoledger.state.reducer import ORDER
from nomoledger.state.world import Attempt, World


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
    readers = "" if audience is None else " for " + ",".join(map(_part, audience))
    actor = _actor(world, attempt.by)
    subjects = ",".join(_subjects(world, attempt))
    number = player_number(world, label)
    named = _part(label) if number is None else f"player {number}"
    return f"{world.period}{readers}/{actor}/{_part(operation)}({subjects})/{named}"


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
    return address_part(text).replace("/", "%2F").replace("#", "%23")
