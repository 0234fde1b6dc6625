"""What a player reads and does: what is possible now, actions, votes, answers, standing orders."""

import msgspec
from litestar import Response
from litestar.params import FromPath, JSONBody

from nomoledger.errors import UnknownError
from nomoledger.game.desk.player_acts import ActionPage, PlayerActs, action_page, player_acts
from nomoledger.game.desk.player_desk import PlayerDesk, player_desk
from nomoledger.game.desk.player_requests import (
    answer_in_words,
    order_acts,
    order_answer,
    submit_values,
    undo_own,
)
from nomoledger.game.desk.request_outcome import RequestOutcome, outcome_for
from nomoledger.game.desk.request_trial import RequestTrial, try_submission
from nomoledger.game.game import Game
from nomoledger.prose.names import plain
from nomoledger.web.api.callers import ApiRequest, caller_of, host_behind, player_behind
from nomoledger.web.api.conditional_reading import has_it, headers_of, show
from nomoledger.web.api.endpoints import GAME, ActingFor, RequestKey, computes, reads, records
from nomoledger.web.api.made_answers import (
    OpenQuestions,
    RequestAnswer,
    StandingOrders,
    TrialAnswer,
    request_answer,
    trial_answer,
)
from nomoledger.web.api.making_requests import check_body, record
from nomoledger.web.api.problem_details import ApiProblemError
from nomoledger.web.api.request_bodies import ActionBody, AnswerBody, OrderBody, VoteBody

#: For how many seconds a program waits for what the rules allow.
ACTS_PATIENCE = 20.0


@reads(f"{GAME}/desk", "read")
def read_desk(
    request: ApiRequest, game: FromPath[str], acting: ActingFor = None
) -> Response[PlayerDesk]:
    """What a player has, what waits, and what happened to the player."""
    return show(request, player_desk, player_behind(request), -1, kind=PlayerDesk)


@reads(f"{GAME}/acts", "read")
def read_acts(
    request: ApiRequest, game: FromPath[str], acting: ActingFor = None
) -> Response[PlayerActs]:
    """What the player may do now, as the rules say, and until when."""
    headers = headers_of(request)
    if has_it(request, headers["etag"]):
        return Response(None, status_code=304, headers=headers)  # type: ignore[arg-type]
    return Response(_acts(request, game), headers=headers)


@reads(f"{GAME}/acts/{{action:str}}", "read")
def read_action(
    request: ApiRequest, game: FromPath[str], action: FromPath[str], acting: ActingFor = None
) -> Response[ActionPage]:
    """The form of an action: its fields, with what can be chosen."""
    asked = action_page, player_behind(request), action
    return show(request, *asked, kind=ActionPage, takes_long=True)


@reads(f"{GAME}/questions", "read")
def read_questions(
    request: ApiRequest, game: FromPath[str], acting: ActingFor = None
) -> Response[OpenQuestions]:
    """What waits for an answer of the player."""
    player = player_behind(request)
    desk = host_behind(request).read(game, player_desk, player, -1, kind=PlayerDesk)
    question = desk.question
    is_own = question is not None and question.to == player
    return Response(OpenQuestions(question if is_own else None, _acts(request, game).waiting))


@reads(f"{GAME}/orders", "read")
def list_orders(
    request: ApiRequest, game: FromPath[str], acting: ActingFor = None
) -> Response[StandingOrders]:
    """List the standing orders of the player."""
    given = player_behind(request), -1
    return show(
        request, player_desk, *given, kind=PlayerDesk, shown=lambda its: StandingOrders(its.orders)
    )


@reads(f"{GAME}/requests/{{id:str}}", "read")
def read_request(
    request: ApiRequest, game: FromPath[str], id: FromPath[str], acting: ActingFor = None
) -> Response[RequestAnswer]:
    """What became of a request, by its id in the ledger."""
    host, player = host_behind(request), caller_of(request).player
    outcome = host.read(game, outcome_for, player, id, kind=RequestOutcome)
    if not outcome.is_known:
        raise UnknownError("there is no such request of yours")
    return Response(request_answer(id, outcome))


