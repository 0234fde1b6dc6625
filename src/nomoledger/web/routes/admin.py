"""The pages of the admin: what waits, dice, verdicts, the close, invitations, deeds, sign-ins."""

import time
from typing import Any
from urllib.parse import quote, urlencode

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import NomoledgerError, UsageError
from nomoledger.game.desk.admin_desk import AdminDesk, admin_desk
from nomoledger.game.desk.admin_requests import answer_as_admin, enter_values
from nomoledger.game.desk.dry_close import ClockTrial, CloseTrial, try_advance, try_close
from nomoledger.game.desk.hand_draw import draw_by_computer
from nomoledger.game.desk.joining_texts import JoiningTexts, joining_texts
from nomoledger.game.desk.live_time import GameTime, game_time
from nomoledger.game.desk.player_requests import submit_given
from nomoledger.game.game import Game
from nomoledger.mail.mail import KIND as MAIL
from nomoledger.mail.mail_address import checked_address, is_mail_address
from nomoledger.people.sign_in import ADMIN, LINK_SECONDS
from nomoledger.prose.names import plain
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
from nomoledger.web.game_host import GameHost, reasons_of
from nomoledger.web.page_templates import page
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, admin_of, host_of, public_base, visit_of


@get("/games/{game:str}/admin")
@in_thread
def show_desk(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show what waits, and what the admin can do."""
    session, host = admin_of(request, game), host_of(request)
    desk = _desk(host, game)
    fires = host.keeps_clocks and host.read(game, game_time, kind=GameTime).is_live(time.time())
    return page("admin.html", desk=desk, fires=fires, game=game, session=session)


@post("/games/{game:str}/admin/dice")
@in_thread
def enter_dice(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Enter real dice, or another draw made by hand."""
    values = [value.strip() for name, value in pairs_of(data) if name == "value" and value.strip()]
    return _send(request, game, data, "enters dice", enter_values, values)


@post("/games/{game:str}/admin/answer")
@in_thread
def answer(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Answer the open question, or let its default stand."""
    value = optional_text_in(data, "value")
    if optional_text_in(data, "default") or not value:
        return _send(request, game, data, "lets the default stand", Game.answer_by_default)
    return _send(request, game, data, "answers a question", answer_as_admin, value)


@post("/games/{game:str}/admin/judge")
@in_thread
def judge(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Judge a proposal."""
    number, verdict = number_in(data, "proposal"), optional_text_in(data, "verdict")
    return _send(request, game, data, f"judges proposal {number}", Game.judge, number, verdict)


@post("/games/{game:str}/admin/submit")
@in_thread
def submit(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Ask for an action of the admin."""
    action, given = text_in(data, "action"), given_in(pairs_of(data))
    what = f"asks for {plain(action)}"
    return _send(request, game, data, what, submit_given, ADMIN, action, given)


@post("/games/{game:str}/admin/throw")
@in_thread
def throw(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Throw the dice that play waits for, or draw, for an admin who has none at hand."""
    return _send(request, game, data, "lets this computer draw", draw_by_computer)


@post("/games/{game:str}/admin/close-dispute")
@in_thread
def close_dispute(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Close a dispute by a ruling that leaves everything as it is."""
    number, text = number_in(data, "dispute"), optional_text_in(data, "text")
    return _send(request, game, data, f"closes dispute {number}", Game.close_dispute, number, text)


@post("/games/{game:str}/admin/undo")
@in_thread
def undo(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Take back the last request, if it still waits."""
    return _send(request, game, data, "takes back the last request", Game.undo)


@get("/games/{game:str}/admin/close")
@in_thread
def preview_close(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show what the close of the period would do, and ask."""
    session = admin_of(request, game)
    trial, problem = CloseTrial(), ""
    try:
        trial = host_of(request).read(game, try_close, kind=CloseTrial)
    except NomoledgerError as error:
        problem = str(error)
    return page("close.html", trial=trial, problem=problem, game=game, session=session)


@post("/games/{game:str}/admin/close")
@in_thread
def close(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Close the period."""
    return _send(request, game, data, "closes the period", Game.close)


@get("/games/{game:str}/admin/clock")
@in_thread
def preview_clock(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Ask until when time passes; with `?to=TIME`, show what falls due by then, and ask again."""
    session, host = admin_of(request, game), host_of(request)
    trial: ClockTrial | None = None
    problem = ""
    if request.query_params.get("to"):
        try:
            to = int(time_in(request.query_params["to"]).timestamp())
            trial = host.study(game, try_advance, to, kind=ClockTrial)
        except NomoledgerError as error:
            problem = str(error)
    its = host.read(game, game_time, kind=GameTime)
    fires = host.keeps_clocks and its.is_live(time.time())
    values: dict[str, Any] = {"its": its, "trial": trial, "fires": fires, "clock": int(time.time())}
    return page("clock.html", problem=problem, **values, game=game, session=session)


@post("/games/{game:str}/admin/clock")
@in_thread
def advance(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Let time pass in the game."""
    at = time_in(optional_text_in(data, "to"))
    what = f"lets time pass until {at:%Y-%m-%d %H:%M}"
    return _send(request, game, data, what, Game.advance, at=at)


@get("/games/{game:str}/admin/people")
@in_thread
def show_people(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show who is invited, and make invitations."""
    return _people_page(request, game, None)


@post("/games/{game:str}/admin/people")
@in_thread
def invite(request: WebRequest, game: FromPath[str], data: Form) -> Response[str]:
    """Invite a player: show the link to hand out, or send it by mail."""
    host, session = host_of(request), admin_of(request, game)
    player, email = optional_text_in(data, "player"), optional_text_in(data, "email")
    if player != ADMIN and player not in _desk(host, game).players:
        raise UsageError(f"there is no player {player!r:.80}: the player has to join first")
    email = checked_address(email) if email else ""
    is_sent = bool(optional_text_in(data, "send"))
    if is_sent and (host.mail is None or not email):
        raise UsageError("the invitation cannot be sent: this needs a mail server and an address")
    token = host.sign_in.invite(game, player, email, visit_of(request))
    is_new = True
    link = f"{public_base(request)}/enter/{token}"
    if is_sent and host.mail is not None:
        until, id = int(time.time()) + LINK_SECONDS, f"invitation:{game}:{id_in(data)}"
        is_new = host.mail.post_invitation(game, player, email, link=link, until=until, id=id)
        link = ""
    if is_new:  # The form of a mail that is sent twice does not void the link in the mail.
        host.sign_in.void_others(token)
    host.deeds.note(session, f"invites {player}")
    return _people_page(request, game, (player, email, link))


@get("/games/{game:str}/admin/deeds")
@in_thread
def show_deeds(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show who did what through which session."""
    session = admin_of(request, game)
    deeds = host_of(request).deeds.latest(game)
    return page("deeds.html", deeds=deeds, game=game, session=session)


@get("/games/{game:str}/admin/sign-ins")
@in_thread
def show_sign_ins(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show the record of sign-ins to the game."""
    session = admin_of(request, game)
    entries = host_of(request).sign_in.record.in_game(game)
    return page("sign_ins.html", entries=entries, game=game, session=session)


@post("/games/{game:str}/admin/join")
@in_thread
def join(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Bring somebody into the game, and show how to invite that player."""
    name, email = optional_text_in(data, "name"), optional_text_in(data, "email")
    details = {"email": checked_address(email)} if email else {}
    answer = _send(request, game, data, f"brings in {name}", Game.join, name, details)
    if not isinstance(answer, Redirect):
        return answer
    if email:
        host_of(request).sign_in.note_address(game, name, email)
    place = f"/games/{quote(game)}/admin/people?{urlencode({'joined': name})}"
    return Redirect(place, status_code=303)


def _people_page(
    request: WebRequest, game: str, invited: tuple[str, str, str] | None
) -> Response[str]:
    session, host = admin_of(request, game), host_of(request)
    people = host.sign_in.people(game)
    values: dict[str, Any] = {
        "people": people,
        "suggested": _given_addresses(host, game) | people,
        "readers": (ADMIN, *_desk(host, game).players),
        "joined": request.query_params.get("joined", ""),
        "can_send": host.mail is not None,
        "waiting": [letter for letter in host.outbox.waiting(game) if letter.kind == MAIL],
        "given_up": [letter for letter in host.outbox.given_up(game) if letter.kind == MAIL],
    }
    return page("people.html", invited=invited, **values, game=game, session=session)


def _given_addresses(host: GameHost, game: str) -> dict[str, str]:
    """Return the e-mail addresses that players gave when they joined."""
    given = host.read(game, joining_texts, kind=JoiningTexts).by_player
    found = {
        name: [text for text in texts if is_mail_address(text)] for name, texts in given.items()
    }
    return {name: addresses[0] for name, addresses in found.items() if addresses}


def _desk(host: GameHost, game: str) -> AdminDesk:
    return host.consult(game, admin_desk, kind=AdminDesk)


def _send(
    request: WebRequest, game: str, data: Form, what: str, make: Any, *given: Any, **fields: Any
) -> Response[Any]:
    """Make a request once, however often its form is sent, and go back to the desk."""
    host, session = host_of(request), admin_of(request, game)
    id = id_in(data)
    values: dict[str, Any] = {"game": game, "session": session}
    try:
        outcome = host.request(session, what, make, *given, id=id, **fields)
    except NomoledgerError as error:
        return page("problem.html", 409, player=None, problem=str(error), **values)
    if refused := reasons_of(outcome, id):
        problem = f"The rules refuse: {'; '.join(refused)}."
        return page("problem.html", 409, player=None, problem=problem, **values)
    return Redirect(f"/games/{quote(game)}/admin", status_code=303)


ROUTES = [
    show_desk, enter_dice, throw, answer, judge, submit, close_dispute, undo, preview_close,
    close, preview_clock, advance, show_people, invite, show_deeds,
    show_sign_ins, join,
]  # fmt: skip
