"""Commands that record an input: what players ask for, what dice fell, what the admin rules."""

from datetime import datetime
from typing import Any

import click

from nomoledger.cli import options
from nomoledger.cli.change_options import amendments, changes_in
from nomoledger.cli.outcome import option_called, run_request, typed_for


@click.command()
@options.ledger
@click.argument("name")
@options.pairs
@options.request
def join(name: str, pairs: tuple[tuple[str, str], ...], **asked: Any) -> int:
    """Ask to join the game as NAME.

    What the rules want to know besides is given by name.

    Example: nomoledger join game.db Ann email=ann@example.org
    """
    return run_request(
        lambda desk, when: desk.join(name, typed_for(desk, "join", pairs), **when), **asked
    )


@click.command()
@options.ledger
@click.argument("player")
@options.request
def leave(player: str, **asked: Any) -> int:
    """Ask to leave the game.

    Example: nomoledger leave game.db Ann
    """
    return run_request(lambda desk, when: desk.leave(player, **when), **asked)


@click.command()
@options.ledger
@click.argument("player")
@click.argument("action")
@options.pairs
@options.request
def submit(player: str, action: str, pairs: tuple[tuple[str, str], ...], **asked: Any) -> int:
    """Ask for an action on behalf of PLAYER (or admin).

    Its arguments are given by name; status lists the actions there are.

    Example: nomoledger submit game.db Ann buy square=9
    """
    return run_request(
        lambda desk, when: desk.submit(player, action, typed_for(desk, action, pairs), **when),
        **asked,
    )


@click.command()
@options.ledger
@click.argument("player")
@click.argument("text")
@click.option("--changes", metavar="FILE", help="The changes it comes down to, in YAML.")
@click.option(
    "--amend",
    multiple=True,
    type=options.pair,
    metavar="RULE.PARAMETER=VALUE",
    help="Another value for a rule's parameter.",
)
@options.request
def propose(
    player: str,
    text: str,
    changes: str | None,
    amend: tuple[tuple[str, str], ...],
    **asked: Any,
) -> int:
    """Propose TEXT, and changes to the rules, on behalf of PLAYER.

    Example: nomoledger propose game.db Ann "Options last ten days" --amend VIII.3.days_open=10
    """
    wanted = (*changes_in(changes), *amendments(amend))
    return run_request(lambda desk, when: desk.propose(player, text, wanted, **when), **asked)


@click.command()
@options.ledger
@click.argument("player")
@click.argument("proposal", type=int)
@click.argument("choice")
@options.request
def vote(player: str, proposal: int, choice: str, **asked: Any) -> int:
    """Cast PLAYER's vote on a proposal.

    Example: nomoledger vote game.db Ann 3 yes
    """
    return run_request(lambda desk, when: desk.vote(player, proposal, choice, **when), **asked)


@click.command()
@options.ledger
@click.argument("proposal", type=int)
@click.argument(
    "verdict", type=click.Choice(["accepted", "rejected", "accept", "reject"]), metavar="VERDICT"
)
@options.request
def judge(proposal: int, verdict: str, **asked: Any) -> int:
    """Judge a proposal: VERDICT is accepted or rejected.

    Example: nomoledger judge game.db 1 accepted
    """
    full = {"accept": "accepted", "reject": "rejected"}.get(verdict, verdict)
    return run_request(lambda desk, when: desk.judge(proposal, full, **when), **asked)


@click.command()
@options.ledger
@click.argument("values", nargs=-1, required=True)
@options.request
def roll(values: tuple[str, ...], **asked: Any) -> int:
    """Enter real dice, or another draw made by hand.

    Example: nomoledger roll game.db 3 4
    """
    return run_request(
        lambda desk, when: desk.enter_dice([option_called(desk, x) for x in values], **when),
        **asked,
    )


@click.command()
@options.ledger
@click.argument("value")
@click.option("--by", default="admin", metavar="PLAYER", help="Who answers (default: admin).")
@options.request
def answer(value: str, by: str, **asked: Any) -> int:
    """Answer the question that a player is asked.

    Example: nomoledger answer game.db yes --by Ann
    """
    return run_request(
        lambda desk, when: desk.answer(option_called(desk, value), by, **when), **asked
    )


@click.command()
@options.ledger
@options.request
def undo(**asked: Any) -> int:
    """Take back the last request, while it waits and no die was seen.

    Example: nomoledger undo game.db
    """
    return run_request(lambda desk, when: desk.undo(**when), **asked)


@click.command()
@options.ledger
@options.request
def close(**asked: Any) -> int:
    """Carry out what the period still holds, and close it.

    Example: nomoledger close game.db
    """
    return run_request(lambda desk, when: desk.close(**when), **asked)


@click.command()
@options.ledger
@click.option("--to", type=options.time, required=True, metavar="TIME", help="The time it is.")
@options.request
def advance(to: datetime, at: datetime | None, **asked: Any) -> int:
    """Let time pass: what is due by then falls due.

    Example: nomoledger advance game.db --to 2026-02-01T12:00:00
    """
    if at is not None:
        raise click.UsageError("advance takes its time from --to, not from --at")
    return run_request(lambda desk, when: desk.advance(**when), at=to, **asked)
