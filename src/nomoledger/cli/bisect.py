"""The command bisect."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.arguments import command_line, game_to_say
from nomoledger.cli.context import open_ledger_at
from nomoledger.cli.output import json, line

if TYPE_CHECKING:
    from nomoledger.game.bisection.bisection import TurningPoint

NEVER = 1


@click.command()
@options.ledger
@click.argument("statement")
@options.game
@click.option("--all", "every", is_flag=True, help="Look after every attempt, not only at closes.")
@options.as_json
def bisect(ledger: str, statement: str, game: str | None, every: bool, as_json: bool) -> int:
    """Find the event after which a statement became true.

    STATEMENT compares attributes, holdings and values of the rules, as in a standing order. It is
    held against the closes of the periods, and within the first at whose close it holds against as
    few attempts as need be: what held only between two closes is found with --all. Exit code 1
    where it never became true.

    Example: nomoledger bisect game.db "money(Ann) < 900"
    """
    from nomoledger.cli.progress import progress
    from nomoledger.game.bisection.bisection import bisect as searched
    from nomoledger.ledger.as_of import only_game

    with open_ledger_at(ledger) as opened:
        game = game or only_game(opened)
        total = opened.head(game).number + 1
        with progress(f"looking through {game}", total) as advance:
            found = searched(
                opened, game, statement, every=every, done=advance or (lambda count: None)
            )
        to_say = game_to_say(opened, game)
    if as_json:
        json(found)
    else:
        for each in _told(found, ledger, to_say, every):
            line(each)
    return NEVER if found.event is None else 0


def _told(found: "TurningPoint", ledger: str, game: str, every: bool) -> Iterator[str]:
    looked = f"looked {found.looks} times at {found.events} events"
    if found.event is None:
        where = "after no attempt" if every else "at no close of a period"
        more = "" if every else "; --all looks after every attempt"
        yield f"{found.statement}: so {where}, nor as things stand ({looked}){more}"
        return
    if found.from_start:
        yield f"{found.statement}: so from the start"
    else:
        yield f"{found.statement}: so since"
        rules = f"  [{', '.join(found.rules)}]" if found.rules else ""
        yield f"#{found.event} {found.told}{rules}"
        if found.because is not None:
            yield f"  because of #{found.because}: {found.because_told}"
    when = f"period {found.period}, {found.at:%Y-%m-%d %H:%M:%S}"
    still = "it is so now" if found.holds_now else "it is not so any more"
    yield f"{when}; {still} ({looked})"
    if not found.from_start:
        how = command_line("explain", ledger, f"'#{found.event}'", game)
        yield f"why: {how}"
