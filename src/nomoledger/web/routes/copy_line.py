"""What a player did in a copy, asked for in the game: tried first, then sent step by step."""

from collections.abc import Iterable
from itertools import takewhile
from typing import Any
from urllib.parse import quote, urlencode

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import NomoledgerError, UsageError
from nomoledger.game.desk.copied_game import CopyState, copy_state
from nomoledger.game.desk.copied_line import LineOfPlay
from nomoledger.game.desk.line_trial import LineTrial, try_line
from nomoledger.game.desk.player_requests import submit_given
from nomoledger.game.desk.request_outcome import RequestOutcome, outcome_for
from nomoledger.game.game import Game
from nomoledger.prose.names import plain
from nomoledger.web.forms import Form, id_in, number_of, pairs_of
from nomoledger.web.game_host import GameHost
from nomoledger.web.page_templates import page
from nomoledger.web.played_copies import CopyInfo
from nomoledger.web.routes.sending import page_values
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import Player, WebRequest, host_of, player_of

#: How many steps can be asked for at once.
STEPS_MAX = 30


@post("/games/{game:str}/copies/{id:str}/line")
@in_thread
def try_steps(
    request: WebRequest, game: FromPath[str], id: FromPath[str], data: Form
) -> Response[str]:
    """Show what the chosen steps of the player would do in the game, one after the other."""
    host, player = host_of(request), player_of(request, game)
    copy = host.copies.find(game, id)
    steps = _steps(host, copy, player, _chosen(pairs_of(data)))
    return _line_page(host, player, copy, [], steps)


@post("/games/{game:str}/copies/{id:str}/line/ask")
@in_thread
def ask_for_steps(
    request: WebRequest, game: FromPath[str], id: FromPath[str], data: Form
) -> Response[Any]:
    """Ask for the chosen steps in the game, until the rules would refuse one."""
    host, player = host_of(request), player_of(request, game)
    copy, sent = host.copies.find(game, id), id_in(data)
    steps = _steps(host, copy, player, _chosen(pairs_of(data)))
    asked = takewhile(
        lambda place: _ask(host, player, steps[place], f"{sent}-{place}"), range(len(steps))
    )
    left = steps[len(list(asked)) :]
    query = [("as", player.acting_for)] if player.acting_for else []
    words = urlencode([*query, *(("step", str(each.event)) for each in left)])
    address = f"{copy.address}/asked/{quote(sent, safe='')}?{words}"
    return Redirect(address, status_code=303)


@get("/games/{game:str}/copies/{id:str}/asked/{sent:str}")
@in_thread
def show_asked(
    request: WebRequest, game: FromPath[str], id: FromPath[str], sent: FromPath[str]
) -> Response[str]:
    """Show what became of the steps that the player asked for, and why others are left."""
    host, player = host_of(request), player_of(request, game)
    copy = host.copies.find(game, id)
    found: list[RequestOutcome] = []
    for place in range(STEPS_MAX):
        each = host.read(game, outcome_for, player.name, f"{sent}-{place}", kind=RequestOutcome)
        if not each.is_known:
            break
        found.append(each)
    chosen = _chosen(request.query_params.multi_items())
    left = _steps(host, copy, player, chosen) if chosen else []
    return _line_page(host, player, copy, found, left)


def _line_page(
    host: GameHost,
    player: Player,
    copy: CopyInfo,
    asked: list[RequestOutcome],
    steps: list[LineOfPlay],
) -> Response[str]:
    """Show what became of the steps that were *asked* for, and what the other *steps* would do."""
    wanted = [each.step for each in steps]
    game = player.session.game
    trial = host.consult(game, try_line, player.name, wanted, kind=LineTrial)
    values: dict[str, Any] = {"copy": copy, "here": copy.address, "steps": steps, "asked": asked}
    return page("line.html", trial=trial, **values, **page_values(player))


def _chosen(pairs: Iterable[tuple[str, Any]]) -> set[int | None]:
    """Return the events in the copy that a form chose."""
    return {number_of(str(text)) for name, text in pairs if name == "step"}


def _steps(
    host: GameHost, copy: CopyInfo, player: Player, chosen: set[int | None]
) -> list[LineOfPlay]:
    """Return the *chosen* steps, as far as the player made them.

    Raises:
        UsageError: there are none, or too many.
    """
    state = host.copies.read(copy, copy_state, copy.since, kind=CopyState)
    own = (each for each in state.line if each.step is not None and each.step.by == player.name)
    steps = [each for each in own if each.event in chosen]
    if not 1 <= len(steps) <= STEPS_MAX:
        raise UsageError(f"choose 1 to {STEPS_MAX} of your own steps in the copy")
    return steps


def _ask(host: GameHost, player: Player, line: LineOfPlay, id: str) -> bool:
    """Ask for a step, unless the rules would refuse it; return whether the next one may follow."""
    game, step = player.session.game, line.step
    assert step is not None
    known = host.read(game, outcome_for, player.name, id, kind=RequestOutcome)
    if known.is_known:  # The form was sent twice.
        return not known.refused
    acting = player.acting_for
    try:
        trial = host.consult(game, try_line, player.name, [step], kind=LineTrial).steps[0]
        if not trial.is_possible:
            return False
        if step.what == "vote":
            number, choice = int(step.given["proposal"][0]), step.given["choice"][0]
            vote, what = (player.name, number, choice), f"votes on proposal {number}"
            host.request(player.session, what, Game.vote, *vote, acting_for=acting, id=id)
        else:
            wanted, what = (player.name, step.action, step.given), f"asks for {plain(step.action)}"
            host.request(player.session, what, submit_given, *wanted, acting_for=acting, id=id)
    except NomoledgerError:
        return False
    return not host.read(game, outcome_for, player.name, id, kind=RequestOutcome).refused


ROUTES = [try_steps, ask_for_steps, show_asked]
