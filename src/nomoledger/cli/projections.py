"""Commands that show a read model: standings, board, balances, state, rulings, history, log."""

from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli import options
from nomoledger.cli.context import view_at
from nomoledger.cli.output import csv, line, show

if TYPE_CHECKING:
    from nomoledger.game.read_models import LedgerView, ReadModel, Table

RENUMBERED = (
    "(numbered as if nothing were sealed;"
    " to rule on something or to explain it, take the numbers of --admin)"
)

as_csv = click.option("--csv", "as_csv", is_flag=True, help="Print CSV, for a spreadsheet.")


def show_projection(
    name: str,
    *,
    as_json: bool,
    as_csv: bool = False,
    ledger: str,
    game: str | None,
    period: int | None,
    reader: str | None = None,
    known: int | None = None,
    is_then: bool = False,
    is_numbered: bool = False,
    **given: Any,
) -> None:
    """Print the projection called *name*, which is told what else is *given*.

    Where it *is_then*, it shows how one period stood, and it is said if that was corrected; where
    it *is_numbered*, it is said on the side if those numbers are not the ledger's own.
    """
    if as_json and as_csv:
        raise click.UsageError("--json and --csv are two ways to print: give one")
    from nomoledger.game.read_models import projection

    with view_at(ledger, game, period, reader, known) as view:
        model = projection(name)(view, **given)
        if as_csv:
            csv(_sheet(name, model))
            return
        show(model, as_json)
        if is_then and not as_json and view.world is not view.reading.published:
            line(_corrected(view))
        if is_numbered and not as_json and view.is_renumbered:
            click.echo(RENUMBERED, err=True)


def show_projection_then(name: str, as_known: int | None, as_published: bool, **asked: Any) -> None:
    """Print the projection called *name* of a period as it was known at some time."""
    known = options.known_at(asked["period"], as_known, as_published)
    show_projection(name, known=known, is_then=True, **asked)


def _corrected(view: "LedgerView") -> str:
    """That what is shown is not what was published."""
    from nomoledger.prose.descriptions import name_rulings
    from nomoledger.state.bitemporal import rulings_that_corrected

    by = name_rulings(rulings_that_corrected(view.reading.later, view.period))
    return f"period {view.period} as corrected by {by}; as it was published: --as-published"


def _sheet(name: str, model: "ReadModel") -> "Table":
    from nomoledger.game.read_models import Sheet

    if not isinstance(model, Sheet):
        raise click.UsageError(f"{name} as it is installed here cannot be printed as CSV")
    return model.sheet()


def reading(function: options.Function) -> options.Function:
    """The arguments of every command that looks at a game."""
    for option in (options.as_json, options.game, options.period, options.ledger):
        function = option(function)
    return function


def two_times(function: options.Function) -> options.Function:
    """The arguments of every command that shows a period as it was known at some time."""
    return reading(options.as_known(options.as_published(function)))


def reader(function: options.Function) -> options.Function:
    """The options that say who is reading."""
    admin = click.option("--admin", is_flag=True, help="Show what only the admin may see, too.")
    player = click.option("--as", "player", metavar="PLAYER", help="Show what PLAYER may see.")
    return admin(player(function))


def who(admin: bool, player: str | None) -> str | None:
    """The reader that these two options name."""
    return "admin" if admin else player


@click.command()
@two_times
@as_csv
@click.option("--all", "is_all", is_flag=True, help="Money (and rank) at every period's close.")
@click.option("--history", "is_history", is_flag=True, help="The same, and what was corrected.")
@click.option(
    "--chart",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Also draw rank and money over the periods into FILE.svg or FILE.png.",
)
def standings(
    is_all: bool,
    is_history: bool,
    chart: str | None,
    as_known: int | None,
    as_published: bool,
    **asked: Any,
) -> None:
    """Show the players by money, and the squares they own.

    A period that is over is shown as it is known now, corrected by what was ruled since; or as it
    was known at some other time. With --history both readings stand side by side.

    Example: nomoledger standings game.db --history --chart standings.svg
    """
    if is_history and (is_all or as_published):
        raise click.UsageError("--history shows every period both ways: leave the other out")
    given: dict[str, Any] = {"published": True} if as_published else {}
    over = {"known": as_known} | {name: asked[name] for name in ("ledger", "game", "period")}
    over["period"] = as_known if asked["period"] is None else asked["period"]
    name = "standings_history" if is_history else "standings_by_period"
    if chart is not None:
        from nomoledger.cli.charts import draw

        draw(name, chart, **over, **given)
    if is_all or is_history:
        show_projection(name, **asked | over, **given)
    else:
        show_projection_then("standings", as_known=as_known, as_published=as_published, **asked)


@click.command()
@two_times
def board(**asked: Any) -> None:
    """Show the squares as they lie, and who stands where.

    Example: nomoledger board game.db --period 3 --as-published
    """
    show_projection_then("board", **asked)


@click.command()
@two_times
@as_csv
@click.option("--posted", is_flag=True, help="What was really paid: the sums of the roll-up.")
def balances(posted: bool, as_known: int | None, as_published: bool, **asked: Any) -> None:
    """Show what is in every account, by commodity.

    With --posted a correction for which nobody was made to pay is left out; else both are the same.

    Example: nomoledger balances game.db --period 3 --as-known 5
    """
    known = options.known_at(asked["period"], as_known, as_published)
    show_projection("balances", known=known, is_then=not posted, posted=posted, **asked)


@click.command()
@two_times
def state(**asked: Any) -> None:
    """Show everything that is so: every attribute of every thing.

    Example: nomoledger state game.db --period 3 --json
    """
    show_projection_then("state", **asked)


@click.command()
@reading
@click.option("--rule", metavar="NUMBER", help="Those that interpret that rule.")
@reader
def rulings(rule: str | None, admin: bool, player: str | None, **asked: Any) -> None:
    """Show what the admin ruled, and what of it still holds.

    A ruling interprets the rules that it cites, and the rule whose question it answered.

    Example: nomoledger rulings game.db --rule VI.1
    """
    show_projection("rulings", is_numbered=True, reader=who(admin, player), rule=rule, **asked)


@click.command()
@reading
@reader
def history(admin: bool, player: str | None, **asked: Any) -> None:
    """Tell what happened, in words, as it can be published.

    Who rolled what, where they went, what was paid; proposals with their verdicts, and rulings.
    With --period only that period, else the whole game.

    Example: nomoledger history game.db --period 3
    """
    show_projection("history", reader=who(admin, player), only=asked["period"], **asked)


@click.command()
@reading
@reader
def log(admin: bool, player: str | None, **asked: Any) -> None:
    """Show every event in words, with its rules and its cause.

    Events that only some may see are left out, unless --admin or --as asks for them.

    Example: nomoledger log game.db --as Ann
    """
    show_projection("log", is_numbered=True, reader=who(admin, player), **asked)
