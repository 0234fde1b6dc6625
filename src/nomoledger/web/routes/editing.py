"""The editor of proposals: what stands in it, and its check, forecast and parameters."""

import re
from typing import Any

import msgspec
from litestar import Response

from nomoledger.errors import UsageError
from nomoledger.game.desk.draft_forecast import DraftForecast, forecast_draft
from nomoledger.game.desk.drafts import DraftCheck, Parameters, check_draft, parameters_of
from nomoledger.web.forms import Form, id_in, text_in
from nomoledger.web.game_host import GameHost
from nomoledger.web.page_templates import page
from nomoledger.web.routes.sending import page_values
from nomoledger.web.visitor import Player

#: For how many seconds a page waits for a check, and for a forecast.
CHECK_PATIENCE, FORECAST_PATIENCE = 15.0, 4.0
#: How long a text and its changes may be, in characters; and why somebody suggests them.
TEXT_MAX, CHANGES_MAX, WHY_MAX = 20_000, 60_000, 2000
#: What a page shows of a check and a forecast that nobody asked for.
NOTHING_FOUND: dict[str, Any] = {"check": None, "forecast": None, "is_late": False, "problem": ""}
_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?|true|false|\[.*\]")


class Draft(msgspec.Struct, frozen=True):
    """What stands in the editor.

    Attributes:
        id: the id of the request that sends it.
        text: the proposal in words. changes: the changes of rules, in YAML.
        replaces: the number of the proposal that it replaces; "" if there is none.
        why: why it is suggested, if it is suggested to the author of another proposal.
    """

    id: str
    text: str = ""
    changes: str = ""
    replaces: str = ""
    why: str = ""


def draft_in(data: Form) -> Draft:
    """Return the draft that a form sends.

    Raises:
        UsageError: a text is too long, or the form lacks its id.
    """

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
        why=text("why", WHY_MAX),
    )


def work_on(
    host: GameHost, player: Player, draft: Draft, data: Form
) -> tuple[Draft, dict[str, Any]]:
    """Do what a button of the editor asks for, but for sending; return the draft and what is found.

    Everything is computed from what *player* may see.

    Raises:
        NomoledgerError: the draft makes no sense.
    """
    game, what = player.session.game, text_in(data, "do")
    if what == "amend":
        return _with_amendment(draft, data), {}
    if what == "forecast":
        forecast = host.forecasts.get(
            game, forecast_draft, draft.changes, kind=DraftForecast, patience=FORECAST_PATIENCE
        )
        return draft, {"forecast": forecast, "is_late": forecast is None}
    given = player.name, draft.changes, what == "again"
    check = host.checks.get(game, check_draft, *given, kind=DraftCheck, patience=CHECK_PATIENCE)
    return draft, {"check": check, "is_late": check is None}


def editor(host: GameHost, player: Player, draft: Draft, **values: Any) -> Response[str]:
    """Return the page of the editor with *draft*.

    *values* say what was found, and with `suggests`, the number of a proposal, that the draft is a
    version to suggest to the author of that proposal.
    """
    known = host.read(player.session.game, parameters_of, player.name, kind=Parameters)
    shown = {**NOTHING_FOUND, "suggests": None, **values}
    shown |= {"draft": draft, "parameters": known.lines}
    return page("editor.html", **shown, **page_values(player))


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
