"""Proposing and disputing."""

import msgspec
from litestar import Response
from litestar.params import FromPath, JSONBody

from nomoledger.game.desk.dispute_desk import argue_seen, dispute_seen
from nomoledger.game.desk.drafts import DraftCheck, check_draft, propose_draft
from nomoledger.web.api.callers import ApiRequest, host_behind, player_behind
from nomoledger.web.api.endpoints import GAME, ActingFor, RequestKey, computes, records
from nomoledger.web.api.made_answers import RequestAnswer
from nomoledger.web.api.making_requests import check_body, record
from nomoledger.web.api.problem_details import ApiProblemError
from nomoledger.web.api.request_bodies import DisputeBody, DraftBody, ProposalBody, WordsBody

#: For how many seconds a program waits for the check of a proposal.
CHECK_PATIENCE = 30.0


@computes(f"{GAME}/proposals/check", "propose")
def check_proposal(
    request: ApiRequest, game: FromPath[str], data: JSONBody[DraftBody], acting: ActingFor = None
) -> Response[DraftCheck]:
    """Check changes before they are proposed: errors, warnings, cases, differences."""
    check_body(msgspec.to_builtins(data))
    given = player_behind(request), data.changes, data.plays_again
    checks = host_behind(request).checks
    check = checks.get(game, check_draft, *given, kind=DraftCheck, patience=CHECK_PATIENCE)
    if check is None:
        detail = "the changes are still tried: send the same request again"
        raise ApiProblemError("later", detail, {"retry-after": "10"})
    return Response(check)


@records(f"{GAME}/proposals", "propose")
def propose(
    request: ApiRequest, game: FromPath[str], data: JSONBody[ProposalBody], key: RequestKey,
    acting: ActingFor = None,
) -> Response[RequestAnswer]:  # fmt: skip
    """Make a proposal, with changes of rules or in words only."""
    if not data.text.strip():
        raise ApiProblemError("malformed", "body, field 'text': say in words what you propose")
    given = player_behind(request), data.text.strip(), data.changes
    return record(request, key, data, "proposes", propose_draft, *given)


@records(f"{GAME}/disputes", "dispute")
def open_dispute(
    request: ApiRequest, game: FromPath[str], data: JSONBody[DisputeBody], key: RequestKey,
    acting: ActingFor = None,
) -> Response[RequestAnswer]:  # fmt: skip
    """Open a dispute about an event or a period. A replay is attached."""
    if (data.event is None) == (data.period is None):
        raise ApiProblemError("malformed", "body: give an event or a period: one of them")
    given = player_behind(request), data.text, data.period, data.event
    return record(request, key, data, "opens a dispute", dispute_seen, *given)


@records(f"{GAME}/disputes/{{number:int}}/arguments", "dispute")
def argue(
    request: ApiRequest, game: FromPath[str], number: FromPath[int], data: JSONBody[WordsBody],
    key: RequestKey, acting: ActingFor = None,
) -> Response[RequestAnswer]:  # fmt: skip
    """Argue in a dispute."""
    given = player_behind(request), number, data.text
    return record(request, key, data, f"argues in dispute {number}", argue_seen, *given)


ENDPOINTS = [check_proposal, propose, open_dispute, argue]
