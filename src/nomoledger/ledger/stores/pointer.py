"""The pointer that a game leaves behind when it moves to another place."""

import msgspec


class Pointer(msgspec.Struct, frozen=True):
    """Says that a game is elsewhere. The place that holds the pointer does not take its records.

    Attributes:
        game: the name of the game.
        place: the location where the game is, without a password.
        is_arriving: whether the game is on its way from there to here; otherwise it has gone there.
        secret: the secret of the game.
    """

    game: str
    place: str
    is_arriving: bool
    secret: bytes
