"""Commands on how the rules changed: rules diff, rules blame, rules log."""

from typing import Any

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_view_at
from nomoledger.cli.output import print_json, print_text
from nomoledger.cli.projections import reader, reader_of, reading

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command()
@options.ledger
@click.argument("before", metavar="A", type=int)
@click.argument("after", metavar="B", type=int)
@options.game
@options.as_json
@reader
def diff(before: int, after: int, admin: bool, player: str | None, **view: Any) -> None:
    """Show how the rules differ between two periods.

    The rules at the close of period A are compared with those at the close of period B: prose,
    parameters and code. Give the number before the first period for the rules at the opening.

    Example: nomoledger rules diff game.db 1 3
    """
    _show(
        "ruleset_diff",
        reader=reader_of(admin, player),
        arguments={"before": before, "after": after},
        **view,
    )


@click.command()
@reading
@click.argument("number")
@reader
def blame(number: str, admin: bool, player: str | None, **view: Any) -> None:
    """Show every version of a rule, and who is behind it.

    Each version comes with its time, its proposal or ruling, and what changed. The history also
    covers the time when the rule had another number.

    Example: nomoledger rules blame game.db VIII.3
    """
    arguments = {"number": number}
    _show("ruleset_blame", reader=reader_of(admin, player), arguments=arguments, **view)


@click.command("log")
@reading
@reader
def log_of_rules(admin: bool, player: str | None, **view: Any) -> None:
    """Show all changes to the rules, in order.

    Example: nomoledger rules log game.db
    """
    _show("ruleset", reader=reader_of(admin, player), arguments={}, **view)


def _show(
    name: str,
    *,
    location: str,
    game_name: str | None,
    as_json: bool,
    reader: str | None,
    arguments: dict[str, Any],
    period: int | None = None,
) -> None:
    """Print the projection *name*; on a terminal, lines of a diff are coloured."""
    from nomoledger.game.read_models import projection

    with open_view_at(location, game_name, period, reader) as view:
        model = projection(name)(view, **arguments)
    if as_json:
        print_json(model)
        return
    for block in model.show():
        for line in str(block).split("\n"):
            print_text(line, fg=COLOURS.get(line[:1]))
