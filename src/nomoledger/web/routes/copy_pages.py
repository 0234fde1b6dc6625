"""What if: copies of a game, in which everybody who is signed in can play for everybody."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import NomoledgerError, UsageError
from nomoledger.game.desk.acts import OfferedAct
from nomoledger.game.desk.comparison import Comparison
from nomoledger.game.desk.copied_game import (
    CopyState,
    acts_in_copy,
    answer_in_copy,
    ask_in_copy,
    copy_state,
    draw_in_copy,
    let_time_pass_in_copy,
    propose_in_copy,
    rule_in_copy,
    submit_in_copy,
)
from nomoledger.people.sign_in import ADMIN
from nomoledger.views.past.scene import Scene, compare_moments, scene_at
from nomoledger.web.forms import (
    Form,
    given_in,
    id_in,
    number_in,
    optional_text_in,
    pairs_of,
    text_in,
    time_in,
)
from nomoledger.web.page_templates import page
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, signed_in


@post("/games/{game:str}/copies")
@in_thread
def make_copy(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Copy the game as everybody may see it: as it is, or as it was after a public event."""
    session, host = signed_in(request, game), host_of(request)
    upto = number_in(data, "event") if data.get("event") else None
    made = host.copies.make(game, session.reader, upto)
    host.deeds.note(session, "opens a copy, to try things")
    return Redirect(made.address, status_code=303)


@get("/games/{game:str}/copies/{id:str}")
@in_thread
def show_copy(request: WebRequest, game: FromPath[str], id: FromPath[str]) -> Response[str]:
    """Show where the copy stands, and what can be done in it."""
    return _copy_page(request, game, id, "")


@post("/games/{game:str}/copies/{id:str}/play")
@in_thread
def play(request: WebRequest, game: FromPath[str], id: FromPath[str], data: Form) -> Response[Any]:
    """Make a request in the copy, for any player."""
    signed_in(request, game)
    host = host_of(request)
    copy = host.copies.find(game, id)
    player = str(request.query_params.get("as", ""))
    try:
        make, given = _wanted(player, data)
        host.copies.request(copy, make, *given, id=id_in(data))
    except NomoledgerError as error:
        return _copy_page(request, game, id, str(error))
    suffix = f"?as={quote(player)}" if player else ""
    return Redirect(f"{copy.address}{suffix}", status_code=303)


@post("/games/{game:str}/copies/{id:str}/back")
@in_thread
def go_back(
    request: WebRequest, game: FromPath[str], id: FromPath[str], data: Form
) -> Response[Any]:
    """Take back what was done in the copy, from an event on."""
    signed_in(request, game)
    host = host_of(request)
    copy = host.copies.find(game, id)
    try:
        host.copies.go_back(copy, number_in(data, "before"), number_in(data, "last"))
    except NomoledgerError as error:
        return _copy_page(request, game, id, str(error))
    return Redirect(f"{copy.address}#line", status_code=303)


def _wanted(player: str, data: Form) -> tuple[Callable[..., Any], list[Any]]:
    """Return the request that the form *data* describes, and what is given to it."""
    what = text_in(data, "what")
    if what == "submit":
        return submit_in_copy, [player, text_in(data, "action"), given_in(pairs_of(data))]
    if what == "vote":
        vote = [player, number_in(data, "proposal"), text_in(data, "choice")]
        return ask_in_copy, ["vote", *vote]
    if what == "judge":
        return ask_in_copy, ["judge", number_in(data, "proposal"), text_in(data, "verdict")]
    if what == "propose":
        return propose_in_copy, [player, text_in(data, "text"), optional_text_in(data, "changes")]
    if what == "answer":
        return answer_in_copy, [optional_text_in(data, "value")]
    if what == "rule":
        return rule_in_copy, [text_in(data, "value")]
    if what == "draw":
        values = [text.strip() for name, text in pairs_of(data) if name == "value"]
        return draw_in_copy, [[text for text in values if text]]
    if what == "wait":
        until = optional_text_in(data, "until")
        return let_time_pass_in_copy, [int(time_in(until).timestamp()) if until else None]
    if what == "close":
        return ask_in_copy, ["close"]
    raise UsageError(f"there is no request {what!r:.40} in a copy")


def _copy_page(request: WebRequest, game: str, id: str, problem: str) -> Response[str]:
    session, host = signed_in(request, game), host_of(request)
    copy = host.copies.find(game, id)
    state = host.copies.read(copy, copy_state, copy.since, kind=CopyState)
    player = str(request.query_params.get("as", ""))
    if player not in (*state.players, ADMIN):
        player = session.reader if session.reader in state.players else ""
    moments = (copy.since, state.last)
    acts: list[OfferedAct] = []
    if player:
        acts = host.copies.read(copy, acts_in_copy, player, kind=list[OfferedAct])
    values: dict[str, Any] = {
        "copy": copy,
        "here": copy.address,
        "state": state,
        "player": player,
        "acts": acts,
        "scene": host.copies.read(copy, scene_at, ADMIN, state.last, kind=Scene),
        "comparison": host.copies.read(copy, compare_moments, ADMIN, *moments, kind=Comparison),
        "address": str(request.base_url).rstrip("/") + copy.address,
        "game": game,
        "session": session,
    }
    return page("copy.html", 409 if problem else 200, problem=problem, **values)


ROUTES = [make_copy, show_copy, play, go_back]
