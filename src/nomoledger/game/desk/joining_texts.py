"""What people wrote when they joined, for the admin: such as an e-mail address."""

import msgspec

from nomoledger import events as e
from nomoledger.events.texts import texts_in
from nomoledger.game.desk.seen_game import SeenView
from nomoledger.game.game import Game


class JoiningTexts(msgspec.Struct, frozen=True):
    """The texts that came with the request to join, beside the name, *by_player*."""

    by_player: dict[str, tuple[str, ...]]


def joining_texts(game: Game) -> JoiningTexts:
    """Return what people wrote when they joined *game*; requests that were refused do not count."""
    view = SeenView(game, "admin")
    asked: dict[str, e.JoinRequested] = {}
    for entry in view.entries():
        if isinstance(entry.body, e.JoinRequested):
            asked[entry.body.id] = entry.body
        elif isinstance(entry.body, e.AttemptRefused):
            asked.pop(entry.body.attempt, None)
    found = {}
    for request in asked.values():
        player = view.world.find("player", request.name)
        if player is not None:
            found[str(view.world.label(player))] = tuple(texts_in(request.details))
    return JoiningTexts(found)
