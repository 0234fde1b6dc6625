"""Commands that show a read model: standings, board, balances, state, history, log."""

from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli import options
from nomoledger.cli.opened import view_of
from nomoledger.cli.output import csv, show

if TYPE_CHECKING:
    from nomoledger.projecting import ReadModel, Table

as_csv = click.option("--csv", "as_csv", is_flag=True, help="Print CSV, for a spreadsheet.")


def look_at(
    name: str,
    ledger: str,
    game: str | None,
    period: int | None,
    as_json: bool,
    reader: str | None = None,
    as_csv: bool = False,
    **given: Any,
) -> None:
    """Print the projection called *name*, which is told what else is *given*."""
    if as_json and as_csv:
        raise click.UsageError("--json and --csv are two ways to print: give one")
    model = seen(name, ledger, game, period, reader, **given)
    csv(_sheet(name, model)) if as_csv else show(model, as_json)


def seen(
    name: str,
    ledger: str,
    game: str | None,
    period: int | None,
    reader: str | None = None,
    **given: Any,
) -> "ReadModel":
    """What the projection called *name* makes of a game."""
    from nomoledger.projecting import projection

    with view_of(ledger, game, period, reader) as view:
        return projection(name)(view, **given)


def _sheet(name: str, model: "ReadModel") -> "Table":
    from nomoledger.projecting import Sheet

    if not isinstance(model, Sheet):
        raise click.UsageError(f"{name} as it is installed here cannot be printed as CSV")
    return model.sheet()


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
@as_csv
@click.option("--all", "is_all", is_flag=True, help="Money (and rank) at every period's close.")
@click.option(
    "--chart",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Also draw rank and money over the periods into FILE.svg or FILE.png.",
)
def standings(is_all: bool, chart: str | None, **asked: Any) -> None:
    """Show the players by money, and the squares they own.

    Example: nomoledger standings game.db --all --chart standings.svg
    """
    if chart is not None:
        from nomoledger.cli.charts import draw

        where = {name: asked[name] for name in ("ledger", "game", "period")}
        draw("standings_by_period", chart, **where)
    look_at("standings_by_period" if is_all else "standings", **asked)


@click.command()
@reading
def board(**asked: Any) -> None:
    """Show the squares as they lie, and who stands where.

    Example: nomoledger board game.db
    """
    look_at("board", **asked)


@click.command()
@reading
@as_csv
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
def history(admin: bool, player: str | None, **asked: Any) -> None:
    """Tell what happened, in words, as it can be published.

    Who rolled what, where they went, what was paid; proposals with their verdicts, and rulings.
    With --period only that period, else the whole game.

    Example: nomoledger history game.db --period 3
    """
    look_at("history", reader=who(admin, player), only=asked["period"], **asked)


@click.command()
@reading
@reader
def log(admin: bool, player: str | None, **asked: Any) -> None:
    """Show every event in words, with its rules and its cause.

    Events that only some may see are left out, unless --admin or --as asks for them.

    Example: nomoledger log game.db --as Ann
    """
    look_at("log", reader=who(admin, player), **asked)
