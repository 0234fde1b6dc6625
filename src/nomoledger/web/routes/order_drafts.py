"""The draft of a standing order: its actions, one after the other, and when it is carried out."""

from typing import Any
from urllib.parse import parse_qs, urlencode

import msgspec
from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from nomoledger.errors import NomoledgerError, UsageError
from nomoledger.game.desk.common_statements import OfferedStatements, offered_statements
from nomoledger.game.desk.order_draft import (
    OrderStep,
    WrittenOrders,
    check_written,
    place_order,
    written_orders,
)
from nomoledger.game.desk.player_acts import ActionNames, ActionPage, action_names, action_page
from nomoledger.web.forms import (
    Form,
    given_in,
    id_in,
    new_request_id,
    optional_text_in,
    pairs_of,
    statement_in,
    text_in,
)
from nomoledger.web.page_templates import page
from nomoledger.web.routes.sending import page_values, send_for_player
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import Player, WebRequest, host_of, player_of

#: How many actions an order made in a form may have.
STEPS_MAX = 20


class OrderDraft(msgspec.Struct, frozen=True):
    """An order that is being written: the *id* of its request, and what stands in its form.

    *until* is "period" if the order lapses with the open period; *replaces* is the id of an order.
    """

    id: str
    steps: tuple[OrderStep, ...] = ()
    when: str = ""
    holds: str = ""
    until: str = ""
    replaces: str = ""


@get("/games/{game:str}/orders/draft")
@in_thread
def begin_order(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show the form of an order: empty, or with an order to change (`?replaces=ID`)."""
    player = player_of(request, game)
    replaces = request.query_params.get("replaces", "")
    draft = OrderDraft(new_request_id())
    if replaces:
        known = host_of(request).read(game, written_orders, player.name, kind=WrittenOrders)
        order = known.orders.get(replaces)
        if order is None:
            raise NotFoundException("this order does not stand any more")
        draft = OrderDraft(draft.id, order.steps, order.when, order.holds, "", replaces)
    return _draft_page(request, player, draft)


@post("/games/{game:str}/orders/draft")
@in_thread
def work_on_order(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Add an action to the draft, take one out, or place the order."""
    player, draft = player_of(request, game), _draft_in(data)
    what, chosen = text_in(data, "do"), ""
    try:
        for name in ("when", "holds"):
            draft = msgspec.structs.replace(draft, **{name: statement_in(data, name)})
        if what == "choose":
            chosen = text_in(data, "next")
        elif what == "add":
            step = OrderStep(text_in(data, "action"), given_in(pairs_of(data)))
            draft = msgspec.structs.replace(draft, steps=(*draft.steps, step)[:STEPS_MAX])
        elif what.startswith("drop-"):
            kept = (s for place, s in enumerate(draft.steps) if what != f"drop-{place}")
            draft = msgspec.structs.replace(draft, steps=tuple(kept))
        else:
            return _place(request, player, draft, data)
    except NomoledgerError as error:
        return _draft_page(request, player, draft, problem=str(error))
    return _draft_page(request, player, draft, chosen)


def _place(request: WebRequest, player: Player, draft: OrderDraft, data: Form) -> Response[Any]:
    if not draft.steps or not draft.when:
        raise UsageError("an order needs an action, and a statement that says when")
    holds = draft.holds
    host, game = host_of(request), player.session.game
    if draft.until == "period":
        period = host.read(game, written_orders, player.name, kind=WrittenOrders).period
        holds = f"({holds}) and period() == {period}" if holds else f"period() == {period}"
    given = (player.name, draft.when, holds, list(draft.steps))
    host.read(game, check_written, *given, kind=int)  # What is wrong is shown in the draft.
    what = "places a standing order"
    return send_for_player(request, data, what, place_order, *given, draft.replaces)


def _draft_in(data: Form) -> OrderDraft:
    steps = []
    for name, text in pairs_of(data):
        if name == "step":
            action, _, given = text.partition("?")
            steps.append(OrderStep(action, parse_qs(given, keep_blank_values=True)))
    texts = {name: optional_text_in(data, name) for name in ("when", "holds", "until", "replaces")}
    return OrderDraft(id_in(data), tuple(steps[:STEPS_MAX]), **texts)


def _draft_page(
    request: WebRequest, player: Player, draft: OrderDraft, chosen: str = "", problem: str = ""
) -> Response[str]:
    host, game = host_of(request), player.session.game
    form: ActionPage | None = None
    if chosen:
        form = host.consult(game, action_page, player.name, chosen, kind=ActionPage)
    offered = host.consult(game, offered_statements, player.name, kind=OfferedStatements)
    values: dict[str, Any] = {
        "draft": draft,
        "offered": offered.statements,
        "form": form,
        "problem": problem,
        "written": [f"{step.action}?{urlencode(step.given, doseq=True)}" for step in draft.steps],
        "actions": host.consult(game, action_names, player.name, kind=ActionNames).titles,
    }
    return page("order_draft.html", **values, **page_values(player))


ROUTES = [begin_order, work_on_order]
