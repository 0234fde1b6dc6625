"""Commands that show a read model: standings, board, balances, state, rulings, history, log."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_view_at
from nomoledger.cli.dry_runs import print_unwritten
from nomoledger.cli.output import print_aside, print_csv, print_line, print_model

if TYPE_CHECKING:
    from nomoledger.game.read_models import LedgerView, ReadModel, Table

RENUMBERED = (
    "(the numbers of {whose} leave out any sealed events;"
    " ruling, explain and other commands take them as {name}:N)"
)

as_csv = click.option("--csv", "as_csv", is_flag=True, help="Print CSV, for a spreadsheet.")


def show_projection(
    name: str,
    *,
    as_json: bool,
    as_csv: bool = False,
    location: str,
    game_name: str | None,
    period: int | None,
    reader: str | None = None,
    known: int | None = None,
    is_then: bool = False,
    is_numbered: bool = False,
    **arguments: Any,
) -> None:
    """Print the projection *name*, called with *arguments*.

    If *is_then*, the projection shows a single period, and a note says whether that period was
    corrected. If *is_numbered*, the projection shows event numbers, and a note on standard error
    says so if they may be public numbers.
    """
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other: give one")
    from nomoledger.game.read_models import projection

    with open_view_at(location, game_name, period, reader, known) as view:
        model = projection(name)(view, **arguments)
        if as_csv:
            print_csv(_sheet(name, model))
            return
        print_model(model, as_json)
        if not as_json and (hidden := getattr(model, "hidden", "")):
            print_aside(f"(left out: {hidden}; --admin shows everything)")
        if is_then and not as_json and view.world is not view.reading.published:
            print_line(_correction_note(view))
        if is_numbered and not as_json and view.may_be_renumbered:
            whose = "the public log" if reader is None else f"the log of {reader}"
            print_aside(RENUMBERED.format(whose=whose, name=reader or "public"))


def show_projection_then(name: str, as_known: int | None, as_published: bool, **view: Any) -> None:
    """Print the projection *name* of a period as it was known at another time."""
    known = options.known_at(view["period"], as_known, as_published)
    show_projection(name, known=known, is_then=True, **view)


def _correction_note(view: "LedgerView") -> str:
    """Return a note that the view differs from what was published."""
    from nomoledger.prose.descriptions import name_rulings
    from nomoledger.state.bitemporal import rulings_that_corrected

    rulings = name_rulings(rulings_that_corrected(view.reading.later, view.period))
    return f"period {view.period} as corrected by {rulings}; as it was published: --as-published"


def _sheet(name: str, model: "ReadModel") -> "Table":
    from nomoledger.game.read_models import Sheet

    if not isinstance(model, Sheet):
        raise click.UsageError(f"the installed projection {name} cannot be printed as CSV")
    return model.sheet()


def reading(function: options.Function) -> options.Function:
    """Add the arguments of every command that shows a game."""
    for option in (options.as_json, options.game, options.period, options.ledger):
        function = option(function)
    return function


def two_times(function: options.Function) -> options.Function:
    """Add the arguments of every command that shows a period as it was known at another time."""
    return reading(options.as_known(options.as_published(function)))


def reader(function: options.Function) -> options.Function:
    """Add the options that say who is reading."""
    admin = click.option("--admin", is_flag=True, help="Show also what only the admin may see.")
    player = click.option("--as", "player", metavar="PLAYER", help="Show also what PLAYER may see.")
    return admin(player(function))


def reader_of(admin: bool, player: str | None) -> str | None:
    """Return the reader that these two options name."""
    return "admin" if admin else player


@click.command()
@two_times
@as_csv
@click.option(
    "--all", "is_all", is_flag=True, help="Show money and rank at the close of every period."
)
@click.option(
    "--history", "is_history", is_flag=True, help="Show every period as published and as corrected."
)
@click.option(
    "--chart",
    metavar="FILE",
    type=options.OutputFile(),
    help="Also draw rank and money by period into FILE.svg or FILE.png.",
)
@options.force
@options.dry_run
def standings(
    is_all: bool,
    is_history: bool,
    chart: str | None,
    force: bool,
    dry_run: bool,
    as_known: int | None,
    as_published: bool,
    **view: Any,
) -> None:
    """Show the players by money, and the squares they own.

    A closed period is shown as known now, with the corrections of later rulings. --as-known and
    --as-published show what was known earlier. With --dry-run, --chart checks FILE and does not
    write it.

    Example: nomoledger standings game.db --history --chart standings.svg
    """
    if is_history and (is_all or as_published):
        raise click.UsageError("--history excludes --all and --as-published: give one")
    arguments: dict[str, Any] = {"published": True} if as_published else {}
    periods = {key: view[key] for key in ("location", "game_name", "period")}
    periods |= {"known": as_known, "period": as_known if view["period"] is None else view["period"]}
    name = "standings_history" if is_history else "standings_by_period"
    if chart is not None:
        from nomoledger.cli.charts import draw_chart

        draw_chart(name, chart, force=force, dry_run=dry_run, **periods, **arguments)
    if is_all or is_history:
        show_projection(name, **view | periods, **arguments)
    else:
        show_projection_then("standings", as_known=as_known, as_published=as_published, **view)
    if chart is not None and dry_run and not (view["as_json"] or view["as_csv"]):
        print_unwritten(chart)


@click.command()
@two_times
def board(**view: Any) -> None:
    """Show the board: its squares, their owners, and the players.

    Example: nomoledger board game.db --period 3 --as-published
    """
    show_projection_then("board", **view)


@click.command()
@two_times
@as_csv
@click.option("--posted", is_flag=True, help="Show the sums of actual postings, from the roll-up.")
def balances(posted: bool, as_known: int | None, as_published: bool, **view: Any) -> None:
    """Show the balance of every account, by commodity.

    --posted leaves out corrections that were ruled but not settled. Otherwise both are the same.

    Example: nomoledger balances game.db --period 3 --as-known 5
    """
    known = options.known_at(view["period"], as_known, as_published)
    show_projection("balances", known=known, is_then=not posted, posted=posted, **view)


@click.command()
@two_times
@reader
def state(admin: bool, player: str | None, **view: Any) -> None:
    """Show the full state: every attribute of every thing.

    Sealed values are left out, unless --admin or --as asks for them, and e-mail addresses, unless
    --admin does.

    Example: nomoledger state game.db --period 3 --admin
    """
    show_projection_then("state", reader=reader_of(admin, player), **view)


@click.command()
@reading
@click.option("--rule", metavar="NUMBER", help="Show only rulings that interpret rule NUMBER.")
@reader
def rulings(rule: str | None, admin: bool, player: str | None, **view: Any) -> None:
    """Show the rulings, and which of them are in force.

    A ruling interprets the rules that it cites, and the rule whose question it answers.

    Example: nomoledger rulings game.db --rule VI.1
    """
    show_projection("rulings", is_numbered=True, reader=reader_of(admin, player), rule=rule, **view)


@click.command()
@reading
@reader
def history(admin: bool, player: str | None, **view: Any) -> None:
    """Show what happened, in prose that can be published.

    The history covers rolls, moves, payments, proposals with their verdicts, and rulings. --period
    limits it to one period.

    Example: nomoledger history game.db --period 3
    """
    show_projection("history", reader=reader_of(admin, player), only=view["period"], **view)


@click.command()
@options.ledger
@options.game
@options.as_json
@click.option("--period", type=int, metavar="N", help="Show only events of period N.")
@click.option(
    "--player", "players", multiple=True, metavar="NAME", help="Show only what concerns NAME."
)
@click.option(
    "--square", "squares", multiple=True, metavar="SQUARE", help="Show only what concerns SQUARE."
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="NUMBER",
    help="Show only events that rest on rule NUMBER, or change it.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Show only events of KIND, such as posted.",
)
@options.since
@reader
def log(
    players: tuple[str, ...],
    squares: tuple[str, ...],
    rules: tuple[str, ...],
    kinds: tuple[str, ...],
    since: datetime | None,
    period: int | None,
    admin: bool,
    player: str | None,
    **view: Any,
) -> None:
    """Show every event, with the rules behind it and its cause.

    Secret events are left out, unless --admin or --as asks for them. With filters, only events that
    pass all of them are shown; a filter that is given twice takes either.

    Example: nomoledger log game.db --player Ann --kind posted --since 2026-01-05
    """
    from nomoledger.game.event_filter import EventChoice

    choice = EventChoice(players, rules, kinds, squares, since, period)
    who = reader_of(admin, player)
    show_projection("log", is_numbered=True, reader=who, period=period, choice=choice, **view)
