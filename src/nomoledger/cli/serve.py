"""The command serve: the games of a ledger in a browser."""

import click

from nomoledger.cli import options
from nomoledger.cli.output import print_line
from nomoledger.errors import UsageError


@click.command()
@options.ledger
@click.option("--host", "address", default="127.0.0.1", show_default=True, help="Listen here.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535),
              help="Listen at this port; 0 is any free one.")  # fmt: skip
def serve(location: str, address: str, port: int) -> None:
    """Open the games of LEDGER in a browser, for the admin and the players.

    The page of each game has a link that signs the admin in. Only this computer can reach the
    server, unless --host says otherwise. It runs until Ctrl-C.

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

    run_server(location, address, port, announce)
