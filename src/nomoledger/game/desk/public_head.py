"""How far a game has gone on, as everybody may know."""

import msgspec

from nomoledger.game.game import Game
from nomoledger.proof.public_stream import PublicStream


class ReaderHead(msgspec.Struct, frozen=True):
    """The *number* of the last event that everybody may know of, as the published site has it."""

    number: int


def public_head(game: Game) -> ReaderHead:
    """Return the last event of *game* that everybody may know of.

    What is secret does not change it: not even that something secret happened.
    """
    stream = PublicStream()
    for entry in game.ledger.read(game.name):
        stream.take(entry.number, entry.body)
    return ReaderHead(stream.head)
