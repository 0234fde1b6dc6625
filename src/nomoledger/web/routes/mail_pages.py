"""What readers want to be told by mail, and the link that stops mails."""

from typing import Any

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.people.mail_choices import PACES, REMINDERS
from nomoledger.prose.time_format import format_duration
from nomoledger.web.forms import Form, number_in, number_of, pairs_of, text_in
from nomoledger.web.page_templates import page
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, signed_in


@get("/games/{game:str}/mail")
@in_thread
def show_choice(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show what the reader is told by mail."""
    host, session = host_of(request), signed_in(request, game)
    values: dict[str, Any] = {
        "choice": host.mail_choices.of(game, session.reader),
        "address": host.sign_in.people(game).get(session.reader, ""),
        "paces": PACES,
        "reminders": {seconds: format_duration(seconds) for seconds in REMINDERS},
        "can_send": host.mail is not None,
    }
    return page("mail.html", **values, game=game, session=session)


@post("/games/{game:str}/mail")
@in_thread
def choose(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Note what the reader wants."""
    host, session = host_of(request), signed_in(request, game)
    given = [number_of(text) for name, text in pairs_of(data) if name == "reminder"]
    reminders = [-1 if seconds is None else seconds for seconds in given]
    pace, hour = text_in(data, "pace"), number_in(data, "hour")
    host.mail_choices.choose(game, session.reader, pace, hour, reminders)
    return Redirect(request.url.path, status_code=303)


@get("/mail/stop/{token:str}")
@in_thread
def show_stop(request: WebRequest, token: FromPath[str]) -> Response[str]:
    """Ask whether mails shall stop. To look changes nothing: programs look at mail, too."""
    whose = host_of(request).mail_choices.whose(token)
    return _stop_page(whose, is_done=False)


@post("/mail/stop/{token:str}")
@in_thread
def stop(request: WebRequest, token: FromPath[str]) -> Response[str]:
    """Stop mails. Mail programs send this form, too, and are not signed in (RFC 8058)."""
    whose = host_of(request).mail_choices.stop(token)
    return _stop_page(whose, is_done=True)


def _stop_page(whose: tuple[str, str] | None, *, is_done: bool) -> Response[str]:
    values = {"whose": whose, "is_done": is_done, "game": "", "session": None}
    return page("mail_stop.html", 404 if whose is None else 200, **values)


ROUTES = [show_choice, choose, show_stop, stop]
