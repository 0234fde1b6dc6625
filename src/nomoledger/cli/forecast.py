"""The command forecast: how a game goes on under many seeds, with and without a change."""

from typing import TYPE_CHECKING, BinaryIO

import click

from nomoledger.cli import options
from nomoledger.cli.atomic_file import optional_file
from nomoledger.cli.change_options import amendments, read_changes_file, repeals
from nomoledger.cli.context import open_ledger_of_game
from nomoledger.cli.dry_runs import print_unwritten
from nomoledger.cli.forecast_tables import print_forecast
from nomoledger.cli.output import print_json
from nomoledger.cli.parsing import parse_pair
from nomoledger.cli.progress import progress

if TYPE_CHECKING:
    from nomoledger.game.forecast import Forecast

INTERRUPTED = 130


@click.command()
@options.ledger
@click.option(
    "--periods",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    metavar="N",
    help="Play N periods, beginning with the open one.",
)
@click.option(
    "--futures",
    type=click.IntRange(1, 1_000_000),
    default=1000,
    show_default=True,
    metavar="N",
    help="Play N futures.",
)
@click.option(
    "--proposal", type=int, metavar="N", help="Compare with futures in which proposal N passes now."
)
@click.option(
    "--change",
    "file",
    metavar="FILE",
    help="Compare with futures under the rule changes in FILE (YAML).",
)
@click.option(
    "--amend",
    multiple=True,
    type=parse_pair,
    metavar="RULE.NAME=VALUE",
    help="Compare with futures under another value of a parameter.",
)
@click.option(
    "--repeal", multiple=True, metavar="RULE", help="Compare with futures without the rule RULE."
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="Choose the futures: the same seed gives the same ones.",
)
@click.option(
    "--save",
    metavar="FILE",
    type=options.OutputFile(),
    help="Also write the forecast to FILE, as JSON, for `nomoledger publish --forecast FILE`.",
)
@options.force
@options.dry_run
@options.pool
@options.game
@options.as_json
def forecast(
    location: str,
    periods: int,
    futures: int,
    proposal: int | None,
    file: str | None,
    amend: tuple[tuple[str, str], ...],
    repeal: tuple[str, ...],
    seed: int,
    save: str | None,
    force: bool,
    dry_run: bool,
    workers: int | None,
    scheduler: str | None,
    game_name: str | None,
    as_json: bool,
) -> int:
    """Play the game on under many seeds, with and without a change.

    Bots repeat what the players did in the latest closed periods, with new dice. The result shows
    each player's money and rank, and how often the player comes first. With a change, each future
    is played twice with the same dice. A forecast uses only what everybody may see: no seed of the
    game, and nothing sealed. Ctrl-C shows the futures played so far. Nothing is recorded; with
    --dry-run, --save checks FILE and does not write it.

    Example: nomoledger forecast game.db --periods 3 --amend X.3.dollars_per_number=6
    """
    from nomoledger.game.forecast import ForecastPlan
    from nomoledger.game.forecast import forecast as play_futures
    from nomoledger.parallel import open_pool

    changes = (*read_changes_file(file), *amendments(amend), *repeals(repeal))
    if proposal is not None and changes:
        raise click.UsageError("--proposal brings its own changes: give no other ones with it")
    plan = ForecastPlan(periods, futures, seed, proposal, changes)
    with (
        open_ledger_of_game(location, game_name) as (ledger, name),
        optional_file(save, force=force, dry_run=dry_run) as target,
    ):
        with (
            open_pool(workers, scheduler) as pool,
            progress("playing futures", futures) as advance,
        ):
            result = play_futures(ledger, name, plan, pool, done=advance)
        if target is not None:
            _save(target, result)
    if as_json:
        print_json(result)
    else:
        print_forecast(result)
        if dry_run and save is not None:
            print_unwritten(save)
    return 0 if result.futures == result.asked else INTERRUPTED


def _save(target: BinaryIO, result: "Forecast") -> None:
    from nomoledger.game.forecast import encode_forecast

    target.write(encode_forecast(result))
