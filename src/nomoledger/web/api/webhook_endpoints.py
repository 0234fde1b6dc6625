"""Webhooks of the owner of a token: listed, added, tested, switched, removed."""

import msgspec
from litestar import Response
from litestar.params import FromPath, JSONBody

from nomoledger.errors import NomoledgerError
from nomoledger.game.desk.public_head import ReaderHead, reader_head
from nomoledger.people.webhooks import Webhook, WebhookCall
from nomoledger.web.api.callers import ApiRequest, caller_of, host_behind
from nomoledger.web.api.endpoints import GAME, RequestKey, reads, records
from nomoledger.web.api.making_requests import check_body
from nomoledger.web.api.problem_details import ApiProblemError
from nomoledger.web.api.request_bodies import WebhookBody, WebhookStateBody

_PLACE = f"{GAME}/webhooks"
_ONE = f"{_PLACE}/{{webhook:str}}"


class ListedWebhook(msgspec.Struct, frozen=True):
    """A webhook with its last calls.

    Attributes:
        webhook: the webhook.
        calls: its last calls, the newest first.
    """

    webhook: Webhook
    calls: tuple[WebhookCall, ...]


class ListedWebhooks(msgspec.Struct, frozen=True):
    """The webhooks of the owner of the token.

    Attributes:
        webhooks: the webhooks, the oldest first.
    """

    webhooks: tuple[ListedWebhook, ...]


class AddedWebhook(msgspec.Struct, frozen=True):
    """A webhook that was added.

    Attributes:
        webhook: the webhook.
        secret: the secret by which its calls are signed. Only this answer has it.
    """

    webhook: Webhook
    secret: str


@reads(_PLACE, "webhooks")
def list_webhooks(request: ApiRequest, game: FromPath[str]) -> Response[ListedWebhooks]:
    """List the webhooks of the owner of the token, with their last calls."""
    return Response(_listed(request, game))


@records(_PLACE, "webhooks")
def add_webhook(
    request: ApiRequest, game: FromPath[str], data: JSONBody[WebhookBody], key: RequestKey
) -> Response[AddedWebhook]:
    """Add a webhook. It is told of what happens from now on, as far as its owner may see."""
    host, owner = host_behind(request), _owner(request)
    plain = msgspec.to_builtins(data)
    check_body(plain)
    try:
        host.webhook_sender.check(data.address)
    except NomoledgerError as error:
        raise ApiProblemError("malformed", f"body, field 'address': {error}") from None
    asked = msgspec.json.encode((request.url.path, owner, plain), order="deterministic")
    id = host.request_keys.claim(game, owner, key.strip().strip('"'), asked)
    last = host.read(game, reader_head, owner, kind=ReaderHead).number
    webhook, secret = host.webhooks.add(game, owner, id, data.address, data.kinds, last)
    host.deeds.note(caller_of(request).session, f"adds the webhook {webhook.named}")
    return Response(AddedWebhook(webhook, secret))


@records(f"{_ONE}/test", "webhooks")
def send_test(
    request: ApiRequest, game: FromPath[str], webhook: FromPath[str], key: RequestKey
) -> Response[ListedWebhooks]:
    """Send a test to a webhook: once in a minute."""
    its = host_behind(request).webhooks.own(game, _owner(request), webhook)
    host_behind(request).webhook_round.post_test(its)
    return Response(_listed(request, game))


@records(f"{_ONE}/state", "webhooks")
def switch_webhook(
    request: ApiRequest, game: FromPath[str], webhook: FromPath[str],
    data: JSONBody[WebhookStateBody], key: RequestKey,
) -> Response[ListedWebhooks]:  # fmt: skip
    """Switch a webhook on or off. Switched on, it is told of what it missed."""
    host, owner = host_behind(request), _owner(request)
    its = host.webhooks.own(game, owner, webhook)
    host.webhooks.switch(its, data.is_on)
    what = f"switches the webhook {its.named} {'on' if data.is_on else 'off'}"
    host.deeds.note(caller_of(request).session, what)
    return Response(_listed(request, game))


@records(f"{_ONE}/remove", "webhooks")
def remove_webhook(
    request: ApiRequest, game: FromPath[str], webhook: FromPath[str], key: RequestKey
) -> Response[ListedWebhooks]:
    """Remove a webhook: it is called no more, and its secret is forgotten."""
    host, owner = host_behind(request), _owner(request)
    its = host.webhooks.own(game, owner, webhook)
    host.webhooks.remove(its)
    host.deeds.note(caller_of(request).session, f"removes the webhook {its.named}")
    return Response(_listed(request, game))


def _owner(request: ApiRequest) -> str:
    """Return whose webhooks the token is for.

    Raises:
        ApiProblemError: the admin acts for a player.
    """
    caller = caller_of(request)
    if caller.acting_for:
        raise ApiProblemError("malformed", "webhooks are those of the token's owner: no ?as")
    return caller.session.reader


def _listed(request: ApiRequest, game: str) -> ListedWebhooks:
    webhooks = host_behind(request).webhooks
    own = webhooks.all_of(game, _owner(request))
    return ListedWebhooks(
        tuple(ListedWebhook(each, tuple(webhooks.calls_of(each))) for each in own)
    )


ENDPOINTS = [list_webhooks, add_webhook, send_test, switch_webhook, remove_webhook]
