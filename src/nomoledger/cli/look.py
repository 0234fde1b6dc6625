"""Commands that show a read model: standings, board, balances, state, log."""

from typing import Any

import click

from nomoledger.cli import options
from nomoledger.cli.opened import view_of
from nomoledger.cli.output import show


def look_at(
    name: str,
    ledger: str,
    game: str | None,
    period: int | None,
    as_json: bool,
    reader: str | None = None,
) -> None:
    """Print the projection called *name*."""
    from nomoledger.projecting import projection

    with view_of(ledger, game, period, reader) as view:
        show(projection(name)(view), as_json)


def reading(function: options.Function) -> options.Function:
    """The arguments of every command that looks at a game."""
    for option in (options.as_json, options.game, options.period, options.ledger):
        function = option(function)
    return function


def reader(function: options.Function) -> options.Function:
    """The options that say who is reading."""
    admin = click.option("--admin", is_flag=True, help="Show what only the admin may see, too.")
    player = click.option("--as", "player", metavar="PLAYER", help="Show what PLAYER may see.")
    return admin(player(function))


def who(admin: bool, player: str | None) -> str | None:
    """The reader that these two options name."""
    return "admin" if admin else player


@click.command()
@reading
def standings(**asked: Any) -> None:
    """Show the players by money, and the squares they own.

    Example: nomoledger standings game.db --period 3
    """
    look_at("standings", **asked)


@click.command()
@reading
def board(**asked: Any) -> None:
    """Show the squares as they lie, and who stands where.

    Example: nomoledger board game.db
    """
    look_at("board", **asked)


@click.command()
@reading
def balances(**asked: Any) -> None:
    """Show what is in every account, by commodity.

    Example: nomoledger balances game.db --json
    """
    look_at("balances", **asked)


@click.command()
@reading
def state(**asked: Any) -> None:
    """Show everything that is so: every attribute of every thing.

    Example: nomoledger state game.db --period 3 --json
    """
    look_at("state", **asked)


@click.command()
@reading
@reader
def log(admin: bool, player: str | None, **asked: Any) -> None:
    """Show every event in words, with its rules and its cause.

    Events that only some may see are left out, unless --admin or --as asks for them.

    Example: nomoledger log game.db --as Ann
    """
    look_at("log", reader=who(admin, player), **asked)
