"""The replay of a public export: do its events follow from the rules that it shows?"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events.levels import LEVELS
from nomoledger.game.visible_record import Beyond, replay_public
from nomoledger.proof.public_export import read_public_export
from nomoledger.proof.public_numbering import SEALED
from nomoledger.sandbox.limits import Limits


class ExportReplay(msgspec.Struct, frozen=True):
    """What a replay of a public export has found.

    Attributes:
        followed: how many consequences follow from the public events before them.
        apart: how many have a cause that is not public; they are not compared.
        beyond: those that do not follow from the public events; None if there are none.
        has_secrets: whether a rule of the game has secret actions or votes, from which `beyond` may
            follow.
    """

    followed: int
    apart: int
    beyond: Beyond | None
    has_secrets: bool

    @property
    def ok(self) -> bool:
        """Whether all that is compared follows, or may follow from something sealed."""
        return self.beyond is None or self.has_secrets


def replay_export(
    file: str | Path,
    limits: Limits | None = None,
    done: Callable[[int], Any] = lambda count: None,
) -> ExportReplay | None:
    """Replay the public export in *file*, which `check_export` has found sound.

    *done* is called with the number of requests that were replayed since. None for a game of a
    level below 3: its public events do not keep all that the rules need.

    Raises:
        RuleFault: rule code took too long.
    """
    entries = read_public_export(file)
    opening = entries[0].body if entries else None
    if not isinstance(opening, e.GameOpened) or not LEVELS[opening.level].publishes_in_order:
        return None
    replayed = replay_public(entries[0].game, entries, limits, done)
    bodies = [entry.body for entry in entries]
    apart = sum(body.cause == SEALED for body in bodies)
    beyond = 0 if replayed.beyond is None else replayed.beyond.events
    return ExportReplay(
        followed=replayed.consequences - apart - beyond,
        apart=apart,
        beyond=replayed.beyond,
        has_secrets=any(
            bool(body.rule.secret)
            for body in bodies
            if isinstance(body, e.RuleEnacted | e.RuleAmended)
        ),
    )
