"""How far a game has gone on, as everybody may know."""

import msgspec

from nomoledger.game.desk.seen_game import seen_game
from nomoledger.game.game import Game


class ReaderHead(msgspec.Struct, frozen=True):
    """The *number* of the last event that everybody may know of, as the published site has it."""

    number: int


def public_head(game: Game) -> ReaderHead:
    """Return the last event of *game* that everybody may know of.

    What is secret does not change it: not even that something secret happened.
    """
    seen = seen_game(game, None)
    return ReaderHead(len(seen.entries) - 1)
