"""What became of a request, as the player who made it may see it."""

from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView, events_with_worlds
from nomoledger.prose.descriptions import BOOKKEEPING
from nomoledger.prose.teller import Teller


class RequestOutcome(msgspec.Struct, frozen=True):
    """What became of a request.

    Attributes:
        is_known: whether the reader made such a request.
        request: the request in words.
        refused: the reasons of the rules, each with its rule, if they refused the request.
        told: what happened because of it, as far as the reader may see.
    """

    is_known: bool = False
    request: str = ""
    refused: tuple[tuple[str, str], ...] = ()
    told: tuple[str, ...] = ()


def outcome_for(game: Game, player: str, id: str) -> RequestOutcome:
    """Return what became of the request with that *id*, which *player* made."""
    view = LedgerView(game.ledger, game.name, reader=player)
    teller: Any = None
    request, told, refused = "", [], []
    is_under_way = False
    for entry, world in events_with_worlds(view):
        teller = teller or Teller(world)
        body = entry.body
        if isinstance(body, e.Input):
            is_under_way = body.id == id and getattr(body, "by", None) == player
            if is_under_way:
                request = teller.tell(body)
                continue
        if not is_under_way:
            teller.follow(body)
        elif isinstance(body, e.AttemptRefused) and body.attempt == id:
            refused = [(reason.text, reason.rule.partition("@")[0]) for reason in body.reasons]
        elif not isinstance(body, BOOKKEEPING) and teller.mentions(body):
            told.append(teller.tell(body))
        else:
            teller.follow(body)
    return RequestOutcome(bool(request), request, tuple(refused), tuple(told))
