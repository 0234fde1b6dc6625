"""The command provisional: how things would stand if the period were closed now."""

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_game_at
from nomoledger.cli.output import json, line, say, table

WHAT = click.Choice(["standings", "board", "balances", "state"])


@click.command()
@options.ledger
@click.argument("what", type=WHAT, default="standings", required=False)
@options.game
@options.as_json
def provisional(ledger: str, what: str, game: str | None, as_json: bool) -> None:
    """Show how things would stand if the period were closed now.

    Nothing is recorded, and no dice of the game are seen. Open questions get the default that the
    rules state; what asks without one is left out. WHAT is standings, board, balances or state.

    Example: nomoledger provisional game.db board
    """
    from nomoledger.game.provisional_state import provisional as imagined

    with open_game_at(ledger, game) as desk:
        period = desk.world.period
        found = imagined(desk.ledger, desk.name, what)
    if as_json:
        json(found)
        return
    line(f"provisional: as if period {period} were closed now; none of it is recorded")
    for asked in found.asked:
        took = "left out" if asked.dealt == "skipped" else f"taken for {asked.value}"
        line(f"  {asked.to} is asked: {asked.text} ({took})")
    for block in found.blocks:
        if isinstance(block, str):
            say(block)
        else:
            table(block)
