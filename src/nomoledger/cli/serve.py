"""The command serve: the games of a ledger in a browser."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import click

from nomoledger.cli.arguments import VARIABLE, LedgerArgument, ledger_in_environment
from nomoledger.cli.demo_ledger import demo_ledger
from nomoledger.cli.output import print_line
from nomoledger.errors import UsageError
from nomoledger.mail.mail import MailSettings
from nomoledger.mail.mail_address import checked_address
from nomoledger.mail.public_url import checked_origin
from nomoledger.mail.smtp_account import SmtpAccount
from nomoledger.people.sign_in import ADMIN


@click.command()
@click.argument("location", metavar="[LEDGER]", cls=LedgerArgument, envvar=VARIABLE, required=False)
@click.option("--demo", "is_demo", is_flag=True,
              help="Serve a real season to explore; nothing of it remains.")  # fmt: skip
@click.option("--host", "address", default="127.0.0.1", show_default=True, help="Listen here.")
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Listen at this port; 0 is any free one.",
)
@click.option(
    "--clock/--no-clock",
    "keeps_clocks",
    default=True,
    help="Fire the timers of games that go on now when they are due (the default).",
)
@click.option(
    "--webhooks/--no-webhooks",
    "calls_webhooks",
    default=True,
    help="Call the public addresses that players and the admin chose as webhooks (the default).",
)
@click.option("--publish", "publish_to", metavar="DIR", type=click.Path(file_okay=False),
              help="Let the admin publish the site into DIR.")  # fmt: skip
@click.option("--smtp", metavar="URL",
              help="Send mails through this server, such as smtps://USER@HOST:465.")  # fmt: skip
@click.option("--mail-from", "sender", metavar="ADDRESS", help="Mails come from this address.")
@click.option("--public-url", metavar="URL",
              help="Links begin with this, such as https://games.example.org.")  # fmt: skip
@click.option("--behind-proxy", "proxy", is_flag=False, flag_value="127.0.0.1,::1", default=None,
              metavar="[ADDRESS]",
              help="Believe a proxy at ADDRESS (default: on this computer) who its clients are.",
              )  # fmt: skip
def serve(
    location: str | None, is_demo: bool, address: str, port: int, keeps_clocks: bool,
    calls_webhooks: bool, publish_to: str | None, smtp: str | None, sender: str | None,
    public_url: str | None, proxy: str | None,
) -> None:  # fmt: skip
    """Open the games of LEDGER in a browser, for admin and players.

    It prints a link for each game, which signs the admin in. Only this computer can reach the
    server, unless --host says otherwise. The server runs until Ctrl-C.

    While it runs, it fires the timers of games that go on now when they are due, as nomoledger run
    does. It leaves a game alone if the game's time is further back than its longest period lasted.

    With --smtp, --mail-from and --public-url, it sends invitations, and tells people by mail what
    waits for them. The password of the mail server is read from NOMOLEDGER_SMTP_PASSWORD.

    With --behind-proxy, a proxy says in X-Forwarded-For and X-Forwarded-Proto from where and how
    its clients come. Nobody else is believed.

    With --demo, it serves a season that people played, with links for the admin and some players.

    Example: nomoledger serve game.db
    """
    try:
        from nomoledger.web.serving import listening
        from nomoledger.web.serving import serve as run_server
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is missing: install it with pip install 'nomoledger[web]'"
        ) from None

    origin = "" if public_url is None else checked_origin(public_url)
    mail = _mail_settings(smtp, sender, origin)

    def announce(game: str, reader: str, link: str) -> None:
        name = "the admin" if reader == ADMIN else reader
        print_line(f"{game}: sign in as {name} with {link}")

    def begun() -> None:
        if keeps_clocks:
            print_line("the timers of games that go on now fire when they are due; see --no-clock")
        if mail is not None:
            print_line(f"mails are sent through {mail.account.where}, from {mail.sender}")

    _check_place(location, is_demo)
    with (
        listening(address, port) as listener,
        _served(None if is_demo else location) as (place, guests),
    ):
        run_server(
            place, listener, address, announce, begun=begun, guests=guests,
            keeps_clocks=keeps_clocks, calls_webhooks=calls_webhooks, publish_to=publish_to,
            mail=mail, public_url=origin, proxy=proxy,
        )  # fmt: skip


def _check_place(location: str | None, is_demo: bool) -> None:
    if is_demo and location is not None and location != ledger_in_environment():
        raise UsageError(f"--demo serves a ledger of its own: leave {location} out")
    if location is None and not is_demo:
        raise UsageError("name the ledger to serve, or use --demo: see nomoledger serve --help")


@contextmanager
def _served(location: str | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the ledger to serve, that of the demo for None, and the players who get a link."""
    if location is not None:
        yield location, ()
        return
    with demo_ledger() as demo:
        yield demo


def _mail_settings(smtp: str | None, sender: str | None, origin: str) -> MailSettings | None:
    """Return how mails are sent; None if no mail server was named."""
    if smtp is None:
        if sender is not None:
            raise UsageError("--mail-from needs --smtp: name the mail server that sends mails")
        return None
    if sender is None or not origin:
        missing = "--mail-from" if sender is None else "--public-url"
        raise UsageError(f"--smtp needs {missing}: see nomoledger serve --help")
    account = SmtpAccount(smtp, os.environ.get("NOMOLEDGER_SMTP_PASSWORD"))
    return MailSettings(account, checked_address(sender), origin)
