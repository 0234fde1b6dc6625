"""What the last audit of a game found, as the place of the game keeps it."""

from datetime import datetime

import msgspec


class LastAudit(msgspec.Struct, frozen=True):
    """The last audit of a game. It belongs to the place, and is neither copied nor exported.

    Attributes:
        game: the name of the game.
        number: the last event that was audited; -1 if there was none.
        at: when, in UTC.
        is_sound: whether nothing was wrong.
    """

    game: str
    number: int
    at: datetime
    is_sound: bool
