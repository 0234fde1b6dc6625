"""What only the admin does: dice, answers, verdicts, rulings, the close, time, new players."""

from datetime import UTC, datetime
from typing import Annotated

import msgspec
from litestar import Response
from litestar.params import FromPath, JSONBody, QueryParameter

from nomoledger.game.desk.admin_desk import AdminDesk, admin_desk
from nomoledger.game.desk.admin_requests import answer_as_admin, enter_values
from nomoledger.game.desk.dry_close import ClockTrial, CloseTrial, try_advance, try_close
from nomoledger.game.desk.hand_draw import draw_by_computer
from nomoledger.game.desk.player_requests import submit_values
from nomoledger.game.desk.ruling_preview import (
    RulingDraft,
    RulingPreview,
    make_ruling,
    preview_ruling,
)
from nomoledger.game.game import Game
from nomoledger.people.sign_in import ADMIN
from nomoledger.prose.names import plain
from nomoledger.web.api.callers import ApiRequest, host_behind
from nomoledger.web.api.conditional_reading import show
from nomoledger.web.api.endpoints import GAME, RequestKey, computes, reads, records
from nomoledger.web.api.made_answers import RequestAnswer
from nomoledger.web.api.making_requests import check_body, record
from nomoledger.web.api.problem_details import ApiProblemError
from nomoledger.web.api.request_bodies import (
    ActionBody,
    AdminAnswerBody,
    DrawnBody,
    NewPlayerBody,
    RulingBody,
    TimeBody,
    VerdictBody,
    WordsBody,
)

_PLACE = f"{GAME}/admin"
Until = Annotated[int, QueryParameter(ge=0, le=253402300799, description="In seconds since 1970.")]


@reads(f"{_PLACE}/desk", "admin")
def read_admin_desk(request: ApiRequest, game: FromPath[str]) -> Response[AdminDesk]:
    """What waits, for whom and until when, and what the admin may do."""
    return show(request, admin_desk, kind=AdminDesk)


@records(f"{_PLACE}/dice", "admin")
def enter_dice(
    request: ApiRequest, game: FromPath[str], data: JSONBody[DrawnBody], key: RequestKey
) -> Response[RequestAnswer]:
    """Enter real dice, or another draw made by hand."""
    given, what = [str(value) for value in data.values], "enters dice"
    return record(request, key, data, what, enter_values, given, reader=ADMIN)


@records(f"{_PLACE}/draws", "admin")
def draw(request: ApiRequest, game: FromPath[str], key: RequestKey) -> Response[RequestAnswer]:
    """Let the computer that serves draw what play waits for."""
    return record(request, key, None, "lets this computer draw", draw_by_computer, reader=ADMIN)


@records(f"{_PLACE}/answers", "admin")
def answer_for_player(
    request: ApiRequest, game: FromPath[str], data: JSONBody[AdminAnswerBody], key: RequestKey
) -> Response[RequestAnswer]:
    """Answer the open question for whom it is put to, or let its default stand."""
    if data.value is None:
        what = "lets the default stand"
        return record(request, key, data, what, Game.answer_by_default, reader=ADMIN)
    given, what = str(data.value), "answers a question"
    return record(request, key, data, what, answer_as_admin, given, reader=ADMIN)


@records(f"{_PLACE}/proposals/{{number:int}}/verdict", "admin")
def judge(
    request: ApiRequest, game: FromPath[str], number: FromPath[int], data: JSONBody[VerdictBody],
    key: RequestKey,
) -> Response[RequestAnswer]:  # fmt: skip
    """Judge a proposal."""
    what = f"judges proposal {number}"
    return record(request, key, data, what, Game.judge, number, data.verdict, reader=ADMIN)


@records(f"{_PLACE}/actions", "admin")
def submit_as_admin(
    request: ApiRequest, game: FromPath[str], data: JSONBody[ActionBody], key: RequestKey
) -> Response[RequestAnswer]:
    """Ask for an action of the admin."""
    given, what = (ADMIN, data.action, data.arguments), f"asks for {plain(data.action)}"
    return record(request, key, data, what, submit_values, *given, reader=ADMIN)


