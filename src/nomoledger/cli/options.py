"""Arguments and options that several commands share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from nomoledger.cli.arguments import VARIABLE, LedgerArgument
from nomoledger.cli.parsing import parse_pair, parse_time

Function = TypeVar("Function", bound=Callable[..., Any])


class OutputFile(click.Path):
    """The name of a file that the command writes; such a command has `force`, too.

    A test finds all parameters of this type and tries to overwrite a ledger through them.
    """

    def __init__(self, *, allow_dash: bool = False) -> None:
        """Take the name of a file; `-` is standard output if *allow_dash*."""
        super().__init__(dir_okay=False, allow_dash=allow_dash)


ledger = click.argument("location", metavar="LEDGER", cls=LedgerArgument, envvar=VARIABLE)
game = click.option(
    "--game", "game_name", metavar="NAME", help="Use game NAME, if the ledger has several."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
period = click.option(
    "--period", type=int, metavar="N", help="Show the game as of the close of period N."
)
as_known = click.option(
    "--as-known",
    type=int,
    metavar="K",
    help="Show the period as known at the close of period K (default: as known now).",
)
as_published = click.option(
    "--as-published", is_flag=True, help="Show the period as known at its own close."
)
since = click.option(
    "--since",
    type=parse_time,
    metavar="TIME",
    help="Show only what was received at TIME (UTC) or later.",
)
force = click.option("--force", is_flag=True, help="Replace a file that exists (never a ledger).")
pairs = click.argument("pairs", metavar="[KEY=VALUE]...", nargs=-1, type=parse_pair)


def known_at(period: int | None, as_known: int | None, as_published: bool) -> int | None:
    """Return the period at whose close *period* is to be known; None for as known now."""
    if as_published and as_known is not None:
        raise click.UsageError("--as-known and --as-published exclude each other: give one")
    if period is None and (as_published or as_known is not None):
        raise click.UsageError(
            "--as-known and --as-published need a closed period: name it with --period"
        )
    return period if as_published else as_known


dry_run = click.option(
    "--dry-run", is_flag=True, help="Print what would follow, and change nothing."
)


#: The parameters of the options of `request`.
REQUEST = ("location", "game_name", "at", "id", "as_json", "dry_run", "yes")


def request(function: Function) -> Function:
    """Add the options of every command that records an input."""
    for option in (
        as_json,
        game,
        dry_run,
        click.option("--yes", is_flag=True, help="Go on without asking for confirmation."),
        click.option(
            "--id", "id", metavar="ID", help="Name this request, so that repeating it is harmless."
        ),
        click.option(
            "--at",
            type=parse_time,
            metavar="TIME",
            help="Record the request as received at TIME, in UTC (default: now).",
        ),
    ):
        function = option(function)
    return function


def pool(function: Function) -> Function:
    """Add the options that say where work runs that can be shared out."""
    for option in (
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Share the work out to the cluster of this Dask scheduler (tcp://HOST:PORT).",
        ),
        click.option(
            "--workers",
            type=click.IntRange(1, 256),
            metavar="N",
            help="Run N processes on this machine (default: one per core).",
        ),
    ):
        function = option(function)
    return function
