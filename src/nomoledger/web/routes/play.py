"""The pages on which a player plays: what waits, what is possible, and the requests."""

from typing import Any
from urllib.parse import quote

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import NomoledgerError, UsageError
from nomoledger.game.desk.acts import Act
from nomoledger.game.desk.outcomes import RequestOutcome, outcome_for
from nomoledger.game.desk.player_desk import PlayerDesk, player_desk
from nomoledger.game.desk.trial import Trial, try_submission
from nomoledger.game.game import Game
from nomoledger.web.forms import arguments_from, new_request_id, pairs_of
from nomoledger.web.host import Host
from nomoledger.web.pages import page
from nomoledger.web.routes.entrance import Form
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import Player, WebRequest, host_of, player_of


@get("/games/{game:str}/play")
@in_thread
def show_desk(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show the desk of the player."""
    host, player = host_of(request), player_of(request, game)
    desk = _desk(host, player)
    if not player.acting_for and desk.last > player.session.seen:
        host.sign_in.note_seen(player.session, desk.last)
    return page("play.html", player=player, desk=desk, **_page_values(player, game))


@post("/games/{game:str}/play/try")
@in_thread
def try_act(request: WebRequest, game: FromPath[str], data: Form) -> Response[str]:
    """Show what the request would do, with the button that sends it."""
    host, player = host_of(request), player_of(request, game)
    action, arguments = _submission(host, player, data)
    trial: Trial | None = None
    problem = ""
    try:
        trial = host.read(game, try_submission, player.name, action, arguments, kind=Trial)
    except NomoledgerError as error:
        problem = str(error)
    values: dict[str, Any] = {"action": action, "sent": pairs_of(data), "trial": trial}
    values["problem"] = problem
    return page("try.html", player=player, **values, **_page_values(player, game))


@post("/games/{game:str}/play/submit")
@in_thread
def submit(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Send the request."""
    host, player = host_of(request), player_of(request, game)
    action, arguments = _submission(host, player, data)
    given = (player.name, action, arguments)
    return _send(host, player, data, f"asks for {action}", Game.submit, *given)


@post("/games/{game:str}/play/vote")
@in_thread
def vote(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Vote on a proposal."""
    host, player = host_of(request), player_of(request, game)
    number = _number(data, "proposal")
    given = (player.name, number, _text(data, "choice"))
    return _send(host, player, data, f"votes on proposal {number}", Game.vote, *given)


@post("/games/{game:str}/play/answer")
@in_thread
def answer(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Answer the question that play waits for."""
    host, player = host_of(request), player_of(request, game)
    given = (_text(data, "value"), player.name)
    return _send(host, player, data, "answers a question", answer_in_words, *given)


@post("/games/{game:str}/play/cancel-order")
@in_thread
def cancel_order(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Cancel a standing order."""
    host, player = host_of(request), player_of(request, game)
    given = (player.name, _text(data, "order"))
    return _send(host, player, data, "cancels a standing order", Game.cancel_order, *given)


@get("/games/{game:str}/done/{id:str}")
@in_thread
def show_outcome(request: WebRequest, game: FromPath[str], id: FromPath[str]) -> Response[str]:
    """Show what became of a request of the player."""
    host, player = host_of(request), player_of(request, game)
    outcome = host.read(game, outcome_for, player.name, id, kind=RequestOutcome)
    if not outcome.is_known:
        raise NotFoundException("there is no such request of yours")
    return page("done.html", player=player, outcome=outcome, **_page_values(player, game))


def answer_in_words(game: Game, value: str, by: str, **fields: Any) -> Any:
    """Answer the open question of *game* with the option that is called *value*."""
    return game.answer(game.option_called(value), by, **fields)


def _desk(host: Host, player: Player) -> PlayerDesk:
    game = player.session.game
    seen = -1 if player.acting_for else player.session.seen
    return host.read(game, player_desk, player.name, seen, kind=PlayerDesk)


def _submission(host: Host, player: Player, data: Form) -> tuple[str, dict[str, Any]]:
    """Return the action and the arguments in the form *data*."""
    action = _text(data, "action")
    acts: list[Act] = [act for act in _desk(host, player).acts if act.action == action]
    return action, arguments_from(pairs_of(data), acts)


def _send(
    host: Host, player: Player, data: Form, what: str, request: Any, *given: Any
) -> Response[Any]:
    """Make *request* once, however often the form is sent, and show what becomes of it."""
    id, game = _text(data, "id"), player.session.game
    try:
        host.request(player.session, what, request, *given, acting_for=player.acting_for, id=id)
    except NomoledgerError as error:
        values = _page_values(player, game)
        return page("problem.html", 409, player=player, problem=str(error), **values)
    return Redirect(f"/games/{quote(game)}/done/{quote(id)}{player.suffix}", status_code=303)


def _page_values(player: Player, game: str) -> dict[str, Any]:
    return {"game": game, "session": player.session, "new_id": new_request_id}


def _text(data: Form, name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"the form lacks {name!r}: go back, and send it again")
    return value.strip()


def _number(data: Form, name: str) -> int:
    text = _text(data, name)
    if not text.isdecimal() or len(text) > 9:
        raise UsageError(f"{name} is a number, not {text!r:.40}")
    return int(text)


ROUTES = [show_desk, try_act, submit, vote, answer, cancel_order, show_outcome]
