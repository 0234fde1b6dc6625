"""The command order: what a player wants done as soon as something is so."""

import shlex
from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli import options
from nomoledger.cli.outcome import run_request, typed_for

if TYPE_CHECKING:
    from nomoledger.events import Act
    from nomoledger.game.game import Game


@click.command()
@options.ledger
@click.argument("player")
@click.option("--when", "awaited", metavar="STATEMENT", help="What has to be so first.")
@click.option(
    "--while", "holds", default="", metavar="STATEMENT", help="What has to stay so; else it lapses."
)
@click.option("--do", "acts", multiple=True, metavar="ACTION", help="What is then asked for.")
@click.option("--answer", metavar="VALUE", help="What is then answered, if PLAYER is asked.")
@click.option("--cancel", metavar="ID", help="Take back the standing order of that id.")
@options.request
def order(
    player: str,
    awaited: str | None,
    holds: str,
    acts: tuple[str, ...],
    answer: str | None,
    cancel: str | None,
    **asked: Any,
) -> int:
    """Say what PLAYER wants done as soon as something is so.

    It is carried out whole or not at all. A statement is written like owner(18) == Ann or
    money(Ann) >= 400; closing() is so when the period is about to be closed. status lists what
    waits.

    Example: nomoledger order game.db Ann --when "square(Ann) == 20" --do "buy square=20"
    """
    if cancel is not None:
        return run_request(lambda desk, when: desk.cancel_order(player, cancel, **when), **asked)
    if awaited is None:
        raise click.UsageError("--when says what the order waits for")
    value = None if answer is None else options.scalar(answer)
    return run_request(
        lambda desk, times: desk.order(
            player,
            awaited,
            tuple(_act(desk, each) for each in acts),
            holds=holds,
            answer=value,
            **times,
        ),
        **asked,
    )


def _act(desk: "Game", text: str) -> "Act":
    """What is asked for, as one would write it after submit."""
    from nomoledger.events import Act

    try:
        action, *pairs = shlex.split(text)
    except ValueError:
        message = f"{text!r} is not ACTION KEY=VALUE...: quote what has blanks in it"
        raise click.UsageError(message) from None
    return Act(action, typed_for(desk, action, tuple(map(options.pair, pairs))))
