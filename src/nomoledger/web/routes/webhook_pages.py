"""Webhooks: added, listed with their last calls, tested, switched on and off, removed."""

from typing import Any
from urllib.parse import quote

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import NomoledgerError
from nomoledger.game.desk.public_head import ReaderHead, reader_head
from nomoledger.people.sign_in import Session
from nomoledger.people.webhooks import Webhook
from nomoledger.views.past.index import KINDS
from nomoledger.web.forms import Form, id_in, optional_text_in, pairs_of, text_in
from nomoledger.web.page_templates import page
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, host_of, signed_in

#: Which events a webhook sends if its owner changes nothing.
USUAL_KINDS = ("request", "consequence")


@get("/games/{game:str}/webhooks")
@in_thread
def show_webhooks(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show the webhooks of who is signed in, and the form that adds one."""
    return _webhooks_page(request, game)


@post("/games/{game:str}/webhooks")
@in_thread
def add_webhook(request: WebRequest, game: FromPath[str], data: Form) -> Response[str]:
    """Add a webhook, and show its secret, once."""
    host, session = host_of(request), signed_in(request, game)
    address, kinds = optional_text_in(data, "address"), _kinds_in(data)
    try:
        host.webhook_sender.check(address)
        last = host.read(game, reader_head, session.reader, kind=ReaderHead).number
        webhook, secret = host.webhooks.add(game, session.reader, id_in(data), address, kinds, last)
    except NomoledgerError as error:
        return _webhooks_page(request, game, problem=str(error), address=address, kinds=kinds)
    host.deeds.note(session, f"adds the webhook {webhook.named}")
    return _webhooks_page(request, game, added=webhook, secret=secret)


@post("/games/{game:str}/webhooks/test")
@in_thread
def send_test(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Send a test: once in a minute."""
    webhook, _ = _own(request, game, data)
    if not host_of(request).webhook_round.post_test(webhook):
        problem = "a test was sent in this minute: its answer is below"
        return _webhooks_page(request, game, problem=problem)
    return _back(game)


@post("/games/{game:str}/webhooks/switch")
@in_thread
def switch_webhook(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Switch a webhook on or off."""
    webhook, session = _own(request, game, data)
    is_on = text_in(data, "state") == "on"
    host_of(request).webhooks.switch(webhook, is_on)
    what = f"switches the webhook {webhook.named} {'on' if is_on else 'off'}"
    host_of(request).deeds.note(session, what)
    return _back(game)


@post("/games/{game:str}/webhooks/remove")
@in_thread
def remove_webhook(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Remove a webhook: it is called no more, and its secret is forgotten."""
    webhook, session = _own(request, game, data)
    host_of(request).webhooks.remove(webhook)
    host_of(request).deeds.note(session, f"removes the webhook {webhook.named}")
    return _back(game)


def _own(request: WebRequest, game: str, data: Form) -> tuple[Webhook, Session]:
    """Return the webhook that the form names, and whose it is."""
    session = signed_in(request, game)
    found = host_of(request).webhooks.own(game, session.reader, text_in(data, "webhook"))
    return found, session


def _kinds_in(data: Form) -> list[str]:
    return [value for name, value in pairs_of(data) if name == "kind"]


def _back(game: str) -> Response[Any]:
    return Redirect(f"/games/{quote(game)}/webhooks", status_code=303)


def _webhooks_page(
    request: WebRequest, game: str, *, added: Webhook | None = None, secret: str = "",
    problem: str = "", address: str = "", kinds: Any = USUAL_KINDS,
) -> Response[str]:  # fmt: skip
    host, session = host_of(request), signed_in(request, game)
    own = host.webhooks.all_of(game, session.reader)
    values: dict[str, Any] = {
        "webhooks": [(webhook, host.webhooks.calls_of(webhook)) for webhook in own],
        "are_called": host.calls_webhooks,
        "kinds": KINDS,
        "chosen": kinds,
        "added": added,
        "secret": secret,
        "problem": problem,
        "address": address,
    }
    return page("webhooks.html", 422 if problem else 200, **values, game=game, session=session)


ROUTES = [show_webhooks, add_webhook, send_test, switch_webhook, remove_webhook]
