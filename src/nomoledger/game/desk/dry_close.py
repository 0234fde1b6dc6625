"""What the close of the open period would do, tried on a scratch copy of the game."""

import msgspec

from nomoledger.game.desk.player_desk import AskedQuestion, question_of
from nomoledger.game.game import Game
from nomoledger.prose.descriptions import BOOKKEEPING
from nomoledger.prose.teller import Teller


class CloseTrial(msgspec.Struct, frozen=True):
    """What a close would do: the *period*, what is *told*, and what would be asked before it.

    The dice of the trial come from a throwaway seed.
    """

    period: int = 0
    told: tuple[str, ...] = ()
    question: AskedQuestion | None = None


def try_close(game: Game) -> CloseTrial:
    """Return what the close of the open period of *game* would do. Nothing is recorded.

    Raises:
        RuleFault: rule code failed.
    """
    with game.dry_run() as scratch:
        teller = Teller(scratch.world)
        teller.keep_all()
        outcome = scratch.close()
        teller.world = scratch.world
        teller.rewind(outcome.events)
        told = [
            teller.tell(event)
            for event in outcome.events[1:]
            if not isinstance(event, BOOKKEEPING) and teller.mentions(event)
        ]
        return CloseTrial(game.world.period, tuple(told), question_of(scratch.world))
