"""The command publish: a game as a static site."""

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_ledger_at
from nomoledger.cli.output import json, line


@click.command()
@options.ledger
@click.argument("folder", metavar="DIR", type=click.Path())
@options.game
@options.as_json
def publish(ledger: str, folder: str, game: str | None, as_json: bool) -> None:
    """Make DIR a site that shows the game week by week.

    Only what everybody may see is on it. DIR is made where absent; a site that was published
    there before is replaced as a whole, and a folder that holds anything else is left alone.

    Example: nomoledger publish game.db site
    """
    from nomoledger.ledger.as_of import only_game
    from nomoledger.views.site import publish as publish_site

    with open_ledger_at(ledger) as opened:
        name = game or only_game(opened)
        count = publish_site(opened, name, folder)
    if as_json:
        json({"game": name, "folder": folder, "pages": count})
        return
    line(f"{name} is published in {folder}: {count} pages; the first is {folder}/index.html")
