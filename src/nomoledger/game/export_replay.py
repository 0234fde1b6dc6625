"""The replay of a public export: do its events follow from the rules that it shows?"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events.codec import decode_json
from nomoledger.events.levels import LEVELS
from nomoledger.game.visible_record import Beyond, replay_public
from nomoledger.proof.public_export import ExportHeader, PublicEvent
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
    entries = _read(file)
    opening = entries[0].body if entries else None
    if not isinstance(opening, e.GameOpened) or not LEVELS[opening.level].publishes_in_order:
        return None
    beyond = replay_public(entries[0].game, entries, limits, done).beyond
    bodies = [entry.body for entry in entries]
    return ExportReplay(
        followed=_consequences(bodies) - (0 if beyond is None else beyond.events),
        apart=sum(body.cause == SEALED for body in bodies),
        beyond=beyond,
        has_secrets=any(
            bool(body.rule.secret)
            for body in bodies
            if isinstance(body, e.RuleEnacted | e.RuleAmended)
        ),
    )


def _consequences(bodies: Sequence[e.Event]) -> int:
    """Return how many of *bodies* have to follow from others that are public."""
    given = e.Input | e.RuleEnacted | e.CasesCopied
    opening = next((n for n, body in enumerate(bodies[1:], 1) if not isinstance(body, given)), 0)
    return sum(not isinstance(x, e.Input) and x.cause != SEALED for x in bodies[opening:])


def _read(file: str | Path) -> list[e.Entry]:
    with open(file, "rb") as source:
        game = msgspec.json.decode(next(source), type=ExportHeader).game
        lines = (line for line in source if not line.startswith(b'{"nomoledger":'))
        events = [msgspec.json.decode(line, type=PublicEvent) for line in lines]
    return [e.Entry(game, each.number, decode_json(bytes(each.event))) for each in events]
