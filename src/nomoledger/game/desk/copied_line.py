"""What was done in a copy of a game: step by step, and as requests for the game."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView, events_with_worlds
from nomoledger.prose.descriptions import BOOKKEEPING
from nomoledger.prose.teller import Teller
from nomoledger.state.world import World


class LineStep(msgspec.Struct, frozen=True):
    """A step that can be asked for in the game: *what* is "submit" or "vote", by a player.

    *given* holds the texts of its form: for a vote "proposal" and "choice".
    """

    by: str
    what: str
    action: str
    given: dict[str, list[str]]


class LineOfPlay(msgspec.Struct, frozen=True):
    """Something that happened in a copy: its number, *told* in words; for a request, its *step*.

    *is_request* says whether somebody asked for it.
    """

    event: int
    told: str
    is_request: bool
    step: LineStep | None = None


def line_in(game: Game, since: int) -> Iterator[LineOfPlay]:
    """Yield what happened in the copy *game* after event *since*, without bookkeeping."""
    view = LedgerView(game.ledger, game.name, reader="admin")
    teller: Teller | None = None
    for entry, world in events_with_worlds(view):
        teller = teller or Teller(world)
        body = entry.body
        is_told = not isinstance(body, BOOKKEEPING) and teller.mentions(body)
        if entry.number <= since or not (is_told or isinstance(body, e.ClockAdvanced)):
            teller.follow(body)
            continue
        step = _step(body, world)
        yield LineOfPlay(entry.number, teller.tell(body), isinstance(body, e.Input), step)


def _step(body: e.Event, world: World) -> LineStep | None:
    if isinstance(body, e.SubmissionReceived) and body.by != "admin":
        given = {name: _texts(value) for name, value in body.arguments.items()}
        return LineStep(str(world.label(body.by)), "submit", body.action, given)
    if isinstance(body, e.VoteCast) and body.by != "admin":
        given = {"proposal": [str(body.proposal)], "choice": [body.choice]}
        return LineStep(str(world.label(body.by)), "vote", "vote", given)
    return None


def _texts(value: Any) -> list[str]:
    """Return *value* as the texts that a form would send."""
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if not isinstance(value, list | tuple):
        return [str(value)]
    rows = [f"[{', '.join(map(str, x))}]" if isinstance(x, list | tuple) else str(x) for x in value]
    return rows
