"""The admin rules: a form, what the ruling would do, and the ruling. And proposals, looked at."""

from typing import Any
from urllib.parse import quote

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import NomoledgerError, UsageError
from nomoledger.game.desk.judged_proposal import checked_proposal, proposal_of
from nomoledger.game.desk.ruling_preview import (
    RulingChoices,
    RulingPreview,
    make_ruling,
    preview_ruling,
    ruling_choices,
)
from nomoledger.game.proposal_check import ProposalCheck
from nomoledger.game.proposal_view import Proposal
from nomoledger.web.forms import Form, id_in, pairs_of
from nomoledger.web.game_host import reasons_of
from nomoledger.web.page_templates import page
from nomoledger.web.ruling_forms import draft_from
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, admin_of, host_of

#: The fields that the page of a ruling takes from its address.
_GIVEN = ("event", "verdict", "closes", "overrules")


@get("/games/{game:str}/admin/ruling")
@in_thread
def show_form(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show the form of a ruling."""
    known = {name: request.query_params.get(name, "") for name in _GIVEN}
    return _form_page(request, game, known, "")


@post("/games/{game:str}/admin/ruling/draft")
@in_thread
def draft_anew(request: WebRequest, game: FromPath[str], data: Form) -> Response[str]:
    """Show the form of a ruling with what was written in it."""
    return _form_page(request, game, data, "")


@post("/games/{game:str}/admin/ruling/preview", opt={"limit": "trial"})
@in_thread
def preview(request: WebRequest, game: FromPath[str], data: Form) -> Response[str]:
    """Show what the ruling would do, or the form again with what is missing."""
    session, host = admin_of(request, game), host_of(request)
    try:
        draft = draft_from(data)
        if not draft.text:
            raise UsageError("say in words what is decided, and why")
    except NomoledgerError as error:
        return _form_page(request, game, data, str(error))
    shown = host.study(game, preview_ruling, draft, kind=RulingPreview)
    sent = [(name, value) for name, value in pairs_of(data) if name not in ("id", "settle")]
    values: dict[str, Any] = {"draft": draft, "preview": shown, "sent": sent}
    return page("ruling_preview.html", game=game, session=session, **values)


@post("/games/{game:str}/admin/ruling")
@in_thread
def rule(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Make the ruling."""
    session, host = admin_of(request, game), host_of(request)
    id, draft = id_in(data), draft_from(data)
    outcome = host.request(session, f"rules: {draft.text:.80}", make_ruling, draft, id=id)
    if refused := reasons_of(outcome, id):
        raise UsageError(f"the rules refuse: {'; '.join(refused)}")
    return Redirect(f"/games/{quote(game)}/admin", status_code=303)


@get("/games/{game:str}/admin/proposals/{number:int}")
@in_thread
def show_proposal(request: WebRequest, game: FromPath[str], number: FromPath[int]) -> Response[str]:
    """Show what a proposal would change; with `?check=yes`, what was tried with it."""
    session, host = admin_of(request, game), host_of(request)
    proposal = host.read(game, proposal_of, number, "admin", kind=Proposal)
    wanted = request.query_params.get("check", "")
    check = None
    if wanted:
        given = (number, wanted == "what-if")
        check = host.study(game, checked_proposal, *given, kind=ProposalCheck)
    values: dict[str, Any] = {"proposal": proposal, "check": check}
    return page("judged_proposal.html", game=game, session=session, **values)


def _form_page(request: WebRequest, game: str, known: Form, problem: str) -> Response[str]:
    session, host = admin_of(request, game), host_of(request)
    choices = host.read(game, ruling_choices, kind=RulingChoices)
    status = 422 if problem else 200
    given = {name: value for name, value in known.items() if isinstance(value, str)}
    values: dict[str, Any] = {"choices": choices, "known": given, "problem": problem}
    return page("ruling.html", status, game=game, session=session, **values)


ROUTES = [show_form, draft_anew, preview, rule, show_proposal]
