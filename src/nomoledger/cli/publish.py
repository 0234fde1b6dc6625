"""The command publish: a game as a static site."""

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_ledger_of_game
from nomoledger.cli.dry_runs import print_unwritten
from nomoledger.cli.output import print_json, print_line
from nomoledger.cli.progress import count_records, progress


@click.command()
@options.ledger
@click.argument("folder", metavar="DIR", type=click.Path())
@options.game
@click.option(
    "--how-to-submit",
    metavar="TEXT",
    help="What the front page says about how to submit, such as an address; it is shown as it is.",
)
@options.dry_run
@options.as_json
def publish(
    location: str,
    folder: str,
    game_name: str | None,
    how_to_submit: str | None,
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

    with (
        open_ledger_of_game(location, game_name) as (ledger, name),
        progress(f"publishing {name}", 2 * count_records(ledger, [name])) as advance,
    ):
        pages, made = publish_site(ledger, name, folder, advance, how_to_submit, dry_run=dry_run)
    if as_json:
        print_json({"game": name, "folder": folder, "pages": pages, "made": made})
        return
    kept = f", {pages - made} of them as before" if made < pages else ""
    line = f"{name} is published in {folder}: {pages} pages{kept}"
    print_line(f"{line}; the first is {folder}/index.html")
    if dry_run:
        print_unwritten(folder)
