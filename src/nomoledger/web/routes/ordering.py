"""Standing orders of players: made from the form of an action, listed, and cancelled."""

from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath

from nomoledger.errors import UsageError
from nomoledger.game.desk.common_statements import OfferedStatements, offered_statements
from nomoledger.game.desk.player_desk import PlayerDesk, player_desk
from nomoledger.game.desk.player_requests import order_answer, order_given
from nomoledger.game.game import Game
from nomoledger.web.forms import Form, given_in, pairs_of, statement_in, text_in
from nomoledger.web.page_templates import page
from nomoledger.web.routes.sending import page_values, send_for_player
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, player_of


@get("/games/{game:str}/orders")
@in_thread
def show_orders(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show the standing orders of the player, and how to place one."""
    host, player = host_of(request), player_of(request, game)
    desk = host.read(game, player_desk, player.name, -1, kind=PlayerDesk)
    offered = host.consult(game, offered_statements, player.name, kind=OfferedStatements)
    return page("orders.html", desk=desk, offered=offered.statements, **page_values(player))


@post("/games/{game:str}/orders/act")
@in_thread
def order_act(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Place a standing order that asks for an action."""
    player, action = player_of(request, game), text_in(data, "action")
    given = (*_statements(data), action, given_in(pairs_of(data)))
    what = "places a standing order"
    return send_for_player(request, data, what, order_given, player.name, *given)


@post("/games/{game:str}/orders/answer")
@in_thread
def order_reply(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Place a standing order that answers a question."""
    player = player_of(request, game)
    given = (*_statements(data), text_in(data, "answer"))
    what = "places a standing order"
    return send_for_player(request, data, what, order_answer, player.name, *given)


@post("/games/{game:str}/orders/cancel")
@in_thread
def cancel_order(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Cancel a standing order."""
    given = (player_of(request, game).name, text_in(data, "order"))
    return send_for_player(request, data, "cancels a standing order", Game.cancel_order, *given)


def _statements(data: Form) -> tuple[str, str]:
    """Return what an order waits for, and what it needs to hold."""
    when = statement_in(data, "when")
    if not when:
        raise UsageError("an order needs a statement that says when: choose one, or write one")
    return when, statement_in(data, "holds")


ROUTES = [show_orders, order_act, order_reply, cancel_order]
