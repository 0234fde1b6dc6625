"""Amendments of proposals: others suggest a version, and the author may take it over."""

from typing import Any
from urllib.parse import quote

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import NomoledgerError
from nomoledger.game.desk.drafts import DraftCheck, WrittenProposal, check_draft, written_proposal
from nomoledger.game.desk.proposal_desk import SeenProposal, proposal_for
from nomoledger.game.desk.suggested_version import (
    SuggestedVersion,
    check_amendable,
    suggested_version,
)
from nomoledger.people.suggestions import Suggestion
from nomoledger.web.forms import Form, new_request_id, text_in
from nomoledger.web.game_host import GameHost
from nomoledger.web.page_templates import page
from nomoledger.web.routes.editing import (
    CHECK_PATIENCE,
    NOTHING_FOUND,
    Draft,
    draft_in,
    editor,
    work_on,
)
from nomoledger.web.routes.sending import page_values, place_of
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import Player, WebRequest, host_of, reader_of

_PLACE = "/games/{game:str}/proposals/{number:int}"


@get(f"{_PLACE}/suggest")
@in_thread
def show_editor(request: WebRequest, game: FromPath[str], number: FromPath[int]) -> Response[str]:
    """Show the editor with a proposal of somebody else."""
    host, player = host_of(request), reader_of(request, game)
    check_amendable(host.read(game, proposal_for, player.name, number, kind=SeenProposal))
    made = host.read(game, written_proposal, number, kind=WrittenProposal)
    draft = Draft(new_request_id(), made.text, made.changes)
    return editor(host, player, draft, suggests=number)


@post(f"{_PLACE}/suggest", opt={"limit": "trial"})
@in_thread
def work_on_suggestion(
    request: WebRequest, game: FromPath[str], number: FromPath[int], data: Form
) -> Response[Any]:
    """Check the suggestion, forecast it, put an amendment into it, or send it."""
    host, player = host_of(request), reader_of(request, game)
    draft = draft_in(data)
    values: dict[str, Any] = {}
    try:
        check_amendable(host.read(game, proposal_for, player.name, number, kind=SeenProposal))
        if text_in(data, "do") == "send":
            return _send(host, player, number, draft)
        draft, values = work_on(host, player, draft, data)
    except NomoledgerError as error:
        values = {"problem": str(error)}
    return editor(host, player, draft, suggests=number, **values)


@get(f"{_PLACE}/suggestions/{{id:str}}")
@in_thread
def show_suggestion(
    request: WebRequest, game: FromPath[str], number: FromPath[int], id: FromPath[str]
) -> Response[str]:
    """Show all that a suggestion changes; with `?study=check`, what the check says of it."""
    host, player = host_of(request), reader_of(request, game)
    seen = host.read(game, proposal_for, player.name, number, kind=SeenProposal)
    suggested = host.suggestions.one(game, number, id)
    made = host.read(game, written_proposal, number, kind=WrittenProposal)
    values: dict[str, Any] = {"proposal": seen, "suggested": suggested, "id": id}
    values["lines"] = suggested.differences.split("\n")
    values["is_old"] = made.version != suggested.version
    if request.query_params.get("study", ""):
        given = player.name, suggested.changes, True
        check = host.checks.get(game, check_draft, *given, kind=DraftCheck, patience=CHECK_PATIENCE)
        values |= {"check": check, "is_late": check is None}
    return page("suggestion.html", **{**NOTHING_FOUND, **values}, **page_values(player))


def _send(host: GameHost, player: Player, number: int, draft: Draft) -> Response[Any]:
    """Keep the suggestion.

    Raises:
        NomoledgerError: it makes no sense.
    """
    game = player.session.game
    given = player.name, number, draft.text.strip(), draft.changes.strip()
    found = host.study(game, suggested_version, *given, kind=SuggestedVersion)
    text, changes = given[2:]
    suggested = Suggestion(text, changes, "\n".join(found.lines), found.version)
    host.suggestions.add(player.session, player.name, number, suggested, draft.why, draft.id)
    what = f"suggests a version of proposal {number}"
    host.deeds.note(player.session, what, "", player.acting_for)
    address = f"{place_of(player)}/proposals/{number}{player.suffix}"
    return Redirect(f"{address}#said-{quote(draft.id, safe='')}", status_code=303)


ROUTES = [show_editor, work_on_suggestion, show_suggestion]
