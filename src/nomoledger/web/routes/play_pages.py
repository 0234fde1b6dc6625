"""The pages on which a player plays: what waits, what is possible, and the requests."""

from functools import partial
from typing import Any

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import NomoledgerError
from nomoledger.game.desk.common_statements import OfferedStatements, offered_statements
from nomoledger.game.desk.happenings import Happenings, meanwhile
from nomoledger.game.desk.player_acts import ActionPage, PlayerActs, action_page, player_acts
from nomoledger.game.desk.player_desk import PlayerDesk, player_desk
from nomoledger.game.desk.player_requests import answer_in_words, submit_given, undo_own
from nomoledger.game.desk.request_outcome import RequestOutcome, outcome_for
from nomoledger.game.desk.request_trial import RequestTrial, try_submission
from nomoledger.game.game import Game
from nomoledger.prose.names import plain
from nomoledger.web.forms import Form, given_in, number_in, number_of, pairs_of, text_in
from nomoledger.web.page_templates import page
from nomoledger.web.routes.sending import page_values, place_of, send_for_player
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, player_of

#: A page without scripts that lacks a part loads itself again up to so often, and then waits for
#: the part for so many seconds.
AGAIN_MAX, AGAIN_SECONDS = 4, 15.0


@get("/games/{game:str}/play")
@in_thread
def show_desk(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show the desk of the player."""
    host, player = host_of(request), player_of(request, game)
    seen = -1 if player.acting_for else player.session.seen
    again = number_of(request.query_params.get("again", "")) or 0
    patience = AGAIN_SECONDS if again else host.acts_seconds
    found = partial(host.acts.get, game, player_acts, player.name, kind=PlayerActs)
    found(patience=0.0)  # Another process begins with it while the rest is read.
    desk = host.read(game, player_desk, player.name, seen, kind=PlayerDesk)
    acts = found(patience=patience)
    entered = host.deeds.done_for(game, player.name)
    is_asked = desk.question is not None and desk.question.to == player.name
    again = 0 if acts or is_asked or again >= AGAIN_MAX else again + 1
    values: dict[str, Any] = {"desk": desk, "acts": acts, "entered": entered, "again": again}
    return page("play.html", **values, **page_values(player))


@get("/games/{game:str}/play/acts")
@in_thread
def show_acts(request: WebRequest, game: FromPath[str]) -> Response[Any]:
    """Show the part of the desk that takes long in large games; that it is awaited, if so."""
    host, player = host_of(request), player_of(request, game)
    acts = host.acts.get(game, player_acts, player.name, kind=PlayerActs, patience=10.0)
    if acts is None:
        return page("acts_later.html", 202, **page_values(player))
    desk = host.read(game, player_desk, player.name, player.session.seen, kind=PlayerDesk)
    return page("acts.html", desk=desk, acts=acts, **page_values(player))


@get("/games/{game:str}/play/act/{action:str}")
@in_thread
def show_action(request: WebRequest, game: FromPath[str], action: FromPath[str]) -> Response[str]:
    """Show the form of an action."""
    host, player = host_of(request), player_of(request, game)
    form = host.consult(game, action_page, player.name, action, kind=ActionPage)
    offered = host.consult(game, offered_statements, player.name, kind=OfferedStatements)
    values: dict[str, Any] = {"form": form, "offered": offered.statements}
    since = host.read(game, player_desk, player.name, -1, kind=PlayerDesk).last
    return page("action.html", since=since, **values, **page_values(player))


@post("/games/{game:str}/play/try", opt={"limit": "trial"})
@in_thread
def try_act(request: WebRequest, game: FromPath[str], data: Form) -> Response[str]:
    """Show what the request would do, with the button that sends it."""
    host, player = host_of(request), player_of(request, game)
    action, given = text_in(data, "action"), given_in(pairs_of(data))
    trial: RequestTrial | None = None
    problem = ""
    try:
        trial = host.consult(game, try_submission, player.name, action, given, kind=RequestTrial)
    except NomoledgerError as error:
        problem = str(error)
    kept = [pair for pair in pairs_of(data) if pair[0] in ("action", "since")]
    values: dict[str, Any] = {
        "action": action,
        "sent": kept,
        "trial": trial,
        "problem": problem,
        "given": given,
    }
    return page("try.html", **values, **page_values(player))


@post("/games/{game:str}/play/submit")
@in_thread
def submit(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Send the request."""
    player = player_of(request, game)
    action, given = text_in(data, "action"), given_in(pairs_of(data))
    wanted = (player.name, action, given)
    return send_for_player(request, data, f"asks for {plain(action)}", submit_given, *wanted)


@post("/games/{game:str}/play/vote")
@in_thread
def vote(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Vote on a proposal."""
    player, number = player_of(request, game), number_in(data, "proposal")
    given = (player.name, number, text_in(data, "choice"))
    return send_for_player(request, data, f"votes on proposal {number}", Game.vote, *given)


@post("/games/{game:str}/play/answer")
@in_thread
def answer(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Answer the question that play waits for."""
    player = player_of(request, game)
    given = (text_in(data, "value"), player.name, text_in(data, "question"))
    return send_for_player(request, data, "answers a question", answer_in_words, *given)


@post("/games/{game:str}/play/undo")
@in_thread
def undo(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Take back the last request of the player."""
    player = player_of(request, game)
    given = (player.name, text_in(data, "request"))
    return send_for_player(request, data, "takes a request back", undo_own, *given)


@post("/games/{game:str}/play/seen")
@in_thread
def mark_as_seen(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Remember what the player has read of what happened."""
    host, player = host_of(request), player_of(request, game)
    if not player.acting_for:
        host.sign_in.note_seen(player.session, number_in(data, "last"))
    return Redirect(f"{place_of(player)}/play{player.suffix}", status_code=303)


@get("/games/{game:str}/done/{id:str}")
@in_thread
def show_outcome(request: WebRequest, game: FromPath[str], id: FromPath[str]) -> Response[str]:
    """Show what became of a request of the player, and what happened before it was sent."""
    host, player = host_of(request), player_of(request, game)
    outcome = host.read(game, outcome_for, player.name, id, kind=RequestOutcome)
    if not outcome.is_known:
        raise NotFoundException("there is no such request of yours")
    before, since = Happenings(), number_of(request.query_params.get("since", ""))
    if outcome.refused and since is not None:
        before = host.read(game, meanwhile, player.name, since, id, kind=Happenings)
    again = bool(request.query_params.get("again"))
    values: dict[str, Any] = {"outcome": outcome, "before": before, "id": id, "again": again}
    return page("done.html", **values, **page_values(player))


ROUTES = [
    show_desk, show_acts, show_action, try_act, submit, vote, answer, undo, mark_as_seen,
    show_outcome,
]  # fmt: skip
