"""Proposals: the list, each with its discussion, and the editor in which they are written."""

from typing import Any
from urllib.parse import quote

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import NomoledgerError, UsageError
from nomoledger.events.inputs import InputWithdrawn
from nomoledger.game.desk.draft_forecast import DraftForecast, forecast_made
from nomoledger.game.desk.drafts import (
    DraftCheck,
    WrittenProposal,
    check_made,
    propose_draft,
    written_proposal,
)
from nomoledger.game.desk.player_acts import PlayerActs, player_acts
from nomoledger.game.desk.proposal_desk import (
    ProposalLines,
    SeenProposal,
    proposal_for,
    proposal_lines,
)
from nomoledger.game.desk.replaced_proposal import replace_own
from nomoledger.people.sign_in import ADMIN
from nomoledger.web.forms import Form, id_in, new_request_id, number_of, text_in
from nomoledger.web.game_host import GameHost, reasons_of
from nomoledger.web.page_templates import page
from nomoledger.web.routes.editing import (
    CHECK_PATIENCE,
    FORECAST_PATIENCE,
    NOTHING_FOUND,
    Draft,
    draft_in,
    editor,
    work_on,
)
from nomoledger.web.routes.sending import page_values, place_of
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import Player, WebRequest, host_of, player_of, reader_of


@get("/games/{game:str}/proposals")
@in_thread
def list_proposals(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """List the proposals, the newest first."""
    player = reader_of(request, game)
    known = host_of(request).read(game, proposal_lines, player.name, kind=ProposalLines)
    return page("proposals.html", lines=known.lines[:200], **page_values(player))


@get("/games/{game:str}/proposals/new")
@in_thread
def show_editor(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show the editor: empty, or with a proposal to replace, or with a suggestion for it."""
    host, player = host_of(request), player_of(request, game)
    number, draft = number_of(request.query_params.get("replaces", "")), Draft(new_request_id())
    if number is None:
        return editor(host, player, draft)
    seen = host.read(game, proposal_for, player.name, number, kind=SeenProposal)
    if not (seen.is_own and seen.is_open):
        raise UsageError(f"only its author replaces proposal {number}, while it is undecided")
    known: Any = host.read(game, written_proposal, number, kind=WrittenProposal)
    if suggestion := request.query_params.get("suggestion", ""):
        known = host.suggestions.one(game, number, suggestion)
    return editor(host, player, Draft(draft.id, known.text, known.changes, str(number)))


@post("/games/{game:str}/proposals/draft", opt={"limit": "trial"})
@in_thread
def work_on_draft(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Check the draft, forecast it, put an amendment into it, or send it."""
    host, player = host_of(request), player_of(request, game)
    draft = draft_in(data)
    values: dict[str, Any] = {}
    try:
        if text_in(data, "do") == "send":
            return _send(host, player, draft)
        draft, values = work_on(host, player, draft, data)
    except NomoledgerError as error:
        values = {"problem": str(error)}
    return editor(host, player, draft, **values)


@get("/games/{game:str}/proposals/{number:int}")
@in_thread
def show_one(request: WebRequest, game: FromPath[str], number: FromPath[int]) -> Response[str]:
    """Show a proposal: text, diff, votes, and what people say of it and suggest."""
    host, player = host_of(request), reader_of(request, game)
    seen = host.read(game, proposal_for, player.name, number, kind=SeenProposal)
    may_vote = seen.is_open and player.name != ADMIN and _may_vote(host, game, player.name, number)
    values: dict[str, Any] = {"proposal": seen, "comments": host.comments.on(game, number)}
    values |= {"may_vote": may_vote, "suggestions": host.suggestions.on(game, number)}
    if values["suggestions"]:
        made = host.read(game, written_proposal, number, kind=WrittenProposal)
        values["version"] = made.version
    wanted = request.query_params.get("study", "")
    try:
        values |= _studied(host, game, player.name, number, wanted) if wanted else {}
    except NomoledgerError as error:
        values["problem"] = str(error)
    return page("proposal.html", **{**NOTHING_FOUND, **values}, **page_values(player))


@post("/games/{game:str}/proposals/{number:int}/comment")
@in_thread
def comment(
    request: WebRequest, game: FromPath[str], number: FromPath[int], data: Form
) -> Response[Any]:
    """Say something of a proposal."""
    host, player = host_of(request), reader_of(request, game)
    host.read(game, proposal_for, player.name, number, kind=SeenProposal)
    text, id = text_in(data, "text"), id_in(data)
    host.comments.add(player.session, player.name, number, text, id)
    host.deeds.note(player.session, f"comments on proposal {number}", "", player.acting_for)
    address = f"{place_of(player)}/proposals/{number}{player.suffix}#comments"
    return Redirect(address, status_code=303)


def _may_vote(host: GameHost, game: str, player: str, number: int) -> bool:
    """Return whether *player* may vote on proposal *number*, or that is not known in time."""
    patience = host.acts_seconds
    acts = host.acts.get(game, player_acts, player, kind=PlayerActs, patience=patience)
    return acts is None or ("vote", str(number)) in {(a.action, a.about) for a in acts.waiting}


def _studied(host: GameHost, game: str, player: str, number: int, wanted: str) -> dict[str, Any]:
    """Return what proposal *number* would do: its check, or with *wanted* "forecast" a forecast."""
    if wanted == "forecast":
        forecast = host.forecasts.get(
            game, forecast_made, number, kind=DraftForecast, patience=FORECAST_PATIENCE
        )
        return {"forecast": forecast, "is_late": forecast is None}
    check = host.checks.get(
        game, check_made, player, number, True, kind=DraftCheck, patience=CHECK_PATIENCE
    )
    return {"check": check, "is_late": check is None}


def _send(host: GameHost, player: Player, draft: Draft) -> Response[Any]:
    """Make the proposal, or show what is wrong with it in the editor.

    Raises:
        NomoledgerError: it cannot be made.
    """
    text = draft.text.strip()
    if not text:
        raise UsageError("a proposal says in words what it wants: the text is empty")
    session, sent = player.session, {"acting_for": player.acting_for, "id": draft.id}
    if draft.replaces:
        old = int(draft.replaces)
        what, given = f"replaces proposal {old}", (player.name, old, text, draft.changes)
        outcome = host.request(session, what, replace_own, *given, **sent)
        if refused := reasons_of(outcome, draft.id):
            is_gone = any(isinstance(event, InputWithdrawn) for event in outcome.events)
            fate = "was taken back before, and is gone" if is_gone else "is as it was"
            problem = f"The rules refuse: {'; '.join(refused)}. Proposal {old} {fate}."
            anew = Draft(new_request_id(), draft.text, draft.changes, "" if is_gone else str(old))
            return editor(host, player, anew, problem=problem)
    else:
        made = player.name, text, draft.changes
        host.request(session, "proposes", propose_draft, *made, **sent)
    address = f"{place_of(player)}/done/{quote(draft.id, safe='')}{player.suffix}"
    return Redirect(address, status_code=303)


ROUTES = [list_proposals, show_editor, work_on_draft, show_one, comment]
