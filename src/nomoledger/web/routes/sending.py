"""Sending the requests of players, each once, and what the pages of players have in common."""

from typing import Any
from urllib.parse import quote, urlencode

from litestar import Response
from litestar.response import Redirect

from nomoledger.errors import NomoledgerError
from nomoledger.game.desk.happenings import Happenings, meanwhile
from nomoledger.game.desk.request_outcome import RequestOutcome, outcome_for
from nomoledger.views.site.site_paths import Ref
from nomoledger.web.forms import Form, id_in, number_of, optional_text_in
from nomoledger.web.page_templates import page
from nomoledger.web.visitor import Player, WebRequest, host_of, player_of


def send_for_player(
    request: WebRequest, data: Form, what: str, make: Any, *given: Any
) -> Response[Any]:
    """Make a request once, however often its form is sent, and show what becomes of it.

    If the request makes no sense any more, the page says what happened since the form was shown.
    Whoever went back and sent the form again is told if the first time had counted.
    """
    game = str(request.path_params["game"])
    host, player = host_of(request), player_of(request, game)
    id, since = id_in(data), number_of(str(data.get("since", "")))
    was_known = False
    if optional_text_in(data, "again"):
        was_known = host.read(game, outcome_for, player.name, id, kind=RequestOutcome).is_known
    try:
        host.request(player.session, what, make, *given, acting_for=player.acting_for, id=id)
    except NomoledgerError as error:
        before = Happenings()
        if since is not None:
            before = host.read(game, meanwhile, player.name, since, kind=Happenings)
        values = page_values(player) | {"problem": str(error), "before": before}
        return page("expired.html", 409, **values)
    query = {"as": player.acting_for} if player.acting_for else {}
    query |= {} if since is None else {"since": str(since)}
    query |= {"again": "yes"} if was_known else {}
    address = f"{place_of(player)}/done/{quote(id, safe='')}"
    return Redirect(f"{address}?{urlencode(query)}" if query else address, status_code=303)


def place_of(player: Player) -> str:
    """Return what the addresses of the pages of the player's game begin with."""
    return f"/games/{quote(player.session.game, safe='')}"


def page_values(player: Player) -> dict[str, Any]:
    """Return what every page of a player needs."""
    session = player.session
    values = {"game": session.game, "session": session, "player": player}
    return values | {"place": place_of(player), "ref": Ref}
