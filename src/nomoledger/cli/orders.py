"""The command order: place or cancel a standing order."""

import shlex
from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli import options
from nomoledger.cli.outcome import run_request, typed_arguments
from nomoledger.cli.parsing import parse_pair, parse_scalar

if TYPE_CHECKING:
    from nomoledger.events import Act
    from nomoledger.game.game import Game


@click.command()
@options.ledger
@click.argument("player")
@click.option(
    "--when",
    "condition",
    metavar="STATEMENT",
    help="Carry out the order as soon as STATEMENT is true.",
)
@click.option(
    "--while",
    "holds",
    default="",
    metavar="STATEMENT",
    help="Drop the order for good as soon as STATEMENT is false.",
)
@click.option(
    "--do",
    "acts",
    multiple=True,
    metavar="ACTION",
    help="Submit ACTION, written as for submit; may be repeated.",
)
@click.option("--answer", metavar="VALUE", help="Answer VALUE to the question PLAYER is asked.")
@click.option("--cancel", metavar="ID", help="Cancel the standing order with this id.")
@options.request
def order(
    player: str,
    condition: str | None,
    holds: str,
    acts: tuple[str, ...],
    answer: str | None,
    cancel: str | None,
    **request: Any,
) -> int:
    """Place a standing order for PLAYER, or cancel one.

    The order is carried out as soon as its --when statement is true, as a whole or not at all.
    Statements look like owner(18) == Ann or money(Ann) >= 400; closing() is true when the period is
    about to close. status lists the standing orders.

    Example: nomoledger order game.db Ann --when "square(Ann) == 20" --do "buy square=20"
    """
    if cancel is not None:
        return run_request(lambda game, when: game.cancel_order(player, cancel, **when), **request)
    if condition is None:
        raise click.UsageError("an order needs --when, the statement it waits for")
    value = None if answer is None else parse_scalar(answer)
    return run_request(
        lambda game, times: game.order(
            player,
            condition,
            tuple(_parse_act(game, act) for act in acts),
            holds=holds,
            answer=value,
            **times,
        ),
        **request,
    )


def _parse_act(game: "Game", text: str) -> "Act":
    """Parse an action as it would be written after submit."""
    from nomoledger.events import Act

    try:
        action, *words = shlex.split(text)
    except ValueError:
        message = f"{text!r} is not ACTION KEY=VALUE...: quote values with blanks"
        raise click.UsageError(message) from None
    return Act(action, typed_arguments(game, action, tuple(map(parse_pair, words))))
