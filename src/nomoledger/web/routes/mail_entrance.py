"""Signing in by mail: asking for it, and the link or the code of the mail.

Only a form uses anything up, in the browser that asked. The answer to whoever asks is the same for
every address, and the mail is posted after the answer.
"""

from functools import partial
from typing import Any

from litestar import Response, get, post
from litestar.background_tasks import BackgroundTask
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import UsageError
from nomoledger.mail.mail import Mail
from nomoledger.mail.mail_address import checked_address
from nomoledger.people.mail_asks import ASK_SECONDS, AskedMail, People, Person, token_from
from nomoledger.people.visit import Visit
from nomoledger.web.forms import Form, optional_text_in, text_in
from nomoledger.web.game_host import GameHost
from nomoledger.web.page_templates import page
from nomoledger.web.routes.entrance import NO_PATH, signed_in_answer
from nomoledger.web.routes.passkey_entrance import entrance_page
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import (
    WebRequest,
    ask_cookie_name,
    host_of,
    our_cookie,
    session_of,
    visit_of,
)

#: The page on which whoever asked types the code.
PLACE = "/sign-in/mail"


@post(PLACE, opt={"limit": "sign-in"})
@in_thread
def ask(request: WebRequest, data: Form) -> Response[Any]:
    """Ask for a mail to sign in with."""
    host, game = host_of(request), optional_text_in(data, "game")
    mail, typed = _mail_of(host), optional_text_in(data, "address")
    if game:
        host.head(game)
    try:
        address = checked_address(typed)
    except UsageError as error:
        return entrance_page(request, game, problem=str(error), address=typed[:300])
    token = token_from(text_in(data, "id"), address)
    asked = host.mail_asks.ask(token, address, game)
    answer: Response[Any] = Redirect(PLACE, status_code=303)
    answer.set_cookie(our_cookie(request, ask_cookie_name(request), token, 2 * ASK_SECONDS))
    if asked is not None:
        answer.background = BackgroundTask(_post_mail, host, mail, asked, visit_of(request))
    return answer


@get(PLACE)
@in_thread
def show_ask(request: WebRequest) -> Response[str]:
    """Show where to type the code; after the proof, whom to enter as."""
    return _ask_page(request, "")


@post(f"{PLACE}/code", opt={"limit": "sign-in"})
@in_thread
def use_code(request: WebRequest, data: Form) -> Response[Any]:
    """Sign in with the code."""
    host, token = host_of(request), _token_of(request)
    _mail_of(host)
    try:
        people = host.mail_asks.prove_by_code(token, optional_text_in(data, "code"))
    except UsageError as error:
        return _ask_page(request, str(error))
    if people:
        return _proved_answer(request, people)
    return _noted(request, _ask_page(request, "this code does not fit"), token, "code of a mail")


@get(f"{PLACE}/link/{{token:str}}")
@in_thread
def show_mailed_link(request: WebRequest, token: FromPath[str]) -> Response[str]:
    """Show what the link in a mail does. To look at it changes nothing."""
    return _link_page(request, token)


@post(f"{PLACE}/link/{{token:str}}", opt={"limit": "sign-in"})
@in_thread
def use_mailed_link(request: WebRequest, token: FromPath[str]) -> Response[Any]:
    """Sign in with the link in a mail."""
    _mail_of(host_of(request))
    try:
        people = host_of(request).mail_asks.prove_by_link(_token_of(request), token)
    except UsageError:
        return _noted(request, _link_page(request, token), token, "link of a mail")
    return _proved_answer(request, people)


@post(f"{PLACE}/choose", opt={"limit": "sign-in"})
@in_thread
def choose(request: WebRequest, data: Form) -> Response[Any]:
    """Enter as one of several, after the proof."""
    _mail_of(host_of(request))
    person = Person(text_in(data, "game"), text_in(data, "reader"))
    return _enter(request, person)


def _mail_of(host: GameHost) -> Mail:
    """Return how mails are sent.

    Raises:
        UsageError: this server sends none.
    """
    if host.mail is None:
        raise UsageError("this server sends no mail: ask the admin of the game for a link")
    return host.mail


def _post_mail(host: GameHost, mail: Mail, asked: AskedMail, visit: Visit) -> None:
    """Post the mail, and note that it was asked for."""
    link = mail.link(*PLACE.strip("/").split("/"), "link", asked.link)
    mail.post_sign_in(
        asked.people, asked.to, link=link, code=asked.code, until=asked.until,
        id=f"sign-in:{asked.id}",
    )  # fmt: skip
    host.mail_asks.note(asked.people, "mail asked for", "mail", visit)


def _token_of(request: WebRequest) -> str:
    return request.cookies.get(ask_cookie_name(request), "")


def _noted(request: WebRequest, answer: Response[str], secret: str, way: str) -> Response[str]:
    """Return *answer*, after which the record says that *way* was refused."""
    asks = host_of(request).mail_asks
    people, visit = asks.asked_with(secret), visit_of(request)
    answer.background = BackgroundTask(asks.note, people, "refused", way, visit)
    return answer


def _proved_answer(request: WebRequest, people: People) -> Response[Any]:
    """Sign in as the only one of *people*, or let the reader choose."""
    if len(people) > 1:
        return Redirect(PLACE, status_code=303)
    return _enter(request, people[0])


def _enter(request: WebRequest, person: Person) -> Response[Any]:
    asks, before = host_of(request).mail_asks, partial(session_of, request)
    try:
        session = asks.enter(_token_of(request), person, visit_of(request), before)
    except UsageError as error:
        return _ask_page(request, str(error))
    answer = signed_in_answer(request, person.game, person.reader, session)
    answer.set_cookie(our_cookie(request, ask_cookie_name(request), "", 0))
    return answer


def _ask_page(request: WebRequest, problem: str) -> Response[str]:
    host = host_of(request)
    _mail_of(host)
    asked = host.mail_asks.ask_of(_token_of(request))
    status = 403 if problem else 200 if asked else 404
    return page("mail_asked.html", status, asked=asked, problem=problem, game="", session=None)


def _link_page(request: WebRequest, token: str) -> Response[str]:
    _mail_of(host_of(request))
    link = host_of(request).mail_asks.link_of(_token_of(request), token)
    status = 404 if link is None else 200 if link.is_here else 403
    answer = page("mail_link.html", status, link=link, token=token, game="", session=None)
    answer.headers.update(NO_PATH)
    return answer


ROUTES = [ask, show_ask, use_code, show_mailed_link, use_mailed_link, choose]
