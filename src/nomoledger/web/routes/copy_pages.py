"""What if: copies of a game, in which everybody who is signed in can play for everybody."""

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
    submit_in_copy,
)
from nomoledger.people.sign_in import ADMIN
from nomoledger.views.past.scene import Scene, compare_moments, scene_at
from nomoledger.web.forms import Form, given_in, id_in, number_in, pairs_of, text_in
from nomoledger.web.game_host import GameHost
from nomoledger.web.page_templates import page
from nomoledger.web.played_copies import CopyInfo
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, signed_in


@post("/games/{game:str}/copies", opt={"limit": "trial"})
@in_thread
def make_copy(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Copy the game as everybody may see it: as it is, or as it was after a public event."""
    session, host = signed_in(request, game), host_of(request)
    upto = number_in(data, "event") if data.get("event") else None
    made = host.copies.make(host.study, game, session.reader, upto)
    host.deeds.note(session, "opens a copy, to try things")
    return Redirect(_address(made), status_code=303)


@get("/games/{game:str}/copies/{id:str}")
@in_thread
def show_copy(request: WebRequest, game: FromPath[str], id: FromPath[str]) -> Response[str]:
    """Show where the copy stands, and what can be done in it."""
    return _copy_page(request, game, id, "")


@post("/games/{game:str}/copies/{id:str}/play", opt={"limit": "trial"})
@in_thread
def play(request: WebRequest, game: FromPath[str], id: FromPath[str], data: Form) -> Response[Any]:
    """Make a request in the copy, for any player."""
    signed_in(request, game)
    host = host_of(request)
    copy = host.copies.find(game, id)
    player = str(request.query_params.get("as", ""))
    try:
        _carry_out(host, copy, player, data)
    except NomoledgerError as error:
        return _copy_page(request, game, id, str(error))
    return Redirect(_address(copy, player), status_code=303)


def _carry_out(host: GameHost, copy: CopyInfo, player: str, data: Form) -> None:
    """Make the request that the form *data* describes."""
    what, given = text_in(data, "what"), list[Any]()
    make: Any = ask_in_copy
    if what == "submit":
        make, given = submit_in_copy, [player, text_in(data, "action"), given_in(pairs_of(data))]
    elif what == "vote":
        given = ["vote", player, number_in(data, "proposal"), text_in(data, "choice")]
    elif what == "judge":
        given = ["judge", number_in(data, "proposal"), text_in(data, "verdict")]
    elif what == "answer":
        make, given = answer_in_copy, [str(data.get("value", ""))]
    elif what == "draw":
        make = draw_in_copy
    elif what == "wait":
        make = let_time_pass_in_copy
    elif what == "close":
        given = ["close"]
    else:
        raise UsageError(f"there is no request {what!r:.40} in a copy")
    host.copies.request(copy, make, *given, id=id_in(data))


def _copy_page(request: WebRequest, game: str, id: str, problem: str) -> Response[str]:
    session, host = signed_in(request, game), host_of(request)
    copy = host.copies.find(game, id)
    state = host.copies.read(copy, copy_state, copy.since, kind=CopyState)
    player = str(request.query_params.get("as", ""))
    if player not in state.players:
        player = session.reader if session.reader in state.players else ""
    moments = (copy.since, state.last)
    values: dict[str, Any] = {
        "copy": copy,
        "state": state,
        "player": player,
        "acts": host.copies.read(copy, acts_in_copy, player, kind=list[OfferedAct])
        if player
        else [],
        "scene": host.copies.read(copy, scene_at, ADMIN, state.last, kind=Scene),
        "comparison": host.copies.read(copy, compare_moments, ADMIN, *moments, kind=Comparison),
        "address": str(request.base_url).rstrip("/") + _address(copy),
        "game": game,
        "session": session,
    }
    return page("copy.html", 409 if problem else 200, problem=problem, **values)


def _address(copy: CopyInfo, player: str = "") -> str:
    suffix = f"?as={quote(player)}" if player else ""
    return f"/games/{quote(copy.game)}/copies/{quote(copy.id)}{suffix}"


ROUTES = [make_copy, show_copy, play]
