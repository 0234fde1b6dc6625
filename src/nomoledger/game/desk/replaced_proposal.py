"""Replacing a proposal by another of the same author, as far as the game allows it."""

from typing import Any

from nomoledger.errors import NomoledgerError, UsageError
from nomoledger.game.desk.drafts import propose_draft, refuse_misfit_draft
from nomoledger.game.desk.player_requests import undo_own
from nomoledger.game.game import Game
from nomoledger.game.writer import Outcome


def replace_own(
    game: Game, player: str, replaced: int, text: str, changes: str, *, id: str, **fields: Any
) -> Outcome:
    """Propose *text* with *changes*, in YAML, in the place of proposal *replaced* of *player*.

    If the old proposal still waits, it is taken back first. Otherwise the text names it, and the
    rules say what becomes of it. Made twice with the same *id*, it is made once.

    Returns:
        The events of both requests. Those of taking back come first; there are none if the old
        proposal was not taken back.

    Raises:
        UsageError: the old proposal is not the player's; or it is taken back, and the new one
            cannot be made.
        RulebookError: the changes cannot be read. MisfitError: they do not fit the rules.
    """
    taken = _taken_back(game, player, replaced, changes, id)
    if taken is None:
        named = f"Replaces proposal {replaced}. {text}"
        return propose_draft(game, player, named, changes, id=id, **fields)
    try:
        made = propose_draft(game, player, text, changes, id=id, **fields)
    except NomoledgerError as error:
        raise UsageError(
            f"proposal {replaced} is taken back, but the new one is not made: {error}"
        ) from None
    return Outcome((*taken.events, *made.events))


def _taken_back(game: Game, player: str, replaced: int, changes: str, id: str) -> Outcome | None:
    """Take proposal *replaced* back for the request *id*; None if it stays.

    Raises:
        UsageError: it is not the player's.
        RulebookError: the *changes* of the new proposal cannot be read.
        MisfitError: they do not fit the rules.
    """
    known = game.again(f"{id}-back")
    if known is not None or game.again(id) is not None:
        return known  # The same form was sent before.
    game.catch_up()
    made = game.world.proposals.get(replaced)
    if made is None or made.by != game.world.find("player", player):
        raise UsageError(f"there is no proposal {replaced} of yours to replace")
    refuse_misfit_draft(game, player, changes)
    try:
        return undo_own(game, player, made.id, id=f"{id}-back")
    except UsageError:
        return None  # It is carried out already: the rules say what becomes of it.
