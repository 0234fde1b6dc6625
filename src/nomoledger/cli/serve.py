"""The command serve: the games of a ledger in a browser."""

import click

from nomoledger.cli import options
from nomoledger.cli.output import print_line
from nomoledger.errors import UsageError


@click.command()
@options.ledger
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
@click.option("--publish", "publish_to", metavar="DIR", type=click.Path(file_okay=False),
              help="Let the admin publish the site into DIR.")  # fmt: skip
def serve(
    location: str, address: str, port: int, keeps_clocks: bool, publish_to: str | None
) -> None:
    """Open the games of LEDGER in a browser, for admin and players.

    It prints a link for each game, which signs the admin in. Only this computer can reach the
    server, unless --host says otherwise. The server runs until Ctrl-C.

    While it runs, it fires the timers of games that go on now when they are due, as nomoledger run
    does. It leaves a game alone if the game's time is further back than its longest period lasted.

    Example: nomoledger serve game.db
    """
    try:
        from nomoledger.web.serving import serve as run_server
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is missing: install it with pip install 'nomoledger[web]'"
        ) from None

    def announce(game: str, link: str) -> None:
        print_line(f"{game}: sign in as the admin with {link}")

    if keeps_clocks:
        print_line("the timers of games that go on now fire when they are due; see --no-clock")
    run_server(location, address, port, announce, keeps_clocks=keeps_clocks, publish_to=publish_to)
