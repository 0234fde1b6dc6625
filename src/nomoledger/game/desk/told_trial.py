"""What a request does on a scratch copy of a game, in words."""

from collections.abc import Callable

from nomoledger import events as e
from nomoledger.game.game import Game
from nomoledger.game.writer import Outcome
from nomoledger.prose.descriptions import BOOKKEEPING
from nomoledger.prose.teller import Teller


def carry_out_and_tell(
    scratch: Game, request: Callable[[Game], Outcome], *, silent: type[e.Event]
) -> tuple[Outcome, tuple[str, ...]]:
    """Carry out *request* on *scratch*, and return the outcome and what happened, in words.

    The request itself, bookkeeping and *silent* events are not told.
    """
    teller = Teller(scratch.world)
    teller.keep_all()
    outcome = request(scratch)
    teller.world = scratch.world
    teller.rewind(outcome.events)
    told = tuple(
        teller.tell(event)
        for event in outcome.events[1:]
        if not isinstance(event, (*BOOKKEEPING, silent)) and teller.mentions(event)
    )
    return outcome, told
