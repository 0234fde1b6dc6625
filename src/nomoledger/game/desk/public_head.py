"""How far a game has gone on, as everybody or one reader may know."""

import msgspec

from nomoledger.game.desk.seen_game import seen_game
from nomoledger.game.game import Game


class ReaderHead(msgspec.Struct, frozen=True):
    """The *number* of the last event that a reader may know of, in the reader's own numbers."""

    number: int


def public_head(game: Game) -> ReaderHead:
    """Return the last event of *game* that everybody may know of, as the published site has it.

    What is secret does not change it: not even that something secret happened.
    """
    return reader_head(game, None)


def reader_head(game: Game, reader: str | None) -> ReaderHead:
    """Return the last event of *game* that *reader* (a player, "admin", or None) may know of.

    What is kept from the reader does not change it.
    """
    if reader == "admin":
        return ReaderHead(game.world.head)
    return ReaderHead(len(seen_game(game, reader).entries) - 1)
