"""The command provisional: a preview of the close of the open period."""

from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_game_at
from nomoledger.cli.output import print_json, print_line, print_table, print_text

if TYPE_CHECKING:
    from nomoledger.engine.settlement.rerun import NewQuestion

WHAT = click.Choice(["standings", "board", "balances", "state"])


def _assumed(question: "NewQuestion") -> str:
    """Return what a preview assumed for *question*, in words."""
    if question.dealt == "rolled":
        values = ", ".join(map(str, question.value))
        return f"{question.text or 'a draw'} gives {values}, by a throwaway seed"
    if question.dealt == "skipped":
        return f"{question.to} does not answer, and what asks is dropped: {question.text}"
    return f"{question.to} lets the default stand, {question.value}: {question.text}"


@click.command()
@options.ledger
@click.argument("what", type=WHAT, default="standings", required=False)
@options.game
@options.as_json
def provisional(location: str, what: str, game_name: str | None, as_json: bool) -> None:
    """Show the game as if the open period were closed now.

    Nothing is recorded, and the output is the same until something is. What is sealed is left out,
    as for a visitor. An open question gets the default that the rules state; a question without a
    default is skipped. Dice come from a throwaway seed. WHAT is standings, board, balances or
    state.

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
    print_line("  assumed: nothing that is sealed happens")
    for question in preview.asked:
        print_line(f"  assumed: {_assumed(question)}")
    for block in preview.blocks:
        if isinstance(block, str):
            print_text(block)
        else:
            print_table(block)
