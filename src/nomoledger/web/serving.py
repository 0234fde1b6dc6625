"""Serving the games of a ledger over HTTP."""

import socket
from collections.abc import Callable, Sequence
from functools import partial
from urllib.parse import quote

import uvicorn

from nomoledger.errors import UsageError
from nomoledger.mail.mail import KIND, MailSettings
from nomoledger.people.postman import Postman
from nomoledger.people.sign_in import ADMIN
from nomoledger.people.webhook_round import KIND as WEBHOOK
from nomoledger.web.app import make_app
from nomoledger.web.clock_keeper import ClockKeeper
from nomoledger.web.game_host import GameHost
from nomoledger.web.pace import QUICK

#: How many webhooks are called at a time, and how long the end waits for each, in seconds.
WEBHOOK_POSTMEN, WEBHOOK_STOP_SECONDS = 2, 2.0


def serve(
    location: str,
    listener: socket.socket,
    address: str,
    announce: Callable[[str, str, str], None],
    *,
    begun: Callable[[], None] = lambda: None,
    guests: Sequence[str] = (),
    keeps_clocks: bool = True,
    calls_webhooks: bool = True,
    publish_to: str | None = None,
    mail: MailSettings | None = None,
    public_url: str = "",
    proxy: str | None = None,
) -> None:
    """Serve the games of the ledger at *location* through *listener*, until Ctrl-C.

    *begun* is called once the ledger is open. Then *announce* is called for each game with its
    name, "admin", and a link that signs the admin in; for the players who are *guests* of each
    game, too, with the name in place of "admin". With *keeps_clocks*, timers of live games fire
    when they are due; with *calls_webhooks*, addresses that players and the admin chose are called
    when something happens. The admin may publish games into the folder *publish_to*, if any.
    *mail* says how mails are sent, if they are, and *public_url* what links begin with, if that is
    not *address*, at which *listener* listens. *proxy* has the addresses or networks, with commas
    between them, of the proxies that say from where a client comes.

    Raises:
        UnknownError, StoreError: the ledger cannot be opened.
    """
    host = GameHost(
        location, publish_to=publish_to, keeps_clocks=keeps_clocks, mail=mail,
        public_url=public_url, pace=QUICK, calls_webhooks=calls_webhooks,
    )  # fmt: skip
    begun()
    number = listener.getsockname()[1]
    base = f"http://{f'[{address}]' if ':' in address else address}:{number}"
    for game in host.games():
        for reader in (ADMIN, *guests):
            token = host.sign_in.invite(game, reader)
            announce(game, reader, f"{public_url or base}/enter/{quote(token)}")
    settings = uvicorn.Config(
        make_app(host), log_level="warning", access_log=False, server_header=False,
        timeout_graceful_shutdown=3, proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",
    )  # fmt: skip
    if keeps_clocks:
        clocks = ClockKeeper(host)
        host.on_close.append(clocks.stop)
        clocks.start()
    if host.mail is not None:
        postman = Postman(host.outbox, KIND, host.mail.deliver)
        news = host.news_round()
        host.on_close += [news.stop, postman.stop]
        postman.start()
        news.start()
    if calls_webhooks:
        start_webhooks(host)
    _StreamServer(settings, host).run(sockets=[listener])


def start_webhooks(host: GameHost) -> None:
    """Call webhooks until *host* is closed. A receiver that is slow does not keep all others."""
    host.on_close.append(host.webhook_round.stop)
    for _ in range(WEBHOOK_POSTMEN):
        postman = Postman(host.outbox, WEBHOOK, host.webhook_round.deliver)
        host.on_close.append(partial(postman.stop, WEBHOOK_STOP_SECONDS))
        postman.start()
    host.webhook_round.start()


class _StreamServer(uvicorn.Server):
    """A server that ends the streams of open pages before it stops: they would go on for ever."""

    def __init__(self, settings: uvicorn.Config, host: GameHost) -> None:
        super().__init__(settings)
        self._host = host

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._host.watcher.end()
        await super().shutdown(sockets)


def listening(address: str, port: int) -> socket.socket:
    """Return a socket that listens at *address* and *port*, 0 for any free one.

    Raises:
        UsageError: the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # With the number of the protocol, asyncio sends small answers at once (TCP_NODELAY).
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address, port))
        listener.listen(2048)  # Who follows the link at once waits, rather than being turned away.
    except OSError as error:
        listener.close()
        raise UsageError(
            f"cannot listen at {address}, port {port} ({error.strerror}): choose another --port"
        ) from None
    return listener
