"""The command provisional: a preview of the close of the open period."""

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_game_at
from nomoledger.cli.output import print_json, print_line, print_table, print_text

WHAT = click.Choice(["standings", "board", "balances", "state"])


@click.command()
@options.ledger
@click.argument("what", type=WHAT, default="standings", required=False)
@options.game
@options.as_json
def provisional(location: str, what: str, game_name: str | None, as_json: bool) -> None:
    """Show the game as if the open period were closed now.

    Nothing is recorded, and none of the game's dice are revealed. An open question gets the default
    that the rules state; a question without a default is skipped. WHAT is standings, board,
    balances or state.

    Example: nomoledger provisional game.db board
    """
    from nomoledger.game.provisional_state import provisional as preview_close

    with open_game_at(location, game_name) as game:
        period = game.world.period
        preview = preview_close(game.ledger, game.name, what)
    if as_json:
        print_json(preview)
        return
    print_line(f"provisional: as if period {period} were closed now; none of it is recorded")
    for question in preview.asked:
        is_skipped = question.dealt == "skipped"
        result = "skipped" if is_skipped else f"answered by default: {question.value}"
        print_line(f"  question to {question.to}: {question.text} ({result})")
    for block in preview.blocks:
        if isinstance(block, str):
            print_text(block)
        else:
            print_table(block)
