"""Dice that the computer throws in the place of a person."""

import secrets
from datetime import datetime

from nomoledger.game.game import Game
from nomoledger.game.writer import Outcome


def draw_by_computer(game: Game, at: datetime | None = None, *, id: str) -> Outcome:
    """Draw what the open question of *game* asks for, and enter that as drawn by hand.

    A repeated request draws nothing anew.

    Raises:
        UsageError: no question for dice or a draw is open.
    """
    before = game.again(id)
    if before is not None:
        return game.finished(before)
    question = game.waiting("dice", "draw")
    if question.asks == "dice":
        drawn = [secrets.randbelow(sides) + 1 for sides in question.options]
    else:
        drawn = [secrets.choice(question.options)]
    return game.enter_dice(drawn, at=at, id=id)