@records(f"{_PLACE}/disputes/{{number:int}}/close", "admin")
def close_dispute(
    request: ApiRequest, game: FromPath[str], number: FromPath[int], data: JSONBody[WordsBody],
    key: RequestKey,
) -> Response[RequestAnswer]:  # fmt: skip
    """Close a dispute by a ruling that leaves everything as it is."""
    what = f"closes dispute {number}"
    return record(request, key, data, what, Game.close_dispute, number, data.text, reader=ADMIN)


@records(f"{_PLACE}/undo", "admin")
def undo_last(request: ApiRequest, game: FromPath[str], key: RequestKey) -> Response[RequestAnswer]:
    """Take back the last request, if it still waits."""
    return record(request, key, None, "takes back the last request", Game.undo, reader=ADMIN)


@reads(f"{_PLACE}/close", "admin")
def preview_close(request: ApiRequest, game: FromPath[str]) -> Response[CloseTrial]:
    """What the close of the period would do. Nothing is recorded; dice are thrown away."""
    return show(request, try_close, kind=CloseTrial, takes_long=True)


@records(f"{_PLACE}/close", "admin")
def close(request: ApiRequest, game: FromPath[str], key: RequestKey) -> Response[RequestAnswer]:
    """Close the period."""
    return record(request, key, None, "closes the period", Game.close, reader=ADMIN)


@computes(f"{_PLACE}/rulings/preview", "admin")
def preview_a_ruling(
    request: ApiRequest, game: FromPath[str], data: JSONBody[RulingBody]
) -> Response[RulingPreview]:
    """What a ruling would do: the state now and with it. Nothing is recorded."""
    given = _draft_in(data)
    shown = host_behind(request).study(game, preview_ruling, given, kind=RulingPreview)
    return Response(shown)


@records(f"{_PLACE}/rulings", "admin")
def make_a_ruling(
    request: ApiRequest, game: FromPath[str], data: JSONBody[RulingBody], key: RequestKey
) -> Response[RequestAnswer]:
    """Make a ruling: from now on, or about what happened."""
    given, what = _draft_in(data), f"rules: {data.text:.80}"
    return record(request, key, data, what, make_ruling, given, reader=ADMIN)


@reads(f"{_PLACE}/clock", "admin")
def preview_clock(request: ApiRequest, game: FromPath[str], to: Until) -> Response[ClockTrial]:
    """What falls due until a time. Nothing is recorded; dice are thrown away."""
    return show(request, try_advance, to, kind=ClockTrial, takes_long=True)


@records(f"{_PLACE}/clock", "admin")
def let_time_pass(
    request: ApiRequest, game: FromPath[str], data: JSONBody[TimeBody], key: RequestKey
) -> Response[RequestAnswer]:
    """Let time pass in the game."""
    if not 0 <= data.to <= 253402300799:
        raise ApiProblemError("malformed", "body, field 'to': it is no time of our calendar")
    at = datetime.fromtimestamp(data.to, UTC)
    what = f"lets time pass until {at:%Y-%m-%d %H:%M}"
    return record(request, key, data, what, Game.advance, at=at, reader=ADMIN)


@records(f"{_PLACE}/players", "admin")
def bring_in(
    request: ApiRequest, game: FromPath[str], data: JSONBody[NewPlayerBody], key: RequestKey
) -> Response[RequestAnswer]:
    """Bring somebody into the game."""
    given, what = (data.name, data.details), f"brings in {data.name:.100}"
    return record(request, key, data, what, Game.join, *given, reader=ADMIN)


def _draft_in(body: RulingBody) -> RulingDraft:
    check_body(msgspec.to_builtins(body))
    if not body.text.strip():
        raise ApiProblemError("malformed", "body, field 'text': say what is decided, and why")
    return body.draft()


ENDPOINTS = [
    read_admin_desk, enter_dice, draw, answer_for_player, judge, submit_as_admin, close_dispute,
    undo_last, preview_close, close, preview_a_ruling, make_a_ruling, preview_clock, let_time_pass,
    bring_in,
]  # fmt: skip
