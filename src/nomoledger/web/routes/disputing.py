"""Disputes: opened from an event or a period, argued, with the replay that is attached."""

from typing import Any

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from nomoledger.errors import UsageError
from nomoledger.game.desk.dispute_desk import (
    SeenDisputes,
    SeenEvent,
    argue_seen,
    dispute_seen,
    disputes_for,
    event_for,
)
from nomoledger.web.forms import Form, number_in, number_of, optional_text_in, text_in
from nomoledger.web.page_templates import page
from nomoledger.web.routes.sending import page_values, send_for_player
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, player_of

#: How long an argument may be, in characters.
TEXT_MAX = 10_000


@get("/games/{game:str}/disputes")
@in_thread
def list_disputes(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """List the disputes, and offer to open one about a period."""
    host, player = host_of(request), player_of(request, game)
    known = host.read(game, disputes_for, player.name, kind=SeenDisputes)
    return page("disputes.html", known=known, **page_values(player))


@get("/games/{game:str}/disputes/new")
@in_thread
def show_form(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show the form of a dispute about an event."""
    host, player = host_of(request), player_of(request, game)
    number = number_of(request.query_params.get("event", ""))
    if number is None:
        raise NotFoundException("a dispute is about an event: choose one on your page")
    event = host.read(game, event_for, player.name, number, kind=SeenEvent)
    return page("dispute_form.html", event=event, number=number, **page_values(player))


@post("/games/{game:str}/disputes/open")
@in_thread
def open_dispute(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Open a dispute about an event or a period."""
    player, event = player_of(request, game), number_of(optional_text_in(data, "event"))
    period = None if event is not None else number_in(data, "period")
    given = (player.name, _words_in(data), period, event)
    return send_for_player(request, data, "opens a dispute", dispute_seen, *given)


@get("/games/{game:str}/disputes/{number:int}")
@in_thread
def show_dispute(request: WebRequest, game: FromPath[str], number: FromPath[int]) -> Response[str]:
    """Show a dispute with its arguments."""
    host, player = host_of(request), player_of(request, game)
    known = host.read(game, disputes_for, player.name, kind=SeenDisputes)
    found = next((each for each in known.disputes if each.number == number), None)
    if found is None:
        raise NotFoundException(f"there is no dispute {number} that you know of")
    return page("dispute.html", dispute=found, **page_values(player))


@post("/games/{game:str}/disputes/argue")
@in_thread
def argue(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Argue in a dispute."""
    player, number = player_of(request, game), number_in(data, "dispute")
    given = (player.name, number, _words_in(data))
    return send_for_player(request, data, f"argues in dispute {number}", argue_seen, *given)


def _words_in(data: Form) -> str:
    text = text_in(data, "text").replace("\r\n", "\n")
    if len(text) > TEXT_MAX:
        raise UsageError(f"the text has {len(text)} characters: {TEXT_MAX} at most")
    return text


ROUTES = [list_disputes, show_form, open_dispute, show_dispute, argue]
