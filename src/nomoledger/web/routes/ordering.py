"""Standing orders of players: made from the form of an action, listed, and cancelled."""

from typing import Any

from litestar import Response, post
from litestar.params import FromPath

from nomoledger.game.game import Game
from nomoledger.web.forms import text_in
from nomoledger.web.routes.entrance import Form
from nomoledger.web.routes.sending import send_for_player
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, player_of


@post("/games/{game:str}/play/cancel-order")
@in_thread
def cancel_order(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Cancel a standing order."""
    given = (player_of(request, game).name, text_in(data, "order"))
    return send_for_player(request, data, "cancels a standing order", Game.cancel_order, *given)


ROUTES = [cancel_order]
