"""The command bisect: the event after which a statement became true."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.arguments import command_line
from nomoledger.cli.context import open_ledger_of_game
from nomoledger.cli.output import print_blocks, print_json
from nomoledger.game.command_lines import game_if_ambiguous

if TYPE_CHECKING:
    from nomoledger.game.bisection.bisection import TurningPoint

NEVER = 1


@click.command()
@options.ledger
@click.argument("statement")
@options.game
@click.option(
    "--all", "every", is_flag=True, help="Check after every attempt, not only at the closes."
)
@options.as_json
def bisect(location: str, statement: str, game_name: str | None, every: bool, as_json: bool) -> int:
    """Find the event after which a statement became true.

    STATEMENT compares attributes, holdings and values of the rules, as in a standing order. bisect
    finds the first period at whose close it is true, and searches the attempts of that period.
    --all also finds statements that were true only between two closes. The exit code is 1 if the
    statement was never true.

    Example: nomoledger bisect game.db "money(Ann) < 900"
    """
    from nomoledger.cli.progress import progress
    from nomoledger.game.bisection.bisection import bisect as find_turning_point

    with open_ledger_of_game(location, game_name) as (ledger, name):
        total = ledger.head(name).number + 1
        with progress(f"searching {name}", total) as advance:
            point = find_turning_point(ledger, name, statement, every=every, done=advance)
        shown_name = game_if_ambiguous(ledger, name)
    if as_json:
        print_json(point)
    else:
        print_blocks(_lines(point, location, shown_name, every))
    return NEVER if point.event is None else 0


def _lines(point: "TurningPoint", location: str, game_name: str, every: bool) -> Iterator[str]:
    effort = f"{point.looks} checks in {point.events} events"
    if point.event is None:
        moments = "after no attempt" if every else "at no close of a period"
        hint = "" if every else "; --all checks after every attempt"
        yield f"{point.statement}: true {moments}, and not true now ({effort}){hint}"
        return
    if point.from_start:
        yield f"{point.statement}: true from the start"
    else:
        yield f"{point.statement}: became true with"
        rules = f"  [{', '.join(point.rules)}]" if point.rules else ""
        yield f"#{point.event} {point.told}{rules}"
        if point.because is not None:
            yield f"  because of #{point.because}: {point.because_told}"
    time = f"period {point.period}, {point.at:%Y-%m-%d %H:%M:%S}"
    yield f"{time}; {'still' if point.holds_now else 'no longer'} true now ({effort})"
    if not point.from_start:
        event = f"'#{point.event}'"
        yield f"why: {command_line('explain', location, event, game_name)}"
