"""Proposals: the list, each with its discussion, and the editor that checks a draft."""

import re
from typing import Any
from urllib.parse import quote

import msgspec
from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import NomoledgerError, UsageError
from nomoledger.game.desk.draft_forecast import DraftForecast, forecast_draft, forecast_made
from nomoledger.game.desk.drafts import (
    DraftCheck,
    Parameters,
    WrittenProposal,
    check_draft,
    check_made,
    parameters_of,
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
from nomoledger.people.sign_in import ADMIN
from nomoledger.web.forms import Form, id_in, new_request_id, number_of, text_in
from nomoledger.web.game_host import GameHost
from nomoledger.web.page_templates import page
from nomoledger.web.routes.sending import page_values, place_of
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import Player, WebRequest, host_of, player_of, reader_of

#: For how many seconds a page waits for a check, and for a forecast.
CHECK_PATIENCE, FORECAST_PATIENCE = 15.0, 4.0
#: How long a text and its changes may be, in characters.
TEXT_MAX, CHANGES_MAX = 20_000, 60_000
#: What a page shows of a check and a forecast that nobody asked for.
_NOTHING: dict[str, Any] = {"check": None, "forecast": None, "is_late": False, "problem": ""}
_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?|true|false|\[.*\]")


class Draft(msgspec.Struct, frozen=True):
    """What stands in the editor.

    Attributes:
        id: the id of the request that sends it.
        text: the proposal in words. changes: the changes of rules, in YAML.
        replaces: the number of the proposal that it replaces; "" if there is none.
    """

    id: str
    text: str = ""
    changes: str = ""
    replaces: str = ""


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
    """Show the editor, empty or with the text of a proposal to replace."""
    host, player = host_of(request), player_of(request, game)
    replaces = number_of(request.query_params.get("replaces", ""))
    draft = Draft(new_request_id())
    if replaces is not None:
        made = host.read(game, written_proposal, replaces, kind=WrittenProposal)
        draft = Draft(draft.id, made.text, made.changes, str(replaces))
    return _editor(request, player, draft)


@post("/games/{game:str}/proposals/draft", opt={"limit": "trial"})
@in_thread
def work_on_draft(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Check the draft, forecast it, put an amendment into it, or send it."""
    host, player = host_of(request), player_of(request, game)
    draft, what = _draft_in(data), text_in(data, "do")
    values: dict[str, Any] = {}
    try:
        if what == "send":
            return _send(request, data, player, draft)
        if what == "amend":
            draft = _with_amendment(draft, data)
        elif what == "forecast":
            forecast = host.forecasts.get(
                game, forecast_draft, draft.changes, kind=DraftForecast, patience=FORECAST_PATIENCE
            )
            values = {"forecast": forecast, "is_late": forecast is None}
        else:
            given = player.name, draft.changes, what == "again"
            check = host.checks.get(
                game, check_draft, *given, kind=DraftCheck, patience=CHECK_PATIENCE
            )
            values = {"check": check, "is_late": check is None}
    except NomoledgerError as error:
        values = {"problem": str(error)}
    return _editor(request, player, draft, **values)


@get("/games/{game:str}/proposals/{number:int}")
@in_thread
def show_one(request: WebRequest, game: FromPath[str], number: FromPath[int]) -> Response[str]:
    """Show a proposal: text, diff, votes, and what people say of it."""
    host, player = host_of(request), reader_of(request, game)
    seen = host.read(game, proposal_for, player.name, number, kind=SeenProposal)
    may_vote = seen.is_open and player.name != ADMIN and _may_vote(host, game, player.name, number)
    values: dict[str, Any] = {"proposal": seen, "comments": host.comments.on(game, number)}
    values["may_vote"] = may_vote
    wanted = request.query_params.get("study", "")
    try:
        values |= _studied(host, game, player.name, number, wanted) if wanted else {}
    except NomoledgerError as error:
        values["problem"] = str(error)
    return page("proposal.html", **{**_NOTHING, **values}, **page_values(player))


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


def _send(request: WebRequest, data: Form, player: Player, draft: Draft) -> Response[Any]:
    """Make the proposal; raise what is wrong with it, so that the editor shows it."""
    host, text = host_of(request), draft.text.strip()
    if not text:
        raise UsageError("a proposal says in words what it wants: the text is empty")
    if draft.replaces:
        text = f"Replaces proposal {draft.replaces}. {text}"
    given = (player.name, text, draft.changes)
    acting = player.acting_for
    host.request(player.session, "proposes", propose_draft, *given, acting_for=acting, id=draft.id)
    address = f"{place_of(player)}/done/{quote(draft.id, safe='')}{player.suffix}"
    return Redirect(address, status_code=303)


def _draft_in(data: Form) -> Draft:
    def text(name: str, most: int) -> str:
        value = data.get(name, "")
        found = value.replace("\r\n", "\n") if isinstance(value, str) else ""
        if len(found) > most:
            raise UsageError(f"the {name} has {len(found)} characters: {most} at most")
        return found

    replaces = text("replaces", 9)
    return Draft(
        id=id_in(data),
        text=text("text", TEXT_MAX),
        changes=text("changes", CHANGES_MAX),
        replaces=replaces if replaces.isdecimal() else "",
    )


def _with_amendment(draft: Draft, data: Form) -> Draft:
    """Return *draft* with the amendment of one parameter, as the form states it."""
    rule, _, name = text_in(data, "parameter").partition(" ")
    value = text_in(data, "value")
    written = value if _PLAIN.fullmatch(value) else _quoted(value)
    line = f"- {{amend: {_quoted(rule)}, parameters: {{{_quoted(name)}: {written}}}}}\n"
    before = draft.changes.rstrip()
    return msgspec.structs.replace(draft, changes=f"{before}\n{line}" if before else line)


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()


def _editor(request: WebRequest, player: Player, draft: Draft, **values: Any) -> Response[str]:
    game = player.session.game
    known = host_of(request).read(game, parameters_of, player.name, kind=Parameters)
    shown = {**_NOTHING, **values, "draft": draft, "parameters": known.lines}
    return page("editor.html", **shown, **page_values(player))


ROUTES = [list_proposals, show_editor, work_on_draft, show_one, comment]
