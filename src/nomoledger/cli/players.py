"""The commands players and player."""

from datetime import datetime
from typing import Any

import click

from nomoledger.cli import options
from nomoledger.cli.arguments import command_line
from nomoledger.cli.projections import reader, reader_of, show_projection


@click.command()
@options.ledger
@options.game
@options.as_json
@reader
def players(admin: bool, player: str | None, **view: Any) -> None:
    """List the players: place, square, money, what waits for each.

    What is secret is left out, unless --admin or --as asks for it.

    Example: nomoledger players game.db
    """
    show_projection("players", period=None, reader=reader_of(admin, player), **view)


@click.command()
@options.ledger
@click.argument("name")
@options.since
@options.game
@options.as_json
@reader
def player(name: str, since: datetime | None, admin: bool, player: str | None, **view: Any) -> None:
    """Show a player: where, with what, what waits, what is possible.

    Each action is tried and taken back. Then the clock is moved on and back again, to find until
    when the action is possible. Actions with values that the player chooses are listed, but not
    tried. At the end stands what happened to the player since TIME, or else in the open period.

    What is secret is left out, unless --admin or --as asks for it.

    Example: nomoledger player game.db Ann --since 2026-01-05
    """
    who = reader_of(admin, player)
    show_projection(
        "player",
        period=None,
        reader=who,
        called=name,
        since=since,
        command=lambda verb, words: command_line(
            verb, view["location"], words, view["game_name"] or ""
        ),
        **view,
    )
