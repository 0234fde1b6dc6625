"""Commands about how the rules came to be what they are: rules diff, rules blame, rules log."""

import sys
from typing import Any

import click

from nomoledger.cli import options
from nomoledger.cli.context import view_at
from nomoledger.cli.output import harmless, json
from nomoledger.cli.projections import reader, reading, who

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command()
@options.ledger
@click.argument("before", metavar="A", type=int)
@click.argument("after", metavar="B", type=int)
@options.game
@options.as_json
@reader
def diff(
    ledger: str,
    before: int,
    after: int,
    game: str | None,
    as_json: bool,
    admin: bool,
    player: str | None,
) -> None:
    """Show how the rules differ between two periods.

    Those at the close of period A against those at the close of B, rule by rule: prose, parameters
    and code. The period before the first stands for the rules that the game opened with.

    Example: nomoledger rules diff game.db 1 3
    """
    asked = {"before": before, "after": after}
    _show("ruleset_diff", ledger, game, None, as_json, who(admin, player), asked)


@click.command()
@reading
@click.argument("number")
@reader
def blame(number: str, admin: bool, player: str | None, **asked: Any) -> None:
    """Show every version of a rule, and who is behind it.

    When it changed, by which proposal or ruling, and what changed; also from when the rule had
    another number.

    Example: nomoledger rules blame game.db VIII.3
    """
    _show("ruleset_blame", reader=who(admin, player), given={"number": number}, **asked)


@click.command("log")
@reading
@reader
def log_of_rules(admin: bool, player: str | None, **asked: Any) -> None:
    """Show all changes to the rules, in order.

    Example: nomoledger rules log game.db
    """
    _show("ruleset", reader=who(admin, player), given={}, **asked)


def _show(
    name: str,
    ledger: str,
    game: str | None,
    period: int | None,
    as_json: bool,
    reader: str | None,
    given: dict[str, Any],
) -> None:
    """Print that projection; what differs in colour, on a terminal."""
    from nomoledger.game.read_models import projection

    with view_at(ledger, game, period, reader) as view:
        model = projection(name)(view, **given)
    if as_json:
        json(model)
        return
    for block in model.show():
        for each in harmless(str(block)).split("\n"):
            colour = COLOURS.get(each[:1]) if sys.stdout.isatty() else None
            click.echo(click.style(each, fg=colour) if colour else each)
