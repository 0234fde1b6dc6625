"""The command publish: a game as a static site."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_ledger_of_game
from nomoledger.cli.dry_runs import print_unwritten
from nomoledger.cli.output import print_json, print_line
from nomoledger.cli.progress import count_records, progress

if TYPE_CHECKING:
    from nomoledger.game.forecast import Forecast


@click.command()
@options.ledger
@click.argument("folder", metavar="DIR", type=click.Path())
@options.game
@click.option(
    "--how-to-submit",
    metavar="TEXT",
    help="What the front page says about how to submit, such as an address; it is shown as it is.",
)
@click.option(
    "--forecast",
    "forecast_file",
    metavar="FILE",
    help="Show the forecast that `nomoledger forecast --save FILE` wrote, on a page of its own.",
)
@options.dry_run
@options.as_json
def publish(
    location: str,
    folder: str,
    game_name: str | None,
    how_to_submit: str | None,
    forecast_file: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Publish a game as a static site in the folder DIR.

    The site shows the game week by week, and only what everybody may see. DIR is created if needed.
    A site published there earlier is replaced as a whole; a folder with other content is refused.
    Pages of closed periods that nothing has changed since are kept, which is much faster.

    Example: nomoledger publish game.db site
    """
    from nomoledger.views.site import publish as publish_site

    forecast = _read_forecast(forecast_file)
    with (
        open_ledger_of_game(location, game_name) as (ledger, name),
        progress(f"publishing {name}", 2 * count_records(ledger, [name])) as advance,
    ):
        pages, made = publish_site(
            ledger, name, folder, advance, how_to_submit, forecast=forecast, dry_run=dry_run
        )
    if as_json:
        print_json({"game": name, "folder": folder, "pages": pages, "made": made})
        return
    kept = f", {pages - made} of them as before" if made < pages else ""
    line = f"{name} is published in {folder}: {pages} pages{kept}"
    print_line(f"{line}; the first is {folder}/index.html")
    if dry_run:
        print_unwritten(folder)


def _read_forecast(file: str | None) -> "Forecast | None":
    """Return the forecast in *file*; None if there is no file.

    Raises:
        UsageError: *file* cannot be read, or is no forecast.
    """
    if file is None:
        return None
    from nomoledger.game.forecast import decode_forecast
    from nomoledger.intake.unreadable import why_unreadable

    try:
        content = Path(file).read_bytes()
    except OSError as error:
        raise click.UsageError(f"{file} cannot be read: {why_unreadable(error)}") from None
    return decode_forecast(content, file)