@computes(f"{GAME}/trials", "play")
def try_action(
    request: ApiRequest, game: FromPath[str], data: JSONBody[ActionBody], acting: ActingFor = None
) -> Response[TrialAnswer]:
    """Try an action: what it would do, or why the rules would refuse it. Nothing is recorded."""
    check_body(msgspec.to_builtins(data))
    given = player_behind(request), data.action, data.arguments, True
    trial = host_behind(request).consult(game, try_submission, *given, kind=RequestTrial)
    return Response(trial_answer(trial))


@records(f"{GAME}/actions", "play")
def submit_action(
    request: ApiRequest, game: FromPath[str], data: JSONBody[ActionBody], key: RequestKey,
    acting: ActingFor = None,
) -> Response[RequestAnswer]:  # fmt: skip
    """Ask for an action."""
    given = player_behind(request), data.action, data.arguments
    return record(request, key, data, f"asks for {plain(data.action)}", submit_values, *given)


@records(f"{GAME}/proposals/{{number:int}}/votes", "play")
def vote(
    request: ApiRequest, game: FromPath[str], number: FromPath[int], data: JSONBody[VoteBody],
    key: RequestKey, acting: ActingFor = None,
) -> Response[RequestAnswer]:  # fmt: skip
    """Vote on a proposal."""
    given = player_behind(request), number, data.choice
    return record(request, key, data, f"votes on proposal {number}", Game.vote, *given)


@records(f"{GAME}/answers", "play")
def answer(
    request: ApiRequest, game: FromPath[str], data: JSONBody[AnswerBody], key: RequestKey,
    acting: ActingFor = None,
) -> Response[RequestAnswer]:  # fmt: skip
    """Answer the question that play waits for."""
    given = str(data.value), player_behind(request), data.question
    return record(request, key, data, "answers a question", answer_in_words, *given)


@records(f"{GAME}/orders", "play")
def place_order(
    request: ApiRequest, game: FromPath[str], data: JSONBody[OrderBody], key: RequestKey,
    acting: ActingFor = None,
) -> Response[RequestAnswer]:  # fmt: skip
    """Place a standing order: actions, or an answer, as soon as a statement is true."""
    player, what = player_behind(request), "places a standing order"
    if bool(data.acts) == bool(data.answer):
        raise ApiProblemError("malformed", "body: an order has acts or an answer: one of them")
    if data.answer and data.replaces:
        raise ApiProblemError("malformed", "body, field 'replaces': an answer replaces no order")
    if data.answer:
        given = player, data.when, data.holds, data.answer
        return record(request, key, data, what, order_answer, *given)
    acts = [(act.action, act.arguments) for act in data.acts]
    orders = player, data.when, data.holds, acts, data.replaces
    return record(request, key, data, what, order_acts, *orders)


@records(f"{GAME}/orders/{{order:str}}/cancel", "play")
def cancel_order(
    request: ApiRequest, game: FromPath[str], order: FromPath[str], key: RequestKey,
    acting: ActingFor = None,
) -> Response[RequestAnswer]:  # fmt: skip
    """Cancel a standing order."""
    given = player_behind(request), order
    return record(request, key, None, "cancels a standing order", Game.cancel_order, *given)


@records(f"{GAME}/requests/{{id:str}}/undo", "play")
def undo(
    request: ApiRequest, game: FromPath[str], id: FromPath[str], key: RequestKey,
    acting: ActingFor = None,
) -> Response[RequestAnswer]:  # fmt: skip
    """Take a request back, if it is the last one and nothing has come of it."""
    given = player_behind(request), id
    return record(request, key, None, "takes a request back", undo_own, *given)


def _acts(request: ApiRequest, game: str) -> PlayerActs:
    """Return what the player behind *request* may do now.

    Raises:
        ApiProblemError: the rules are still asked.
    """
    host, player = host_behind(request), player_behind(request)
    found = host.acts.get(game, player_acts, player, kind=PlayerActs, patience=ACTS_PATIENCE)
    if found is None:
        raise ApiProblemError("later", "the rules are still asked", {"retry-after": "5"})
    return found


ENDPOINTS = [
    read_desk, read_acts, read_action, read_questions, list_orders, read_request, try_action,
    submit_action, vote, answer, place_order, cancel_order, undo,
]  # fmt: skip
