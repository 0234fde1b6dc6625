"""What became of a request, as the player who made it may see it."""

from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import CarriedOutError
from nomoledger.game.desk.seen_game import SeenView
from nomoledger.game.game import Game
from nomoledger.game.read_models import events_with_worlds
from nomoledger.game.taking_back import request_to_undo
from nomoledger.prose.descriptions import BOOKKEEPING
from nomoledger.prose.teller import Teller


class RequestOutcome(msgspec.Struct, frozen=True):
    """What became of a request.

    Attributes:
        is_known: whether the reader made such a request.
        request: the request in words.
        refused: the reasons of the rules, each with its rule, if they refused the request.
        told: what happened because of it, as far as the reader may see.
        can_undo: whether it can be taken back, as far as the reader may know.
        proposal, dispute: the number of the proposal or dispute that it began; None if none.
    """

    is_known: bool = False
    request: str = ""
    refused: tuple[tuple[str, str], ...] = ()
    told: tuple[str, ...] = ()
    can_undo: bool = False
    proposal: int | None = None
    dispute: int | None = None


def outcome_for(game: Game, player: str, id: str) -> RequestOutcome:
    """Return what became of the request with that *id*, which *player* made."""
    view = SeenView(game, player)
    teller: Any = None
    request: Any = None
    told, refused, words = [], [], ""
    is_under_way = False
    for entry, world in events_with_worlds(view):
        teller = teller or Teller(world)
        body = entry.body
        if isinstance(body, e.Input):
            is_under_way = body.id == id and getattr(body, "by", player) == player
            if is_under_way:
                request, words = body, teller.tell(body)
                continue
        if not is_under_way:
            teller.follow(body)
        elif isinstance(body, e.AttemptRefused) and body.attempt == id:
            refused = [(reason.text, reason.rule.partition("@")[0]) for reason in body.reasons]
        elif not isinstance(body, BOOKKEEPING) and teller.mentions(body):
            told.append(teller.tell(body))
        else:
            teller.follow(body)
    return RequestOutcome(
        is_known=request is not None,
        request=words,
        refused=tuple(refused),
        told=tuple(told),
        can_undo=can_undo(view, id),
        proposal=request.number if isinstance(request, e.ProposalMade) else None,
        dispute=request.number if isinstance(request, e.DisputeOpened) else None,
    )


def can_undo(view: SeenView, id: str) -> bool:
    """Return whether the request with that *id* can be taken back, by what the reader sees."""
    entries = list(view.entries())
    try:
        place = request_to_undo(view.game, entries)
    except CarriedOutError:
        return False
    return getattr(entries[place].body, "id", "") == id
