"""The commands explain and why-not."""

import click

from nomoledger.cli import options
from nomoledger.cli.opened import ledger_at
from nomoledger.cli.output import json, line


@click.command()
@options.ledger
@click.argument("subject")
@click.argument("what", required=False)
@options.game
@options.period
@options.as_json
def explain(
    ledger: str, subject: str, what: str | None, game: str | None, period: int | None, as_json: bool
) -> None:
    """Say why something is so, back to the die, submission or ruling.

    SUBJECT is an event (#17), or a player or square; WHAT is one of its attributes, money, or a
    commodity.

    Example: nomoledger explain game.db Ann money
    """
    from nomoledger.explain import explain as explained
    from nomoledger.explain import last_of
    from nomoledger.state import as_of, the_game

    with ledger_at(ledger) as opened:
        game = game or the_game(opened)
        if what is None:
            number = _event(subject)
        else:
            upto = as_of(opened, game, period).head
            number = last_of(opened, game, subject, what, upto)
        found = explained(opened, game, number)
    if as_json:
        json(found)
        return
    line(f"#{found.event} {found.told}{_by(found.rules)}")
    for cause in found.causes:
        line(f"  because of #{cause.event}: {cause.told}{_by(cause.rules)}")
    for each in found.trail:
        line(f"    {each}")


@click.command("why-not")
@options.ledger
@click.argument("operation")
@click.argument("about")
@options.game
@click.option("--period", type=int, metavar="N", help="In which period (the one that is open).")
@options.as_json
def why_not(
    ledger: str, operation: str, about: str, game: str | None, period: int | None, as_json: bool
) -> None:
    """Say why something of the rules did not happen.

    OPERATION is what the rules call it, ABOUT the player or square that it is about.

    Example: nomoledger why-not game.db open_option 16 --period 2
    """
    from nomoledger.state import as_of, the_game
    from nomoledger.whynot import why_not as answered

    with ledger_at(ledger) as opened:
        game = game or the_game(opened)
        if period is None:
            period = as_of(opened, game, None).period
        found = answered(opened, game, operation, about, period)
    if as_json:
        json(found)
        return
    for each in found.lines:
        line(each)


def _event(text: str) -> int:
    if not text.removeprefix("#").isdigit():
        raise click.UsageError(f"{text!r} is no event: write #17, or a subject and what of it")
    return int(text.removeprefix("#"))


def _by(rules: tuple[str, ...]) -> str:
    return f"  [{', '.join(rules)}]" if rules else ""
