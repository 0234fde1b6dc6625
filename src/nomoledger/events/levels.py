"""Levels: what a game keeps for good of the version that it was opened with.

`GameOpened` names the level. The level selects everything that decides outcomes and digests: the
rule language, the binding of hooks, the addresses of draws, the limits, how conflicting
definitions are compared and what the digest of the state covers. A level that is left behind stays
replayable for good; golden ledgers of each level are replayed by the tests.
"""

import msgspec

from nomoledger.errors import StoreError


class Level(msgspec.Struct, frozen=True):
    """One level, by what it does differently from the others.

    Attributes:
        hashes_display_text: whether the digest of the state covers text that is only for people.
        compares_displayed_effects: whether conflicting definitions are compared by the fields that
            people were shown, instead of by all their effects.
    """

    hashes_display_text: bool
    compares_displayed_effects: bool


#: Every level that this version can play, by number.
LEVELS = {
    0: Level(hashes_display_text=True, compares_displayed_effects=True),
    1: Level(hashes_display_text=False, compares_displayed_effects=False),
}
#: The level of a new game. The newest level may change until all five rule sets run on it.
NEWEST = max(LEVELS)


def check_level(game: str, level: int) -> None:
    """Refuse a game of a level that this version does not know.

    Raises:
        StoreError: the level is unknown.
    """
    if level not in LEVELS:
        raise StoreError(
            f"game {game!r} is of level {level}, but this nomoledger knows levels 0 to {NEWEST}:"
            " install a newer nomoledger"
        )
