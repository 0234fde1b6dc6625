"""Making requests for programs: each once, however often it is sent under its key."""

from collections.abc import Callable
from typing import Any

import msgspec
from litestar import Response

from nomoledger.errors import UsageError
from nomoledger.game.desk.request_outcome import RequestOutcome, outcome_for
from nomoledger.game.writer import Outcome
from nomoledger.intake.bounds import Bounds, admitted
from nomoledger.web.api.callers import ApiRequest, caller_of, host_behind
from nomoledger.web.api.made_answers import RequestAnswer, reasons_in, request_answer
from nomoledger.web.api.problem_details import ApiProblemError

#: What the body of a request may hold.
BODY = Bounds(text=60_000, characters=150_000)


def record(
    request: ApiRequest, key: str, body: msgspec.Struct | None, what: str,
    make: Callable[..., Outcome], *given: Any, reader: str = "", **fields: Any,
) -> Response[RequestAnswer]:  # fmt: skip
    """Make a request of the game, and return what became of it, as its maker may see it.

    *what* says in words what is done, for the record. *reader* is whose request it is, the player
    of the caller by default. The same request under the same *key* is made once.

    Raises:
        ApiProblemError: the rules refuse it.
        NomoledgerError: it makes no sense.
    """
    host, caller, game = host_behind(request), caller_of(request), str(request.path_params["game"])
    reader = reader or caller.player
    plain = msgspec.to_builtins(body)
    check_body(plain)
    asked = msgspec.json.encode((request.url.path, reader, plain), order="deterministic")
    session = caller.session
    id = host.request_keys.claim(game, session.reader, key.strip().strip('"'), asked)
    acting = caller.acting_for if reader == caller.player else ""
    host.request(session, what, make, *given, acting_for=acting, id=id, **fields)
    outcome = host.read(game, outcome_for, reader, id, kind=RequestOutcome)
    if outcome.refused:
        reasons = reasons_in(outcome.refused)
        detail = "; ".join(reason.text for reason in reasons)
        raise ApiProblemError("refused", detail, reasons=reasons, request=id)
    return Response(request_answer(id, outcome))


def check_body(body: Any) -> None:
    """Check that *body* is neither too large nor too deep, and has plain values only.

    Raises:
        ApiProblemError: it is not so.
    """
    try:
        admitted(body, "body", BODY)
    except UsageError as error:
        raise ApiProblemError("malformed", str(error)) from None
